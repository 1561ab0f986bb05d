//! The words by which documents name the declared fields: those below and those of the tables of [`language`].
//!
//! Labels are compared in the form that [`normal`] gives them. Where a field has several words, an earlier one is the more
//! telling: "amount due" before "total".

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::{date, language};

/// What the value of a field is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    Text,
    Amount,
    Date,
    Currency,
    /// An amount that lowers (money out) or raises (money in) the balance; both become `amount`.
    Debit,
    Credit,
    /// A word that says whether an amount lowers or raises the balance.
    Sign,
}

/// A field of an entity type and the labels that stand for it.
#[derive(Debug)]
pub struct Term {
    pub field: &'static str,
    pub reading: Reading,
    /// Separated by `|`; `>` separates groups of falling rank.
    labels: &'static str,
}

impl Term {
    /// How telling `label` is for this field: 0 is most telling.
    pub fn rank(&self, label: &str) -> Option<usize> {
        let uses = INDEX.get(label)?;
        uses.iter().find(|known| known.term.is(self)).map(|known| known.rank)
    }

    fn is(&self, other: &Self) -> bool {
        self.field == other.field && self.reading == other.reading && self.labels == other.labels
    }

    /// The JSON type of the field's value.
    pub fn json_type(&self) -> &'static str {
        match self.reading {
            Reading::Text | Reading::Date | Reading::Currency | Reading::Sign => "string",
            Reading::Amount | Reading::Debit | Reading::Credit => "number",
        }
    }

    /// Whether `value` is of the field's type; a date must be one.
    pub fn accepts(&self, value: &Value) -> bool {
        match (self.reading, value) {
            (Reading::Date, Value::String(text)) => date::parse(text, None).as_deref() == Some(text),
            (_, Value::String(_)) => self.json_type() == "string",
            (_, Value::Number(_)) => self.json_type() == "number",
            _ => false,
        }
    }
}

/// An entity type with its terms.
#[derive(Debug)]
pub struct Vocabulary {
    pub entity_type: &'static str,
    pub terms: &'static [Term],
    /// Fields that must be named for a record to be of this type: every group needs one of its members.
    pub needs: &'static [&'static str],
}

impl Vocabulary {
    pub fn term(&self, label: &str) -> Option<&'static Term> {
        let uses = INDEX.get(label)?;
        uses.iter().find(|known| known.entity_type == self.entity_type).map(|known| known.term)
    }
}

/// What a label stands for in one type.
struct Use {
    entity_type: &'static str,
    term: &'static Term,
    /// 0 is most telling.
    rank: usize,
}

/// Which types use a label, and for what. Every line of every text is looked up here.
static INDEX: LazyLock<HashMap<&'static str, Vec<Use>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<_>> = HashMap::new();
    for vocabulary in ALL {
        let entity_type = vocabulary.entity_type;
        for term in vocabulary.terms {
            for (rank, group) in term.labels.split('>').enumerate() {
                for label in group.split('|') {
                    index.entry(label).or_default().push(Use { entity_type, term, rank });
                }
            }
        }
    }
    for (key, labels) in language::ALL.iter().flat_map(|language| language.labels) {
        let known = known_term(key);
        for (rank, group) in labels.split('>').enumerate() {
            for label in group.split('|') {
                let uses = index.entry(label).or_default();
                if let Some((entity_type, term)) = known
                    // What stands above is the more telling, and a label has one meaning in a type.
                    && !uses.iter().any(|known| known.entity_type == entity_type)
                {
                    uses.push(Use { entity_type, term, rank });
                }
            }
        }
    }
    for label in language::ALL.iter().flat_map(|language| language.others.split('|')).chain(OTHERS.split('|')) {
        index.entry(label).or_default();
    }
    index
});

/// The term of `type.field`; nothing for the types that are read otherwise. Of transactions, columns have names of their own.
fn known_term(key: &str) -> Option<(&'static str, &'static Term)> {
    let (entity_type, field) = key.split_once('.')?;
    let vocabulary = ALL.iter().find(|vocabulary| vocabulary.entity_type == entity_type)?;
    let is_it = |term: &&Term| match field {
        "debit" => term.reading == Reading::Debit,
        "credit" => term.reading == Reading::Credit,
        field => term.field == field && !matches!(term.reading, Reading::Debit | Reading::Credit),
    };
    vocabulary.terms.iter().find(is_it).map(|term| (vocabulary.entity_type, term))
}

/// The field of a type without a vocabulary, such as a meeting, that a label in normal form stands for.
pub fn field_of(entity_type: &str, label: &str) -> Option<&'static str> {
    static FIELDS: LazyLock<HashMap<(&str, &str), &str>> = LazyLock::new(|| {
        let mut fields = HashMap::new();
        for (key, labels) in language::ALL.iter().flat_map(|language| language.labels) {
            let Some((entity_type, field)) = key.split_once('.') else { continue };
            for label in labels.split(['|', '>']) {
                fields.entry((entity_type, label)).or_insert(field);
            }
        }
        fields
    });
    FIELDS.get(&(entity_type, label)).copied()
}

/// Like [`field_of`], for a language in which a label may mean something else than in another.
pub fn field_of_language(entity_type: &str, label: &str, language: &language::Language) -> Option<&'static str> {
    let own = language.labels.iter().find_map(|(key, labels)| {
        let (known, field) = key.split_once('.')?;
        (known == entity_type && labels.split(['|', '>']).any(|known| known == label)).then_some(field)
    });
    own.or_else(|| field_of(entity_type, label))
}

/// A label without case, punctuation, currency and bracketed remarks: `Rechnungs-Nr.:` is `rechnungs nr`.
pub fn normal(label: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    // invoiceNumber is two words; MwSt is one.
    let camel = label.starts_with(char::is_lowercase) && !label.contains(char::is_whitespace);
    let mut lower_before = false;
    for c in label.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '#' => plain.push_str(" no "),
            '.' | ':' | '*' | '?' | '!' | '"' => {}
            '-' | '_' | '/' | '\u{a0}' => plain.push(' '),
            c => {
                if camel && c.is_uppercase() && lower_before {
                    plain.push(' ');
                }
                plain.extend(c.to_lowercase());
            }
        }
        lower_before = c.is_lowercase();
    }
    let mut words: Vec<&str> = plain.split_whitespace().collect();
    // "Betrag in EUR" and "Total EUR" name the field and the currency.
    if words.len() > 1 && words.last().is_some_and(|word| is_currency(word)) {
        words.pop();
        words.pop_if(|word| *word == "in");
    }
    words.join(" ")
}

/// The entity types that the rules know, in the order in which ties are looked at.
pub const ALL: &[&Vocabulary] = &[&INVOICE, &RECEIPT, &CONTRACT, &TASK, &TRANSACTION, &PERSON, &COMPANY, &NOTE];

/// Whether any type uses this label, or it is known to be none of ours.
pub fn is_label(label: &str) -> bool {
    INDEX.contains_key(label)
}

/// Labels of things that are no field of ours. Knowing them keeps their values from being read as something else.
const OTHERS: &str = "customer number|customer no|customer id|client id|kundennummer|kunden nr|kundennr|kd nr|order number|\
    order no|bestellnummer|auftragsnummer|po number|purchase order|iban|bic|swift|vat id|vat no|vat number|tax id|tax no|\
    tax number|ust idnr|ust id|steuernummer|steuer nr|fax|page|seite|bankverbindung|bank details|delivery date|lieferdatum|\
    leistungsdatum|leistungszeitraum|service period|period|zeitraum|payment terms|terms|zahlungsbedingungen|\
    zahlungsziel|ship to|lieferadresse|sort code|account name|cif|nif|previous balance|amount paid|paid|already paid|\
    anzahlung|bereits bezahlt|discount|rabatt|skonto|shipping|versand|change|rückgeld|cashier|kassierer|kasse|kassiererin|\
    till|terminal|trace nr|quantity|qty|menge|anzahl|unit price|einzelpreis|price|preis|pos|position|item|artikel";

fn is_currency(word: &str) -> bool {
    matches!(word, "eur" | "usd" | "gbp" | "chf" | "cad" | "aud" | "€" | "$" | "£")
}

const fn text(field: &'static str, labels: &'static str) -> Term {
    Term { field, reading: Reading::Text, labels }
}

const fn amount(field: &'static str, labels: &'static str) -> Term {
    Term { field, reading: Reading::Amount, labels }
}

const fn date(field: &'static str, labels: &'static str) -> Term {
    Term { field, reading: Reading::Date, labels }
}

const fn currency(labels: &'static str) -> Term {
    Term { field: "currency", reading: Reading::Currency, labels }
}

const CURRENCY: Term = currency("currency|währung|waehrung|moneda|currency code");

pub const INVOICE: Vocabulary = Vocabulary {
    entity_type: "invoice",
    needs: &["invoice_number", "amount_due invoice_date vendor_name customer_name date_due amount"],
    terms: &[
        text(
            "invoice_number",
            "invoice number|invoice no|invoice nr|invoice id|invoice ref|invoice reference|inv no|bill number|bill no|\
             tax invoice no|rechnungsnummer|rechnungs nr|rechnung nr|rechnungsnr|re nr|rg nr|número de factura|\
             numero de factura|nº de factura|nº factura|factura nº|factura no|factura número|no de factura>no|nr|number|nummer",
        ),
        date(
            "invoice_date",
            "invoice date|date of invoice|date issued|issue date|date of issue|issued|issued on|bill date|rechnungsdatum|\
             rechnung vom|ausstellungsdatum|ausgestellt am|fecha de factura|fecha de emisión>date|datum|fecha",
        ),
        amount(
            "amount_due",
            "amount due|balance due|total due|amount now due|please pay|total amount due|outstanding amount|outstanding|\
             amount payable|total payable|zu zahlen|zu zahlender betrag|zahlbetrag|offener betrag|noch zu zahlen|\
             restbetrag|total a pagar|importe a pagar>invoice total|grand total|total amount|invoice amount|\
             rechnungsbetrag|gesamtbetrag|gesamtsumme|endbetrag|endsumme|bruttobetrag|rechnungssumme|summe brutto|\
             gesamt brutto|gesamtbetrag brutto|total incl vat|total including vat|total inc vat|total incl tax|\
             total gross|gross total|importe total|total factura>total|gesamt|summe|brutto|gross>amount|betrag",
        ),
        CURRENCY,
        date(
            "date_due",
            "due date|payment due|payment due date|due|due by|due on|pay by|payable by|payable until|date due|\
             fälligkeitsdatum|fällig am|fällig|zahlbar bis|fälligkeit|zahlbar bis zum|fecha de vencimiento|vencimiento",
        ),
        text(
            "vendor_name",
            "vendor|vendor name|seller|supplier|supplier name|issued by|billed by|invoice from|lieferant|verkäufer|\
             rechnungssteller|aussteller|rechnungsaussteller|leistungserbringer|proveedor|emisor>from|von",
        ),
        text(
            "customer_name",
            "customer|customer name|bill to|billed to|client|client name|sold to|buyer|invoice to|invoiced to|kunde|\
             rechnung an|rechnungsempfänger|rechnungsadresse|käufer|auftraggeber|cliente|facturar a>to|an|empfänger",
        ),
        amount(
            "subtotal",
            "subtotal|sub total|net amount|net total|total net|total excl vat|zwischensumme|nettobetrag|summe netto|\
             gesamt netto|gesamtbetrag netto|netto|net|base imponible|total before tax|amount before tax",
        ),
        amount(
            "tax_amount",
            "total tax|tax amount|vat amount|steuerbetrag|total vat|umsatzsteuerbetrag>tax|vat|sales tax|gst|mwst|ust|\
             mehrwertsteuer|umsatzsteuer|steuer|iva",
        ),
        text("tax_rate", "tax rate|vat rate|steuersatz|mwst satz|tipo de iva"),
        text("description", "description|beschreibung|subject|betreff|concepto"),
        text("notes", "notes|note|hinweis|anmerkung|anmerkungen|bemerkung|bemerkungen|remarks|notas"),
    ],
};

pub const RECEIPT: Vocabulary = Vocabulary {
    entity_type: "receipt",
    needs: &["receipt_number merchant_name", "amount_total", "date_purchased"],
    terms: &[
        text("merchant_name", "merchant|merchant name|store|shop|händler|geschäft|filiale|comercio"),
        amount(
            "amount_total",
            "amount total|total paid|amount paid|total amount|grand total|gesamtbetrag|zu zahlen|total eur|bezahlt|\
             gesamtsumme|importe total>total|summe|gesamt|endbetrag>amount|betrag",
        ),
        CURRENCY,
        date(
            "date_purchased",
            "date purchased|purchase date|date of purchase|kaufdatum|receipt date|belegdatum>date|datum|fecha",
        ),
        text(
            "receipt_number",
            "receipt number|receipt no|receipt|receipt nr|transaction no|bon nr|bonnummer|beleg nr|belegnummer|quittung nr|\
             quittungsnummer|receipt id|bon|recibo nº|nº de recibo",
        ),
        text(
            "payment_method",
            "payment method|paid by|paid with|payment|method of payment|zahlungsart|zahlart|bezahlt mit|bezahlung|\
             zahlung|zahlungsmittel|forma de pago",
        ),
        amount(
            "tax_amount",
            "total tax|tax amount|vat amount|steuerbetrag>tax|vat|sales tax|mwst|ust|iva|mehrwertsteuer",
        ),
        text("description", "description|beschreibung|purpose|zweck"),
        text("notes", "notes|note|hinweis|anmerkung|bemerkung"),
        text("category", "category|kategorie"),
    ],
};

pub const CONTRACT: Vocabulary = Vocabulary {
    entity_type: "contract",
    needs: &["contract_number name", "effective_date expiration_date signed_date parties"],
    terms: &[
        text(
            "name",
            "contract name|contract title|contract|agreement|vertrag|vertragsname|vertragstitel|vertragsgegenstand",
        ),
        text(
            "contract_number",
            "contract number|contract no|contract id|agreement number|agreement no|vertragsnummer|vertrags nr|vertragsnr|\
             contract ref|contract reference|aktenzeichen",
        ),
        text("parties", "parties|vertragsparteien|parteien|vertragspartner|contracting parties"),
        date(
            "effective_date",
            "effective date|effective|start date|commencement date|commencement|valid from|vertragsbeginn|beginn|gültig ab|\
             mietbeginn|laufzeit ab|inkrafttreten|in force from|startdatum|effective from",
        ),
        date(
            "expiration_date",
            "expiration date|expiry date|expires|expires on|end date|valid until|termination date|vertragsende|ende|\
             gültig bis|laufzeit bis|mietende|enddatum|expiry|befristet bis",
        ),
        date(
            "signed_date",
            "signed date|date signed|signed|signed on|signature date|date of signature|unterzeichnet am|unterschrieben am|\
             datum der unterzeichnung|vertragsdatum|unterzeichnungsdatum|contract date",
        ),
        text("status", "status|contract status|vertragsstatus"),
        text("type", "contract type|type of contract|vertragsart|vertragstyp|agreement type"),
        text("notes", "notes|note|hinweis|anmerkung|bemerkung|bemerkungen"),
    ],
};

pub const TASK: Vocabulary = Vocabulary {
    entity_type: "task",
    needs: &["title", "status due_date assignee priority"],
    terms: &[
        text("title", "task|title|task name|todo|to do|action|action item|aufgabe|titel|was|what|tarea"),
        text("status", "status|state|stand|estado"),
        text("description", "description|details|beschreibung"),
        text("priority", "priority|prio|priorität|prioridad"),
        text(
            "assignee",
            "assignee|assigned to|owner|responsible|who|zuständig|verantwortlich|bearbeiter|wer|zugewiesen an",
        ),
        text("project_id", "project|project id|projekt|projekt id|projektnummer"),
        date(
            "due_date",
            "due date|due|deadline|due by|due on|fällig|fällig am|fälligkeit|bis|frist|termin|bis wann|when|fälligkeitsdatum",
        ),
        date("completed_date", "completed date|completed|completed on|done on|erledigt am|abgeschlossen am"),
        text("tags", "tags|labels|schlagworte"),
        text("notes", "notes|note|notizen|notiz|anmerkung|bemerkung|comment|kommentar"),
    ],
};

pub const TRANSACTION: Vocabulary = Vocabulary {
    entity_type: "transaction",
    needs: &[
        "date posting_date",
        "amount amount_original",
        "merchant_name reference balance_after category account_id",
    ],
    terms: &[
        amount("amount", "amount|betrag|umsatz|importe|transaction amount|buchungsbetrag"),
        Term {
            field: "amount",
            reading: Reading::Debit,
            labels: "debit|withdrawal|withdrawals|paid out|money out|soll|belastung|debit amount|ausgang|ausgaben",
        },
        Term {
            field: "amount",
            reading: Reading::Credit,
            labels: "credit|deposit|deposits|paid in|money in|haben|gutschrift|credit amount|eingang|einnahmen",
        },
        amount("amount_original", "original amount|amount original|originalbetrag|ursprungsbetrag|foreign amount"),
        CURRENCY,
        Term { field: "sign", reading: Reading::Sign, labels: "debit credit|dr cr" },
        date("value_date", "value date"),
        text("check_number", "check no|cheque no"),
        date("date", "date|transaction date|trans date|datum|umsatzdatum|fecha"),
        date(
            "posting_date",
            "posting date|posted|posted date|date posted|booking date|buchungstag|buchungsdatum|buchung|post date",
        ),
        text(
            "merchant_name",
            "merchant|merchant name|payee|counterparty|beneficiary|name|payee name|empfänger|auftraggeber empfänger|\
             beguenstigter zahlungspflichtiger|begünstigter zahlungspflichtiger|zahlungsbeteiligter|händler|\
             name zahlungsbeteiligter|zahlungsempfänger|beneficiario",
        ),
        text("status", "status|state"),
        text("account_id", "account|account id|account number|account no|konto|kontonummer|auftragskonto"),
        text("category", "category|kategorie|categoría"),
        text("bank_provider", "bank|bank provider|bank name"),
        text(
            "reference",
            "reference|payment reference|ref|referenz>description|details|memo|narrative|transaction details|\
             verwendungszweck|concepto|transaction description",
        ),
        amount(
            "balance_after",
            "balance|running balance|balance after|saldo|kontostand|saldo nach buchung|account balance",
        ),
    ],
};

pub const PERSON: Vocabulary = Vocabulary {
    entity_type: "person",
    needs: &["name first_name last_name", "email phone organization role address"],
    terms: &[
        text(
            "name",
            "name|full name|contact|contact name|ansprechpartner|kontakt|vollständiger name|nombre|contact person",
        ),
        text("first_name", "first name|given name|firstname|vorname"),
        text("last_name", "last name|surname|family name|lastname|nachname|familienname"),
        text("email", "email|e mail|mail|email address|e mail address|e mail adresse|correo"),
        text(
            "phone",
            "phone|telephone|tel|mobile|phone number|cell|telefon|handy|mobil|mobiltelefon|telefonnummer|teléfono|mobile phone",
        ),
        text(
            "organization",
            "organization|organisation|company|employer|firma|unternehmen|works at|arbeitgeber|empresa",
        ),
        text("role", "role|position|job title|title|funktion|rolle|job|beruf"),
        text("address", "address|postal address|adresse|anschrift|home address|dirección"),
        text("country", "country|land|país"),
        text("website", "website|web|homepage|url|webseite"),
        text("external_id", "external id|contact id|person id|personalnummer|employee id|id"),
        text("notes", "notes|note|notizen|notiz|bemerkung|anmerkung|comment"),
    ],
};

pub const COMPANY: Vocabulary = Vocabulary {
    entity_type: "company",
    needs: &["name", "website industry legal_name email phone address country"],
    terms: &[
        text(
            "name",
            "company|company name|firma|firmenname|unternehmen|organization|organisation|name|empresa|supplier",
        ),
        text("legal_name", "legal name|registered name|firmierung|legal entity|rechtlicher name"),
        text("website", "website|web|homepage|url|webseite|internet"),
        text("email", "email|e mail|mail|email address|e mail adresse"),
        text("phone", "phone|telephone|tel|telefon|phone number|telefonnummer"),
        text("address", "address|registered office|adresse|anschrift|sitz|registered address|headquarters"),
        text("country", "country|land|país"),
        text("industry", "industry|sector|branche|sektor"),
        text("type", "company type|legal form|rechtsform"),
        text("description", "description|beschreibung|about|business|geschäftszweck"),
        text("external_id", "external id|company id|registration number|company number|handelsregisternummer|id"),
    ],
};

pub const NOTE: Vocabulary = Vocabulary {
    entity_type: "note",
    needs: &["title", "content"],
    terms: &[
        text("title", "title|titel|subject|betreff|topic|thema|heading"),
        text("content", "content|text|body|inhalt|note|notiz"),
        text("tags", "tags|labels|schlagworte|stichworte"),
        text("source", "source|quelle"),
        date("created_date", "created|created date|date created|created on|date|datum|erstellt|erstellt am|vom"),
        date("updated_date", "updated|updated date|last updated|modified|geändert am|aktualisiert|zuletzt geändert"),
        text("summary", "summary|zusammenfassung|abstract"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_compared_without_case_punctuation_and_currency() {
        check("Rechnungs-Nr.:", "rechnungs nr");
        check("  INVOICE   No. ", "invoice no");
        check("Invoice #", "invoice no");
        check("Betrag in EUR", "betrag");
        check("Total (incl. VAT)", "total");
        check("invoice_number", "invoice number");
        check("invoiceNumber", "invoice number");
        check("Auftraggeber/Empfänger", "auftraggeber empfänger");
    }

    #[test]
    fn more_telling_words_rank_higher() {
        let due = INVOICE.terms.iter().find(|term| term.field == "amount_due").unwrap();
        assert!(due.rank("amount due") < due.rank("grand total"));
        assert!(due.rank("grand total") < due.rank("total"));
        assert_eq!(due.rank("subtotal"), None);
    }

    #[track_caller]
    fn check(label: &str, expected: &str) {
        assert_eq!(normal(label), expected);
    }
}
