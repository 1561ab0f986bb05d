//! French.

use super::{Language, Title};

pub const FR: Language = Language {
    code: "fr",
    common: "le la les des du de et est pour dans sur avec par une un votre vous nous notre au aux qui que ce cette sont à l d en ne pas",
    months: "janvier janv jan|février févr fév fevrier|mars|avril avr|mai|juin|juillet juil|août aout|septembre sept sep|octobre oct|\
             novembre nov|décembre déc decembre dec",
    weekdays: "lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim",
    labels: &[
        (
            "invoice.invoice_number",
            "facture n°|n° de facture|n° facture|numéro de facture|facture no|facture numéro|avoir n°|n° avoir|n° d'avoir|\
             note d'honoraires n°|référence de l'avis|numéro facture|no facture|facture nº|référence facture>n°|numéro|n° de pièce|pièce n°|numero",
        ),
        (
            "invoice.invoice_date",
            "date de facture|date de facturation|date d'émission|date facture|émise le|émis le|facture du|date d'établissement|\
             établie le|date de la facture|date emission>date|le|du",
        ),
        (
            "invoice.amount_due",
            "net à payer|net a payer|montant à payer|reste à payer|solde à payer|total à payer|à payer|reste dû|solde dû|montant dû|\
             somme à payer|net à payer ttc|reste à régler|à régler|solde à régler|total à régler|montant à régler|solde restant dû>\
             total ttc|montant ttc|ttc|total facture|montant total ttc|total toutes taxes comprises|total général>total|montant total|montant",
        ),
        (
            "invoice.date_due",
            "échéance|date d'échéance|à payer avant le|à régler avant le|date limite de paiement|à payer au plus tard le|payable le|\
             payable avant le|échéance le|à payer le|règlement avant le|date d'exigibilité|à régler le|date de règlement|echeance|prélèvement le",
        ),
        ("invoice.vendor_name", "émetteur|vendeur|fournisseur|prestataire|raison sociale"),
        (
            "invoice.customer_name",
            "client|facturé à|adressé à|destinataire|facturer à|facture à|adresse de facturation|abonné|titulaire|adhérent|nom du client",
        ),
        (
            "invoice.subtotal",
            "total ht|montant ht|total hors taxes|sous total|sous total ht|base ht|net ht|total net ht|montant total ht|total hors tva|total h t|total net",
        ),
        ("invoice.tax_amount", "tva|total tva|montant tva|dont tva|montant de la tva|t v a"),
        (
            "receipt.amount_total",
            "net à payer|reste a payer|reste à payer|à payer|montant payé|total payé|montant réglé|montant réel>total ttc|total|total à payer|montant|montant ttc|total eur",
        ),
        (
            "receipt.receipt_number",
            "ticket n°|ticket|n° ticket|reçu n°|ticket no|n° de ticket|facture n°|n° de reçu|commande n°|facturette|ticket numéro",
        ),
        ("receipt.tax_amount", "tva|dont tva|total tva|montant tva"),
        ("receipt.payment_method", "mode de paiement|payé par|règlement|moyen de paiement|mode de règlement|paiement"),
        ("receipt.date_purchased", "date|le|date d'achat|date de vente"),
        (
            "transaction.merchant_name",
            "libellé|libelle|libellé de l'opération|description|opération|détail|intitulé|nature de l'opération|libellé opération|\
             bénéficiaire|tiers|libellé simplifié|contrepartie",
        ),
        ("transaction.reference", "référence|communication|motif|informations complémentaires|reference|ref"),
        ("transaction.debit", "débit|debit|débit euros|débits|débit eur|débit €"),
        ("transaction.credit", "crédit|credit|crédit euros|crédits|crédit eur|crédit €"),
        ("transaction.amount", "montant|montant eur|montant en eur|montant en euros"),
        ("transaction.sign", "sens"),
        ("transaction.date", "date"),
        (
            "transaction.posting_date",
            "date opération|date d'opération|date de l'opération|date comptable|date de comptabilisation|date operation|date opé|date compta|date d'exécution",
        ),
        ("transaction.value_date", "date valeur|date de valeur|valeur"),
        ("transaction.balance_after", "solde|solde après opération|solde courant|solde comptable"),
        ("transaction.category", "catégorie|type|type d'opération"),
        ("transaction.currency", "devise|monnaie"),
        ("account.holder_name", "titulaire|titulaire du compte|titulaire compte"),
        ("account.account_number", "compte|numéro de compte|n° de compte|compte courant n°|compte n°"),
        (
            "contract.contract_number",
            "contrat n°|n° de contrat|numéro de contrat|référence du contrat|contrat no|n° contrat|bail n°",
        ),
        ("contract.effective_date", "date d'effet|prise d'effet|date de début|début|date de prise d'effet"),
        ("contract.expiration_date", "date de fin|fin|échéance du contrat|terme|date d'expiration"),
        ("meeting.date", "date"),
        ("meeting.start_time", "heure de début|début|ouverture|heure|début de séance|ouverture de séance"),
        ("meeting.end_time", "fin|clôture|heure de fin|fin de séance|levée de séance|clôture de séance"),
        ("meeting.location", "lieu|salle|où"),
        (
            "meeting.attendees",
            "présents|présentes|présent|étaient présents|participants|présents et représentés|membres présents|sont présents|présences",
        ),
        ("meeting.absent", "absents|excusés|absents excusés|excusé|excusée|absent|absente|étaient excusés|excusées"),
        ("meeting.chair", "président de séance|présidence|présidente de séance|animateur|animation"),
        ("meeting.minutes_by", "secrétaire de séance|secrétaire|compte rendu|rédacteur|rédaction|prise de notes"),
        (
            "meeting.next_meeting",
            "prochaine réunion|prochaine séance|prochaine rencontre|prochain conseil|prochain rendez vous",
        ),
        ("event.when", "quand|date et heure|le"),
        ("event.location", "où|lieu|adresse"),
        ("event.organizer", "organisateur|organisé par|organisation|organisatrice"),
        ("person.name", "nom|nom complet|nom et prénom|contact"),
        ("person.first_name", "prénom|prenom"),
        ("person.last_name", "nom de famille"),
        ("person.email", "courriel|e mail|mail|adresse mail|email|mél"),
        ("person.phone", "téléphone|tél|portable|mobile|tel|telephone"),
        ("person.organization", "société|entreprise|organisme|association"),
        ("person.role", "fonction|poste|rôle|qualité"),
        ("company.name", "raison sociale|société|entreprise"),
        ("task.title", "tâche|action|titre|quoi"),
        ("task.assignee", "responsable|qui|assigné à|pilote|attribué à"),
        ("task.due_date", "échéance|pour le|date limite|quand|délai"),
        ("task.status", "statut|état|avancement"),
        ("task.priority", "priorité"),
    ],
    others: "devis réf|code client|acompte|siret|siren|rcs|tva intracom|n° tva|ape|conditions de règlement|facture d'origine|motif|n° fiscal|\
             vos références|réf|référence client|n° client|bon de commande|commande|date de livraison|livraison|période|solde au|ancien solde|\
             nouveau solde|rendu|espèces|opérateur|caisse|qté|désignation|n° de commande|votre référence|notre référence|interlocuteur",
    titles: &[
        (
            Title::Invoice,
            "facture|note d'honoraires|avis d'impôt|avis d'échéance|appel de cotisation|avis des sommes à payer|appel de fonds|facture proforma|note de frais|quittance d'assurance",
        ),
        (Title::CreditNote, "avoir|note de crédit|facture d'avoir"),
        (Title::Reminder, "rappel|relance|mise en demeure|lettre de relance"),
        (Title::Receipt, "ticket|reçu|ticket de caisse|quittance|facturette|justificatif de paiement"),
        (
            Title::Contract,
            "contrat|convention|bail|contrat de|accord|avenant|contrat de travail|contrat d'entretien|bail d'habitation",
        ),
        (
            Title::Minutes,
            "procès verbal|compte rendu|compte rendu de réunion|pv|relevé de décisions|compte rendu du conseil",
        ),
    ],
    taxes: "tva|t.v.a.",
    tax_fillers: "dont|à|de|la|inclus|incluse|au|taux|sur|normal|réduit",
    days: "jours|jours net|jours fin de mois|jour",
    honorifics: "m.|m|mme|mlle|monsieur|madame|mademoiselle|dr|me|maître|mm.|mmes|messieurs|docteur|pr",
    legal_forms: "SARL|SAS|SASU|SA|EURL|SCI|SNC|SCOP|ASBL|GIE|EI|EIRL|SELARL|SRL|S.A.R.L.|S.A.S.|Sàrl|sàrl|SCEA|GAEC|S.A.",
    organisations: "association|mairie|commune|école|ecole|collège|lycée|université|syndicat|fondation|comité|direction|centre|préfecture|\
                    pharmacie|boulangerie|menuiserie|garage|librairie|cabinet|atelier|restaurant|hôtel|banque|caisse|clinique|société|\
                    entreprise|établissements|ets|coopérative|fédération|club|gîte|régie|copropriété|amicale|maison|plomberie|électricité|imprimerie",
    closings: "cordialement|bien cordialement|sincères salutations|meilleures salutations|bien à vous|salutations distinguées|amicalement|\
               cordiales salutations|à bientôt|merci|bonne journée|respectueusement|très cordialement|bien à toi|veuillez agréer",
    roles: "président|présidente|trésorier|trésorière|secrétaire|directeur|directrice|gérant|gérante|maire|responsable|comptable|\
            secrétaire général|vice président|vice présidente|directrice générale|directeur général|chef de projet|adjoint|adjointe|associé|propriétaire",
    begins: "prend effet le|à compter du|prendra effet le|à partir du|débute le|du|commence le|entre en vigueur le|prenant effet le|commençant le|débutera le|effet au",
    ends: "jusqu'au|se termine le|prend fin le|expire le|au|prendra fin le|s'achève le|se terminant le|pour se terminer le",
    quoting: "a écrit :|a écrit:|message d'origine|message transféré|de :|envoyé :",
    streets: "rue|avenue|av|boulevard|bd|chemin|impasse|place|quai|route|allée|allee|cours|square|bp|cs|passage|\
             sentier|lotissement|z.a|za|zi",
    name_labels: "nom|raison sociale|dénomination",
    vat: "tva intracommunautaire|tva intracom|n° tva|nº tva|no tva|numéro de tva|tva|n° de tva",
    tax_ids: "n° fiscal|numéro fiscal",
    registers: "siret|siren|rcs|rcs sous le|rm",
    represented: "représentée par|représenté par|représentée par son gérant|représenté par son gérant",
    between: "entre",
    ands: "et",
    subjects: "objet|concerne|sujet",
    greetings: "madame|monsieur|cher|chère|chers|chères|bonjour|bonsoir|mesdames|messieurs",
    opened: "ouverte à|ouverture à|débute à|commence à|début à|ouvre la séance à|de",
    closed: "levée à|close à|fin à|se termine à|clôture à|clôturée à|terminée à",
    by: "avant le|pour le|d'ici le|au plus tard le|jusqu'au|échéance|d'ici au",
    actions: "actions|actions à mener|tâches|à faire|suites à donner|relevé d'actions",
    paid: "virement de|réglé|payé|viré|paiement de|règlement de",
    held: "à la|au|dans la|dans le|salle|lieu",
    called: "réunion|assemblée|assemblée générale|séance|rencontre|fête|atelier|visite|conseil|kermesse|repas",
};
