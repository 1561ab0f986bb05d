//! German.

use super::{Language, Title};

pub const DE: Language = Language {
    code: "de",
    common: "der die das und ist für von mit auf den dem des ein eine einer einem nicht sie wir zu im zum zur bis am bei ihre ihr \
             ihnen unser unsere auch wird werden haben sind oder nach aus als",
    months: "januar jan jänner jän|februar feb feber|märz mär mrz maerz|april apr|mai|juni jun|juli jul|august aug|september sep sept|\
             oktober okt|november nov|dezember dez",
    weekdays: "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so",
    labels: &[
        (
            "invoice.invoice_number",
            "rechnungsnummer|rechnungs nr|rechnung nr|rechnungsnr|re nr|rg nr|rechnung nummer|rechn nr|fakturanummer|faktura nr|\
             gutschriftsnummer|gutschrift nr|gutschriftnummer|bescheidnummer|belegnummer rechnung>beleg nr|belegnr|belegnummer|kassenzeichen",
        ),
        (
            "invoice.invoice_date",
            "rechnungsdatum|rechnung vom|ausstellungsdatum|ausgestellt am|belegdatum|datum der rechnung|gutschriftsdatum|bescheiddatum>\
             datum",
        ),
        (
            "invoice.amount_due",
            "zu zahlen|zahlbetrag|offener betrag|restbetrag|nachzahlung|zahllast|zu zahlender betrag|noch zu zahlen|offener gesamtbetrag|\
             zu überweisen|zu überweisender betrag|verbleibender betrag|restforderung|gesamtforderung|offene forderung|gutschriftsbetrag|\
             gutschriftbetrag|erstattungsbetrag|endbetrag zu zahlen|fälliger betrag|gutschriftsbetrag brutto|zahlbetrag brutto>\
             rechnungsbetrag|gesamtbetrag|gesamtsumme|endbetrag|bruttobetrag|summe brutto|gesamt brutto|rechnungsendbetrag|\
             gesamtbetrag brutto|rechnungssumme|total brutto|rechnungsbetrag brutto|betrag brutto|total inkl mwst>total|gesamt|summe",
        ),
        (
            "invoice.date_due",
            "fällig am|fälligkeit|fälligkeitsdatum|zahlbar bis|zahlungsziel bis|zahlbar bis zum|zu zahlen bis|fällig|zahlungsfrist|\
             abbuchung am|einzug am|zahlungstermin|spätestens zu zahlen bis|zu zahlen bis zum|bitte zahlen bis",
        ),
        ("invoice.vendor_name", "rechnungssteller|lieferant|verkäufer|leistungserbringer|auftragnehmer|aussteller"),
        (
            "invoice.customer_name",
            "kunde|kundin|rechnungsempfänger|rechnung an|rechnungsadresse|auftraggeber|käufer|empfänger|mitglied|versicherungsnehmer|\
             vertragspartner|zahlungspflichtiger|rechnungsanschrift",
        ),
        (
            "invoice.subtotal",
            "nettobetrag|summe netto|gesamt netto|zwischensumme|netto|nettosumme|total netto|netto gesamt|rechnungsbetrag netto|\
             gesamtbetrag netto|warenwert|nettowert|betrag netto|total exkl mwst|summe nettobeträge",
        ),
        ("invoice.tax_amount", "mwst|ust|umsatzsteuer|mehrwertsteuer|mwst betrag|steuerbetrag|summe mwst|mwst gesamt"),
        ("receipt.amount_total", "summe|gesamt|total|zu zahlen|gesamtbetrag|endbetrag|gesamtsumme|betrag|summe eur"),
        (
            "receipt.receipt_number",
            "bon|bon nr|bonnummer|beleg nr|belegnummer|beleg|quittung nr|rechnung nr|rechnungs nr|kassenbon nr|bonnr|belegnr|re nr",
        ),
        ("receipt.tax_amount", "mwst|enthaltene mwst|darin enthaltene mwst|ust|mwst gesamt|summe mwst|steuer gesamt"),
        (
            "transaction.merchant_name",
            "auftraggeber zahlungsempfänger|empfänger|auftraggeber|name|zahlungsempfänger|begünstigter zahlungspflichtiger|\
             auftraggeber empfänger|zahlungsbeteiligter|name zahlungsbeteiligter|empfänger auftraggeber|gegenpartei|partner|partnername|\
             zahlungsempfänger auftraggeber|beschreibung|buchungstext name|beguenstigter zahlungspflichtiger",
        ),
        (
            "transaction.reference",
            "verwendungszweck|vorgang verwendungszweck|buchungsdetails|zahlungszweck|buchungstext|zahlungsreferenz|betreff>mitteilung|text",
        ),
        ("transaction.debit", "soll|belastung|lastschrift|ausgang|ausgaben|abgang|belastungen"),
        ("transaction.credit", "haben|gutschrift|eingang|einnahmen|zugang|gutschriften"),
        ("transaction.amount", "betrag|umsatz|umsatz in eur|betrag in eur"),
        ("transaction.sign", "soll haben|s h|soll haben kennzeichen|sh|vorzeichen|kennzeichen"),
        ("transaction.date", "datum|umsatzdatum"),
        ("transaction.posting_date", "buchungstag|buchungsdatum|buchung|gebucht am|bu tag"),
        ("transaction.value_date", "valuta|wertstellung|valutadatum|wert|wertstellungsdatum"),
        ("transaction.balance_after", "saldo|kontostand|saldo nach buchung|neuer saldo"),
        ("transaction.category", "kategorie|umsatzart|buchungsart|vorgang"),
        ("transaction.currency", "währung|waehrung"),
        ("account.holder_name", "kontoinhaber|inhaber|kontoinhaberin"),
        ("account.account_number", "kontonummer|konto nr|konto"),
        ("contract.contract_number", "vertrags nr|vertragsnummer|vertragsnr|vertrag nr|mandatsnummer|aktenzeichen"),
        ("contract.effective_date", "vertragsbeginn|beginn|mietbeginn|laufzeitbeginn|gültig ab|versicherungsbeginn"),
        (
            "contract.expiration_date",
            "vertragsende|ende|mietende|laufzeitende|gültig bis|versicherungsablauf|befristet bis",
        ),
        ("meeting.date", "datum|termin|sitzung am|tag"),
        ("meeting.start_time", "beginn|anfang|start|uhrzeit|sitzungsbeginn"),
        ("meeting.end_time", "ende|schluss|sitzungsende|schluss der sitzung"),
        ("meeting.location", "ort|sitzungsort|tagungsort|raum|wo"),
        (
            "meeting.attendees",
            "anwesend|anwesende|teilnehmer|teilnehmende|teilnehmerinnen|teilgenommen haben|anwesend waren|mitglieder",
        ),
        ("meeting.absent", "entschuldigt|abwesend|entschuldigt fehlend|es fehlen|unentschuldigt|nicht anwesend"),
        (
            "meeting.chair",
            "leitung|sitzungsleitung|versammlungsleitung|vorsitz|moderation|sitzungsleiter|versammlungsleiter",
        ),
        (
            "meeting.minutes_by",
            "protokoll|schriftführung|protokollführung|protokollant|protokollantin|schriftführer|protokollführer",
        ),
        ("meeting.next_meeting", "nächste sitzung|nächstes treffen|nächster termin|nächste versammlung"),
        ("event.when", "wann|termin|zeit|datum und uhrzeit"),
        ("event.location", "wo|ort|veranstaltungsort|treffpunkt"),
        ("event.organizer", "veranstalter|veranstalterin|organisation|ausrichter"),
        ("person.email", "e mail|mail|e mail adresse"),
        ("person.phone", "telefon|tel|mobil|handy"),
        ("person.role", "funktion|amt|rolle|position|aufgabe"),
        ("task.title", "aufgabe|was|titel|maßnahme|to do|todo"),
        ("task.assignee", "wer|zuständig|verantwortlich|bearbeiter|zuständigkeit"),
        ("task.due_date", "bis|bis wann|fällig|frist|termin|fällig am"),
        ("task.status", "status|stand|zustand"),
    ],
    others: "ihre bestellung|kundennr|kd nr|kunden nr|kundennummer|leistungszeitraum|leistungsdatum|lieferdatum|zu rechnung|\
             benutzernummer|zählernummer|zähler|anzahlung|bankverbindung|finanzamt|st nr|steuernummer|ust idnr|\
             uid nr|gegeben|rückgeld|rueckgeld|gegeben bar|geschäftszeichen|unser zeichen|ihr zeichen|anfangssaldo|endsaldo|lieferschein|\
             lieferschein nr|auftrags nr|auftragsnummer|zeitraum|bearbeiter|ansprechpartner|vertragskonto|mandatsreferenz|gläubiger id",
    titles: &[
        (
            Title::Invoice,
            "rechnung|jahresabrechnung|abrechnung|faktura|honorarnote|liquidation|beitragsrechnung|gebührenbescheid|bescheid|schlussrechnung|teilrechnung|honorarrechnung|verbrauchsabrechnung|jahresrechnung|beitragsbescheid|steuerbescheid|abschlagsrechnung",
        ),
        (Title::CreditNote, "gutschrift|stornorechnung|rechnungskorrektur|korrekturrechnung|storno"),
        (Title::Reminder, "mahnung|zahlungserinnerung|letzte mahnung"),
        (Title::Receipt, "quittung|kassenbon|kassenbeleg|bon|barquittung|kaufbeleg|kassenzettel|beleg|barverkauf"),
        (
            Title::Contract,
            "vertrag|mietvertrag|arbeitsvertrag|dienstvertrag|kaufvertrag|werkvertrag|vereinbarung|pachtvertrag|wartungsvertrag|leihvertrag|rahmenvertrag|darlehensvertrag|honorarvertrag|nutzungsvertrag|geheimhaltungsvereinbarung|kooperationsvertrag|servicevertrag|untermietvertrag|aufhebungsvertrag|ausbildungsvertrag",
        ),
        (
            Title::Minutes,
            "protokoll|sitzungsprotokoll|ergebnisprotokoll|niederschrift|versammlungsprotokoll|gesprächsnotiz|protokoll der",
        ),
    ],
    taxes: "mwst|ust|mehrwertsteuer|umsatzsteuer|mwst.|ust.",
    tax_fillers: "zzgl|zuzüglich|inkl|inklusive|davon|enthaltene|enthält|enth|darin|enthalten|gesetzl|der|gesetzliche|plus|auf|aus|von|in|a|b",
    days: "tage|tagen|tage netto|kalendertage",
    honorifics: "herr|herrn|frau|hr.|fr.|dr.|prof.|dipl.-ing.|mag.|mag|familie|eheleute|fam.|dr|prof|ing.|z.hd.|z.|hd.",
    legal_forms: "GmbH|mbH|AG|KG|OHG|UG|e.K.|eK|GbR|e.V.|eG|PartG|PartGmbB|SE|AöR|KGaA|e.Kfr.|gGmbH|e.U.|OG|KdöR|GesbR|Stiftung|eV|e.G.|Co. KG",
    organisations: "schule|grundschule|gymnasium|verein|stiftung|stadtwerke|stadtbücherei|stadt|gemeinde|landkreis|kirchengemeinde|\
                    praxis|universität|verband|kindergarten|kita|amt|bundesamt|finanzamt|musikschule|volkshochschule|förderverein|\
                    tischlerei|bäckerei|gärtnerei|buchhandlung|apotheke|werkstatt|hausverwaltung|bank|sparkasse|wohnbau|kleingartenverein|\
                    autohaus|elektro|malerbetrieb|dachdeckerei|büro|kanzlei|tierarztpraxis|zahnarztpraxis|museum|feuerwehr|turnverein|\
                    sportverein|chor|kantorei|genossenschaft|hof|hofladen|gasthaus|gasthof|restaurant|hotel|reederei|landratsamt|studio",
    closings: "mit freundlichen grüßen|mit freundlichem gruß|freundliche grüße|viele grüße|beste grüße|herzliche grüße|mit besten grüßen|\
               mfg|liebe grüße|gruß|grüße|hochachtungsvoll|schöne grüße|freundlicher gruß|mit freundlicher empfehlung|freundliche grüsse|mit freundlichen grüssen",
    roles: "vorsitzende|vorsitzender|1 vorsitzender|1 vorsitzende|kassenwart|kassenwartin|kassierer|schriftführer|schriftführerin|schulleiter|\
            schulleiterin|geschäftsführer|geschäftsführerin|vorstand|leiter|leiterin|inhaber|inhaberin|prokurist|sachbearbeiter|\
            sachbearbeiterin|klassenlehrerin|klassenlehrer|hausverwalter|kasse|schriftführung|direktor|direktorin|bürgermeister|bürgermeisterin|\
            pfarrer|pfarrerin|buchhaltung|präsident|präsidentin|stellv vorsitzende|2 vorsitzender|2 vorsitzende",
    begins: "beginnt am|ab dem|mit wirkung vom|tritt am|vom|beginnend am|ab|beginn am|gilt ab|gilt ab dem|mit wirkung zum|zum|läuft ab|gilt vom|läuft vom|beginn der",
    ends: "endet am|bis zum|befristet bis|bis|endet mit ablauf des|läuft bis|bis einschließlich|endet zum|endet spätestens am",
    quoting: "schrieb:|ursprüngliche nachricht|weitergeleitete nachricht|von:|gesendet:",
    streets: "-straße|-strasse|-str|-weg|-platz|-allee|-gasse|-ufer|-ring|-damm|-graben|-hof|-markt|str|straße|weg|\
             platz|allee|gasse|am|an|postfach|-chaussee|-berg|-steig|im|zum|zur|auf",
    name_labels: "name|firma|firmenname",
    vat: "ust-idnr|ust-id-nr|ust-id|ustid|ust idnr|uid-nr|uid|umsatzsteuer-id|\
             umsatzsteuer-identifikationsnummer|mwst-nr|atu",
    tax_ids: "st.-nr|st-nr|steuernummer|steuer-nr|steuernr|steuer-id|st. nr",
    registers: "hrb|hra|gnr|vr|fn|handelsregister|registernummer",
    represented: "vertreten durch|vertreten durch den|vertreten durch die",
    between: "zwischen",
    ands: "und",
    subjects: "betreff|betr|betrifft|thema",
    greetings: "sehr geehrte|sehr geehrter|liebe|lieber|guten tag|hallo|guten morgen",
    opened: "beginn|eröffnet um|eröffnet die sitzung um|begann um|beginnt um|sitzungsbeginn|von",
    closed: "ende|endete um|geschlossen um|schließt die sitzung um|schluss|schloss um|beendet um|endet um",
    by: "bis|bis zum|bis spätestens|fällig am|fällig|spätestens|bis zur",
    actions: "aufgaben|maßnahmen|offene punkte|nächste schritte|to-do|todo|zu erledigen",
    paid: "überwiesen|bezahlt|gezahlt|überweisung von|angewiesen|überweise",
    held: "im|in der|in unserer|in unserem|ort",
    called: "versammlung|-versammlung|sitzung|-sitzung|treffen|-treffen|fest|-fest|-nacht|feier|-feier|abend|\
             -abend|ausflug|seminar|-termin|besprechung|-tag",
};
