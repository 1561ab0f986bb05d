//! Italian.

use super::{Language, Title};

pub const IT: Language = Language {
    code: "it",
    common: "il lo la i gli le di del della dei e è per con in un una che non si da al alla dal nel sono su questo questa ha delle ai ed o",
    months: "gennaio gen|febbraio feb febbr|marzo mar|aprile apr|maggio mag|giugno giu|luglio lug|agosto ago|settembre set sett|ottobre ott|\
             novembre nov|dicembre dic",
    weekdays: "lunedì martedì mercoledì giovedì venerdì sabato domenica lun mar mer gio ven sab dom",
    labels: &[
        (
            "invoice.invoice_number",
            "fattura n|fattura nr|numero fattura|n fattura|fattura numero|nr fattura|fattura n°|fattura nº|n° fattura|parcella n|\
             nota di credito n|avviso n|bolletta n|numero bolletta|nr fatt|fatt n|fattura elettronica n|avviso di pagamento n>numero|n|nr|n documento|\
             numero documento|documento n|n° documento|doc n",
        ),
        (
            "invoice.invoice_date",
            "data fattura|data di emissione|data emissione|data della fattura|emessa il|data documento|fattura del|del>data|lì",
        ),
        (
            "invoice.amount_due",
            "netto a pagare|totale da pagare|da pagare|totale dovuto|importo da pagare|importo dovuto|totale a pagare|saldo da pagare|netto a pagarsi|\
             importo da versare|a saldo|resta da pagare|totale da versare|saldo|netto da pagare|totale netto a pagare|residuo da pagare|importo a debito>\
             totale fattura|totale documento|totale bolletta|totale complessivo|totale ivato|totale iva inclusa|totale generale|importo totale|\
             totale documento eur|totale fattura eur|totale nota di credito>totale|importo",
        ),
        (
            "invoice.date_due",
            "scadenza|data scadenza|da pagare entro|da pagare entro il|pagare entro il|scadenza pagamento|entro il|data di scadenza|\
             scad|scadenze|pagamento entro|termine di pagamento|pagamento entro il|data addebito",
        ),
        ("invoice.vendor_name", "fornitore|cedente prestatore|emittente|prestatore|cedente"),
        (
            "invoice.customer_name",
            "cliente|spett le|spettle|destinatario|intestatario|cessionario committente|committente|fatturare a|gentle|gentile cliente|intestata a|spett|cessionario",
        ),
        (
            "invoice.subtotal",
            "imponibile|totale imponibile|imponibile iva|subtotale|netto|totale netto|base imponibile|totale merce|importo netto|totale servizi|totale parziale",
        ),
        ("invoice.tax_amount", "iva|totale iva|importo iva|imposta|totale imposta|i v a|di cui iva"),
        (
            "receipt.amount_total",
            "totale complessivo|totale|importo pagato|totale euro|totale eur|importo totale|totale da pagare|totale €|totale documento",
        ),
        (
            "receipt.receipt_number",
            "documento n|scontrino n|doc n|ricevuta n|numero documento|documento commerciale n|scontrino|ricevuta|n scontrino|ricevuta nr|doc|docn|ricevuta fiscale n|ndoc",
        ),
        ("receipt.tax_amount", "di cui iva|iva|totale iva|importo iva|dicuiiva"),
        ("receipt.payment_method", "pagamento|modalità di pagamento|pagato con|metodo di pagamento|tipo pagamento"),
        ("receipt.date_purchased", "data|data acquisto|data e ora"),
        (
            "transaction.merchant_name",
            "descrizione|descrizione operazione|causale|beneficiario|operazione|controparte|descrizione movimento|dettagli|descrizione estesa|ordinante beneficiario",
        ),
        ("transaction.reference", "riferimento|note|causale abi|causale pagamento"),
        ("transaction.debit", "dare|addebiti|uscite|addebito|importo dare|movimenti dare|uscita"),
        ("transaction.credit", "avere|accrediti|entrate|accredito|importo avere|movimenti avere|entrata"),
        ("transaction.amount", "importo|importo eur|importo €|importo in eur|importo in euro"),
        ("transaction.sign", "segno|dare avere|d a"),
        ("transaction.date", "data|data movimento"),
        ("transaction.posting_date", "data contabile|data operazione|data registrazione|data op|data contab"),
        ("transaction.value_date", "data valuta|valuta data"),
        ("transaction.balance_after", "saldo|saldo contabile|saldo progressivo|saldo disponibile"),
        ("transaction.category", "categoria|tipo|tipologia|tipo operazione"),
        ("transaction.currency", "divisa|valuta"),
        ("account.holder_name", "intestatario|intestatari|intestato a|intestatario conto"),
        ("account.account_number", "conto|numero conto|conto corrente|n conto|conto n|rapporto"),
        ("contract.contract_number", "contratto n|numero contratto|contratto nr|rep n|n contratto"),
        ("contract.effective_date", "decorrenza|data di decorrenza|inizio|data inizio|data di inizio"),
        ("contract.expiration_date", "scadenza contratto|termine|data fine|fine|data di scadenza contratto"),
        ("meeting.date", "data|giorno"),
        ("meeting.start_time", "ora inizio|inizio|ore|apertura|ora di inizio|orario|inizio ore|apertura della seduta"),
        ("meeting.end_time", "fine|chiusura|ora fine|termine|fine ore|chiusura della seduta"),
        ("meeting.location", "luogo|sede|dove"),
        ("meeting.attendees", "presenti|partecipanti|sono presenti|intervenuti|presente|consiglieri presenti"),
        (
            "meeting.absent",
            "assenti|assenti giustificati|assente|giustificati|assente giustificato|assenti giustificate|hanno giustificato l'assenza",
        ),
        ("meeting.chair", "presiede|presidente|presidente della seduta|presiede la seduta"),
        (
            "meeting.minutes_by",
            "segretario verbalizzante|segretario|verbalizzante|verbale redatto da|redige il verbale|segretaria",
        ),
        ("meeting.next_meeting", "prossima riunione|prossimo incontro|prossima assemblea|prossima seduta"),
        ("event.when", "quando|data e ora"),
        ("event.location", "dove|luogo"),
        ("event.organizer", "organizza|organizzatore|a cura di|organizzato da"),
        ("person.name", "nome|nominativo|nome e cognome|referente"),
        ("person.first_name", "nome di battesimo"),
        ("person.last_name", "cognome"),
        ("person.email", "e mail|mail|posta elettronica|email"),
        ("person.phone", "telefono|tel|cellulare|cell"),
        ("person.organization", "azienda|società|ente|organizzazione|ditta"),
        ("person.role", "ruolo|carica|funzione|qualifica"),
        ("company.name", "ragione sociale|denominazione|azienda|ditta"),
        ("task.title", "attività|compito|azione|titolo|cosa"),
        ("task.assignee", "responsabile|chi|assegnato a|incaricato"),
        ("task.due_date", "scadenza|entro|entro il|termine|quando"),
        ("task.status", "stato|situazione"),
        ("task.priority", "priorità"),
    ],
    others: "p iva|piva|partita iva|cf|codice fiscale|pec|oggetto|ritenuta d'acconto|banca|codice cliente|ordine|ddt|pod|pdr|contributo|acconto|\
             contante|resto|rt|modalità di pagamento|codice destinatario|rif|vs ordine|vs rif|bollo|saldo iniziale|saldo finale|periodo|\
             quantità|prezzo|sconto|pagamento|codice univoco|lotteria|cig|cup|periodo di riferimento|recapito",
    titles: &[
        (
            Title::Invoice,
            "fattura|parcella|bolletta|avviso di pagamento|notula|proforma|fattura elettronica|nota spese|quota associativa|fattura accompagnatoria|avviso di scadenza|tassa rifiuti|ricevuta di prestazione|fattura proforma",
        ),
        (Title::CreditNote, "nota di credito|nota di accredito"),
        (Title::Reminder, "sollecito|sollecito di pagamento|diffida"),
        (Title::Receipt, "scontrino|documento commerciale|ricevuta|ricevuta fiscale|scontrino fiscale"),
        (
            Title::Contract,
            "contratto|accordo|convenzione|contratto di locazione|comodato|scrittura privata|contratto di|locazione|contratto di lavoro",
        ),
        (
            Title::Minutes,
            "verbale|verbale di assemblea|verbale n|verbale di riunione|resoconto|verbale assemblea|verbale della riunione",
        ),
    ],
    taxes: "iva|i.v.a.|imposta",
    tax_fillers: "di|cui|inclusa|al|aliquota|compresa|su|ordinaria",
    days: "giorni|gg|gg d f|giorni data fattura",
    honorifics: "sig.|sig.ra|sig|sig.na|dott.|dott.ssa|dr.|dr.ssa|avv.|ing.|arch.|geom.|rag.|prof.|prof.ssa|signor|signora|egr.|gent.ma|gent.mo|egregio|gentile|sigg.|signori",
    legal_forms: "S.r.l.|s.r.l.|Srl|SRL|S.R.L.|S.p.A.|SpA|s.p.a.|S.P.A.|s.n.c.|S.n.c.|snc|SNC|s.a.s.|sas|S.a.s.|s.s.|S.S.|A.S.D.|ASD|APS|ONLUS|soc. coop.|S.c.a.r.l.|ODV|ETS|S.r.l.s.|srl|SPA|S.S.D.",
    organisations: "comune|associazione|istituto|scuola|università|condominio|polisportiva|pro|parrocchia|fondazione|cooperativa|\
                    farmacia|panificio|studio|trattoria|ristorante|hotel|banca|cassa|agriturismo|officina|libreria|circolo|\
                    unione|azienda|autofficina|falegnameria|ditta|liceo|clinica|ambulatorio|biblioteca|oratorio|consorzio|coro|tipografia|idraulica|edilizia|ferramenta",
    closings: "cordiali saluti|distinti saluti|saluti|un saluto|grazie|cordialmente|in fede|un cordiale saluto|grazie e saluti|a presto|\
               con i migliori saluti|molti saluti|un caro saluto|buona giornata",
    roles: "presidente|vicepresidente|tesoriere|tesoriera|segretario|segretaria|direttore|direttrice|amministratore|amministratrice|\
            titolare|sindaco|responsabile|dirigente scolastica|dirigente scolastico|consigliere|legale rappresentante|socio|amministratore unico|consigliera",
    begins: "decorre dal|a decorrere dal|a partire dal|con decorrenza dal|dal|ha inizio il|con inizio il|avrà inizio il|decorrenza dal|con effetto dal|inizia il",
    ends: "fino al|termina il|scade il|al|terminerà il|cessa il|scadrà il|con scadenza il|con termine il|avrà termine il",
    quoting: "ha scritto:|messaggio originale|messaggio inoltrato|da:|inviato:",
    streets: "via|viale|piazza|corso|vicolo|largo|piazzale|strada|fondamenta|calle|contrada|località|loc|casella|\
             borgo|lungomare|frazione|fraz",
    name_labels: "nome|ragione sociale|denominazione|cognome e nome|nominativo",
    vat: "p. iva e c.f|p.iva e c.f|p.iva/c.f|partita iva|p. iva|p.iva|p iva|piva|c.f. e p.iva|c.f./p.iva",
    tax_ids: "codice fiscale|cod. fisc|c.f|c. f|cf",
    registers: "rea",
    represented: "in persona del|in persona della|rappresentata da|rappresentato da|in persona di|rappresentata dal|\
             rappresentato dal",
    between: "tra|fra",
    ands: "e",
    subjects: "oggetto|ogg",
    greetings: "gentile|gentili|egregio|egregi|caro|cara|cari|care|buongiorno|buonasera|spettabile|ciao|salve",
    opened: "alle ore|inizio ore|inizia alle ore|si apre alle ore|ore|inizia alle|alle",
    closed: "tolta alle ore|chiusa alle ore|termina alle ore|si chiude alle ore|conclude alle ore|tolta alle|\
             fine ore|sciolta alle ore",
    by: "entro il|entro|prima del|per il|scadenza|entro la",
    actions: "azioni|attività|compiti|cose da fare|da fare|prossimi passi",
    paid: "bonifico di|pagato|versato|ho fatto il bonifico|pagamento di",
    held: "presso la|presso il|presso|nella|nel|luogo",
    called: "riunione|assemblea|consiglio|incontro|seduta|festa|visita|corso|cena|gita|evento",
};
