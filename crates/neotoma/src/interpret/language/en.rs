//! English.

use super::{Language, Title};

pub const EN: Language = Language {
    code: "en",
    common: "the of and to is for in on with that are be this by from your our at you we please not or which will has have",
    months: "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|\
             november nov|december dec",
    weekdays: "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun",
    labels: &[
        (
            "invoice.invoice_number",
            "invoice no|invoice num|inv no|inv number|bill no|statement no|account statement no|our ref invoice>\
             document no|document number|doc no",
        ),
        (
            "invoice.invoice_date",
            "invoice date|date of invoice|tax point|dated|bill date|date issued|date of issue|invoiced on",
        ),
        (
            "invoice.amount_due",
            "amount due|balance due|total due|to pay|please pay|total to pay|amount to pay|balance to pay|amount owing|balance owing|\
             total owing|pay this amount|you owe|now due|total amount due|remaining balance|balance outstanding>\
             invoice total|total inc vat|total incl vat|total including vat|grand total|total inclusive of vat|total incl gst|total payable>\
             total|total amount",
        ),
        (
            "invoice.date_due",
            "due date|payment due|pay by|payable by|due by|due on|please pay by|payment due by|due|to be paid by",
        ),
        ("invoice.vendor_name", "seller|supplier|vendor|issued by"),
        (
            "invoice.customer_name",
            "bill to|billed to|invoice to|customer|client|sold to|account holder|account name|member|prepared for|charge to>to",
        ),
        (
            "invoice.subtotal",
            "subtotal|sub total|net|net total|net amount|total net|total ex vat|total excl vat|total excluding vat|goods total|\
             total before vat|total before tax|taxable amount",
        ),
        ("invoice.tax_amount", "vat|gst|hst|pst|sales tax|tax|total vat|vat total|total tax"),
        (
            "receipt.amount_total",
            "total|total paid|amount paid|grand total|balance due|total due|to pay|amount charged|total charged|sale total",
        ),
        (
            "receipt.receipt_number",
            "receipt|receipt no|receipt number|chk|check|transaction|trans no|transaction no|transaction id|order|order no|ticket|ticket no|\
             docket|invoice no|sale no|ref|bill no",
        ),
        (
            "receipt.tax_amount",
            "vat|includes vat|incl vat|vat included|sales tax|tax|gst|hst|total vat|of which vat|total tax",
        ),
        (
            "transaction.merchant_name",
            "description|transaction description|details|narrative|payee|counterparty|particulars|transaction details|memo|name",
        ),
        ("transaction.debit", "paid out|money out|debit|withdrawals|withdrawal|out|debits|debit amount|payments"),
        ("transaction.credit", "paid in|money in|credit|deposits|deposit|in|credits|credit amount|receipts"),
        ("transaction.date", "date|transaction date|trans date"),
        ("transaction.posting_date", "posting date|posted|post date|booking date|date posted|booked"),
        ("transaction.value_date", "value date|value"),
        ("transaction.balance_after", "balance|running balance|closing balance|available balance"),
        ("transaction.category", "transaction type|type|category"),
        ("transaction.check_number", "check no|cheque no|check number|cheque number|cheque"),
        ("transaction.currency", "currency|ccy"),
        (
            "contract.contract_number",
            "contract no|agreement no|reference|ref|contract number|agreement number|order form|our ref",
        ),
        ("contract.effective_date", "effective date|commencement date|start date|start of term"),
        ("contract.expiration_date", "end date|expiry date|expires|end of term|term ends"),
        ("meeting.date", "date|held on|date of meeting"),
        ("meeting.start_time", "start|time|started|opened|start time|called to order"),
        ("meeting.end_time", "end|closed|ended|end time|adjourned|finish"),
        ("meeting.location", "venue|place|location|where"),
        ("meeting.attendees", "present|attendees|in attendance|attending|attended|those present|participants"),
        ("meeting.absent", "apologies|absent|apologies for absence|apologies received|regrets|not present|excused"),
        ("meeting.chair", "chair|in the chair|chaired by|chairperson|facilitator"),
        (
            "meeting.minutes_by",
            "minutes|minutes by|minutes taken by|secretary|notes by|taken by|note taker|minute taker",
        ),
        ("meeting.next_meeting", "next meeting|date of next meeting"),
        ("event.when", "when|date and time|date & time"),
        ("event.location", "where|venue|location|place"),
        ("event.organizer", "organised by|organized by|organiser|organizer|host|hosted by"),
        ("person.email", "email|e mail|mail"),
        ("person.phone", "phone|tel|telephone|mobile|cell"),
        ("person.role", "role|position|office|job title"),
        ("task.title", "task|action|item|to do"),
        ("task.assignee", "owner|assignee|who|assigned to|responsible|members"),
        ("task.due_date", "due|due date|deadline|by when|by|when"),
        ("task.status", "status|state"),
    ],
    others: "invoice for|job ref|your ref|po|po no|terms|ref|reference|account|account no|account number|sort code|vat reg no|vat no|\
             vat registration|site address|deliver to|delivery address|customer ref|customer no|table|covers|server|auth|merchant|\
             previous balance|payment received|payments received|deposit paid|less deposit|opening balance|registered in|quantity",
    titles: &[
        (
            Title::Invoice,
            "invoice|tax invoice|bill|statement of fees|subscription renewal|fee note|demand notice|rates demand|utility bill|pro forma",
        ),
        (Title::CreditNote, "credit note|credit memo|refund note|credit invoice"),
        (Title::Reminder, "reminder|payment reminder|final notice|overdue notice|final demand"),
        (Title::Receipt, "receipt|your receipt|sales receipt|till receipt"),
        (
            Title::Contract,
            "agreement|contract|lease|order form|terms of engagement|letter of engagement|memorandum of understanding|deed|licence",
        ),
        (Title::Minutes, "minutes|minutes of|meeting notes|minutes of the meeting|minutes of meeting"),
    ],
    taxes: "vat|gst|hst|pst|tax",
    tax_fillers: "plus|incl|includes|included|including|at|@|sales|of|which|add|on|uk|standard|rate",
    days: "days|day",
    honorifics: "mr|mrs|ms|miss|mx|dr|prof|professor|sir|dame|lady|lord|rev|mr.|mrs.|ms.|dr.|prof.|rev.|cllr|attn|attn:|fao",
    legal_forms: "Ltd|Ltd.|Limited|LLC|Inc|Inc.|Corp|Corp.|plc|PLC|LLP|LP|Pty|CIC|CIO|Co.|DAC|LTD|INC|INC.|LIMITED|PBC",
    organisations: "school|primary|college|university|council|club|association|society|trust|church|library|board|committee|pta|union|\
                    foundation|institute|charity|bank|surgery|clinic|practice|department|ministry|agency|office|bakery|\
                    services|supplies|studio|garage|cafe|café|restaurant|hotel|shop|store|market|pharmacy|holdings|partners|group|works",
    closings: "yours sincerely|yours faithfully|kind regards|best regards|regards|best wishes|many thanks|thanks|cheers|sincerely|best|\
               warm regards|with best wishes|with kind regards|yours truly|thank you|all the best|yours",
    roles: "chair|chairman|chairperson|chairwoman|treasurer|secretary|president|director|manager|partner|head teacher|headteacher|head|\
            hon treasurer|hon secretary|property manager|finance manager|account executive|managing director|owner|principal|clerk|\
            chief executive|ceo|cfo|cto|office manager|accounts|sales manager|trustee|vice chair|vice president|editor|consultant",
    begins: "commences on|starts on|begins on|commencing on|with effect from|effective from|effective as of|effective on|start on|from|\
             starting on|beginning on|takes effect on|commencement date|is effective|comes into force on",
    ends: "ends on|until|expires on|expire on|ending on|terminates on|up to and including|through|to|end on|up to",
    quoting: "wrote:|original message|forwarded message|from:|begin forwarded",
    streets: "street|road|lane|row|avenue|drive|close|square|court|yard|passage|place|terrace|way|quay|hill|\
             gardens|crescent|box|st|rd|ave|unit|flat|parade|walk|view|mews|wharf",
    name_labels: "name|company|business name|trading name",
    vat: "vat reg no|vat registration|vat number|vat no|vat id|vat reg|vat|gst no|hst registration|\
             gst registration|hst no|gst",
    tax_ids: "tax id|ein|tin|utr|tax reference",
    registers: "company no|company number|registered in england no|registered no|reg no|registration no|\
             registered number|charity no|registered charity no|registered in",
    represented: "represented by|acting through|by its director|signed for and on behalf of",
    between: "between",
    ands: "and",
    subjects: "subject|re|regarding|about",
    greetings: "dear|hello|hi|to whom|good morning|good afternoon",
    opened: "opened at|began at|started at|called to order at|commenced at|start",
    closed: "closed at|ended at|finished at|adjourned at|concluded at|close",
    by: "by|before|due|until|no later than|due by",
    actions: "actions|action items|action|tasks|to do|next steps|follow up",
    paid: "paid|transferred|sent|payment of|transfer of",
    held: "in the|at the|held at|at|in|venue",
    called: "meeting|agm|assembly|session|workshop|party|dinner|open day|training|visit",
};
