//! Dutch.

use super::{Language, Title};

pub const NL: Language = Language {
    code: "nl",
    common: "de het een en van is voor op met in te dat niet aan er om bij door uw wij zijn wordt naar u ons onze deze dit als tot binnen \
             graag over worden heeft",
    months: "januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|september sep sept|oktober okt|november nov|december dec",
    weekdays: "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag ma di wo do vr za zo",
    labels: &[
        (
            "invoice.invoice_number",
            "factuurnummer|factuurnr|factuur nr|factuur nummer|nota nummer|notanummer|nota nr|creditnota nr|creditnotanummer|\
             creditnummer|aanslagnummer|factuur no>nummer|nr|documentnummer",
        ),
        (
            "invoice.invoice_date",
            "factuurdatum|datum factuur|notadatum|dagtekening|creditdatum|datum creditnota>datum|d d",
        ),
        (
            "invoice.amount_due",
            "te betalen|te voldoen|totaal te betalen|totaal te voldoen|te betalen bedrag|te betalen saldo|openstaand bedrag|saldo te betalen|\
             nog te betalen|openstaand saldo|openstaand|door u te betalen|restbedrag|nog te voldoen|te crediteren|terug te ontvangen>totaal incl|totaal incl btw|totaal inclusief btw|\
             factuurbedrag|totaalbedrag|eindtotaal|totaal inclusief|factuurtotaal|totaal incl 21% btw>totaal|bedrag|totaal eur",
        ),
        (
            "invoice.date_due",
            "vervaldatum|vervaldag|te betalen voor|te betalen vóór|uiterste betaaldatum|betalen voor|betaaldatum|uiterlijk te betalen|\
             te voldoen voor|betaal voor|te voldoen vóór|uiterste betaaldag|te betalen uiterlijk op|incassodatum",
        ),
        ("invoice.vendor_name", "leverancier|verkoper|opdrachtnemer"),
        ("invoice.customer_name", "klant|factuur aan|aan|debiteur|opdrachtgever|factuuradres|koper|klantnaam|lid"),
        (
            "invoice.subtotal",
            "subtotaal|totaal excl|totaal excl btw|totaal exclusief btw|netto|bedrag excl btw|totaal netto|nettobedrag|maatstaf van heffing|subtotaal excl btw",
        ),
        ("invoice.tax_amount", "btw|btw bedrag|totaal btw|omzetbelasting"),
        (
            "receipt.amount_total",
            "totaal te betalen|te betalen|totaal|totaalbedrag|totaal eur|te voldoen|bedrag|totaal incl btw",
        ),
        (
            "receipt.receipt_number",
            "bon|bonnr|bonnummer|bon nr|transactie|kassabon|transactienummer|ticket|ticketnr|kassaticket|bon nummer",
        ),
        ("receipt.tax_amount", "btw|waarvan btw|totaal btw|btw bedrag"),
        ("receipt.payment_method", "betaalwijze|betaald met|betaling|betaalmethode|betaald per"),
        ("receipt.date_purchased", "datum|datum aankoop"),
        (
            "transaction.merchant_name",
            "naam omschrijving|naam tegenpartij|tegenpartij|naam|omschrijving|naam begunstigde|begunstigde|naam tegenrekening|tegenpartij naam",
        ),
        (
            "transaction.reference",
            "mededelingen|mededeling|betalingskenmerk|omschrijving 1|vrije mededeling|kenmerk|details",
        ),
        ("transaction.debit", "af|debet|uitgaven|uit|afschrijving"),
        ("transaction.credit", "bij|credit|inkomsten|bijschrijving"),
        ("transaction.amount", "bedrag|bedrag eur|transactiebedrag|bedrag in eur"),
        ("transaction.sign", "af bij|bij af|debet credit|af of bij|d c"),
        ("transaction.date", "datum|transactiedatum|boekdatum"),
        ("transaction.posting_date", "boekingsdatum|uitvoeringsdatum|verwerkingsdatum|datum boeking"),
        ("transaction.value_date", "rentedatum|valutadatum|valuta datum"),
        ("transaction.balance_after", "saldo|saldo na mutatie|saldo na boeking|saldo na trn"),
        ("transaction.category", "soort|mutatiesoort|type|categorie|transactiesoort"),
        ("transaction.account_id", "rekening|rekeningnummer|iban bban|eigen rekening"),
        ("transaction.currency", "munt|valuta|muntsoort"),
        ("account.holder_name", "rekeninghouder|ten name van|tnv|t n v|op naam van"),
        ("account.account_number", "rekeningnummer"),
        ("contract.contract_number", "contractnummer|overeenkomstnummer|contract nr|overeenkomst nr|kenmerk"),
        ("contract.effective_date", "ingangsdatum|begindatum|aanvangsdatum|startdatum"),
        ("contract.expiration_date", "einddatum|afloopdatum"),
        ("meeting.date", "datum|d d"),
        ("meeting.start_time", "aanvang|begin|tijd|tijdstip|aanvangstijd|begintijd"),
        ("meeting.end_time", "einde|sluiting|eindtijd"),
        ("meeting.location", "plaats|locatie|waar"),
        ("meeting.attendees", "aanwezig|aanwezigen|deelnemers|present|aanwezig waren"),
        (
            "meeting.absent",
            "afwezig|afgemeld|afmeldingen|verhinderd|met kennisgeving afwezig|afwezig met kennisgeving|bericht van verhindering|verontschuldigd",
        ),
        ("meeting.chair", "voorzitter|voorgezeten door"),
        ("meeting.minutes_by", "notulist|notulen|verslag|notuliste|verslaglegging|secretaris"),
        ("meeting.next_meeting", "volgende vergadering|volgend overleg|volgende bijeenkomst"),
        ("event.when", "wanneer|datum en tijd"),
        ("event.location", "waar|locatie|plaats"),
        ("event.organizer", "organisatie|georganiseerd door|organisator"),
        ("person.name", "naam|volledige naam|contactpersoon"),
        ("person.first_name", "voornaam"),
        ("person.last_name", "achternaam|familienaam"),
        ("person.email", "e mail|mail|e mailadres|email"),
        ("person.phone", "telefoon|tel|mobiel|telefoonnummer|gsm"),
        ("person.organization", "bedrijf|organisatie|werkgever|firma"),
        ("person.role", "functie|rol"),
        ("company.name", "bedrijfsnaam|bedrijf|naam bedrijf"),
        ("task.title", "taak|actie|actiepunt|wat|titel"),
        ("task.assignee", "wie|verantwoordelijke|eigenaar|actiehouder|toegewezen aan"),
        ("task.due_date", "wanneer|deadline|voor|gereed|uiterlijk|datum gereed"),
        ("task.status", "status|stand"),
        ("task.priority", "prioriteit"),
    ],
    others: "uw ref|uw referentie|klantnummer|klantnr|kvk|btw nr|bic|ond nr|debiteurnummer|debiteurennummer|ordernummer|onze referentie|\
             uw kenmerk|ons kenmerk|behandelaar|verzonden|uw aanvraag|onderwerp|tegenrekening|code|voorschot|reeds betaald|wisselgeld|contant|\
             gestructureerde mededeling|periode|meterstand|ean|beginsaldo|eindsaldo|korting|relatienummer|project|opdracht",
    titles: &[
        (
            Title::Invoice,
            "factuur|nota|afrekening|jaarafrekening|jaarlijkse afrekening|aanslag|contributienota|rekening|declaratie|eindafrekening|belastingaanslag|aanslagbiljet|verzamelfactuur",
        ),
        (Title::CreditNote, "creditnota|creditfactuur|kredietnota"),
        (Title::Reminder, "herinnering|aanmaning|betalingsherinnering|ingebrekestelling|laatste aanmaning"),
        (Title::Receipt, "kassabon|bon|kwitantie|kasticket|kassaticket|betaalbewijs"),
        (
            Title::Contract,
            "overeenkomst|contract|arbeidsovereenkomst|huurovereenkomst|huurcontract|koopovereenkomst|vaststellingsovereenkomst|samenwerkingsovereenkomst|opdrachtovereenkomst|bruikleenovereenkomst|onderhoudscontract|geheimhoudingsovereenkomst",
        ),
        (Title::Minutes, "notulen|verslag|vergaderverslag|notulen van|besluitenlijst|verslag van de vergadering"),
    ],
    taxes: "btw|omzetbelasting",
    tax_fillers: "incl|inclusief|waarvan|over|hoog|laag|tarief|plus",
    days: "dagen|dgn|dagen na factuurdatum",
    honorifics: "dhr.|dhr|mevr.|mevr|mw.|mw|heer|mevrouw|drs.|ir.|mr.|dr.|prof.|ing.|fam.|familie|meneer|juffrouw",
    legal_forms: "B.V.|BV|N.V.|NV|V.O.F.|VOF|CV|cv|C.V.|BVBA|bvba|CVBA|vzw|VZW|U.A.|bv|nv|vof|U.A",
    organisations: "stichting|gemeente|vereniging|vve|waterschap|bakkerij|school|basisschool|universiteit|woonstichting|kerk|\
                    garagebedrijf|boekhandel|apotheek|restaurant|hotel|bank|huisartsenpraktijk|tandartspraktijk|provincie|belastingdienst|\
                    praktijk|installatiebedrijf|schildersbedrijf|drukkerij|administratiekantoor|makelaardij|watermaatschappij|sportclub|college|\
                    zwembad|koor|scouting|kinderopvang|bibliotheek|notariskantoor|hoveniersbedrijf|fietsenmaker|slagerij",
    closings: "met vriendelijke groet|met vriendelijke groeten|groet|groeten|hartelijke groet|hoogachtend|mvg|vriendelijke groet|vriendelijke groeten|\
               hartelijke groeten|groetjes|bedankt|met hartelijke groet|met hoogachting",
    roles: "voorzitter|penningmeester|secretaris|directeur|medewerker|bestuurslid|eigenaar|beheerder|wethouder|burgemeester|beleidsmedewerker|\
            projectleider|administratie|bestuurder|zaakvoerder|manager|accountmanager|vicevoorzitter|rector|hoofd",
    begins: "gaat in op|treedt op|met ingang van|vanaf|ingaande op|ingaande|vangt aan op|begint op|start op|in werking op|ingaand op|loopt van|per|van",
    ends: "eindigt op|tot en met|t/m|eindigt van rechtswege op|loopt tot|eindigend op|tot|loopt tot en met|eindigt derhalve van rechtswege op",
    quoting: "schreef:|oorspronkelijk bericht|doorgestuurd bericht|van:|verzonden:|schreef het volgende",
    streets: "-straat|-laan|-weg|-plein|-dreef|-kade|-singel|-pad|-gracht|-steeg|-hof|straat|laan|weg|plein|\
             postbus|-dijk|-markt|-baan|-lei",
    name_labels: "naam|bedrijfsnaam",
    vat: "btw-nummer|btw-nr|btw nr|btw-id|btw|ond.nr|ondernemingsnummer|ond. nr",
    tax_ids: "bsn|rsin",
    registers: "kvk-nummer|kvk nummer|kvk-nr|kvk nr|kvk|k.v.k",
    represented: "vertegenwoordigd door|hierbij vertegenwoordigd door|rechtsgeldig vertegenwoordigd door",
    between: "tussen",
    ands: "en",
    subjects: "onderwerp|betreft|inzake",
    greetings: "geachte|beste|dag|hallo|hoi|lieve",
    opened: "aanvang|opent om|begint om|start om|geopend om|opent de vergadering om|tijd",
    closed: "sluit om|eindigt om|gesloten om|sluiting|einde|sluit de vergadering om",
    by: "voor|vóór|uiterlijk|tot|per|gereed|uiterlijk op",
    actions: "acties|actiepunten|actielijst|taken|te doen",
    paid: "overgemaakt|betaald|overboeking van|betaling van",
    held: "in het|in de|zaal|plaats|locatie",
    called: "vergadering|-vergadering|bijeenkomst|feest|-feest|overleg|excursie|avond|-avond|borrel|-dag|workshop|\
             kick-off",
};
