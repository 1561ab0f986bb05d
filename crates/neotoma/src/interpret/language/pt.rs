//! Portuguese.

use super::{Language, Title};

pub const PT: Language = Language {
    code: "pt",
    common: "o os as de a prazo pagamento conta da do das dos e é para com por em uma um que não se ao à na no nos sua seu são foi pelo pela ou à às este esta mais",
    months: "janeiro jan|fevereiro fev|março mar marco|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|outubro out|novembro nov|dezembro dez",
    weekdays: "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo segunda terça quarta quinta sexta seg ter qua qui sex sáb dom",
    labels: &[
        (
            "invoice.invoice_number",
            "fatura nº|fatura n|factura nº|número da fatura|nº da fatura|fatura número|nº fatura|número da nota|nota de crédito nº|nº da nota|\
             fatura recibo nº|nº do documento|nota fiscal nº|número da nota fiscal|nota de débito nº|nº da factura|fatura no|fatura n°>número|nº|nº documento|documento nº|numero",
        ),
        (
            "invoice.invoice_date",
            "data da fatura|data de emissão|data e hora de emissão|data emissão|emitida em|emitido em|data do documento|data da emissão|data fatura|data de emissao>data",
        ),
        (
            "invoice.amount_due",
            "total a pagar|valor a pagar|a pagar|total a receber|valor em dívida|saldo a pagar|montante a pagar|quantia a pagar|importância a pagar|\
             líquido a pagar|valor líquido a pagar|total a liquidar|valor por liquidar|em dívida>\
             valor total da nota|total da fatura|valor total|total com iva|total do documento|valor líquido|total geral|total documento|total líquido|valor da fatura|total iva incluído>total|valor|montante",
        ),
        (
            "invoice.date_due",
            "vencimento|data de vencimento|data limite de pagamento|pagar até|vence em|data vencimento|data limite|prazo de pagamento até|limite de pagamento|\
             pagamento até|vence a|pagável até|débito em|data de débito",
        ),
        ("invoice.vendor_name", "fornecedor|emitente|prestador|vendedor|prestador de serviços"),
        (
            "invoice.customer_name",
            "cliente|tomador de serviços|exmo(a) sr(a)|exmos senhores|exmos srs|destinatário|tomador|faturar a|adquirente|titular|nome do cliente|exmo sr|exma sra|sacado|faturado a|sócio",
        ),
        (
            "invoice.subtotal",
            "subtotal|base tributável|total ilíquido|incidência|valor dos serviços|total sem iva|base de incidência|total líquido sem iva|soma|valor sem iva|total mercadoria|ilíquido|valor ilíquido|total s iva|base",
        ),
        (
            "invoice.tax_amount",
            "iva|total iva|valor iva|valor do iva|imposto|total do iva|total imposto|total de iva|valor do iss|iss",
        ),
        (
            "receipt.amount_total",
            "total|total a pagar|valor total|total eur|valor pago|total euros|a pagar|valor a pagar|total r$",
        ),
        (
            "receipt.receipt_number",
            "fatura simplificada|talão nº|recibo nº|fatura recibo|nº|documento|fatura simplificada nº|talão|fs|fr|cupom|cupom fiscal|venda|ft|nº documento|fatura nº|extrato nº",
        ),
        ("receipt.tax_amount", "iva|total iva|valor iva|total imposto|total de iva|iva incluído"),
        (
            "receipt.payment_method",
            "forma de pagamento|modo de pagamento|pago com|pagamento|meio de pagamento|pago por",
        ),
        ("receipt.date_purchased", "data|data da compra|data de emissão"),
        (
            "transaction.merchant_name",
            "descrição|descrição do movimento|movimento|beneficiário|histórico|descritivo|lançamento|operação|descrição da operação|favorecido|estabelecimento",
        ),
        ("transaction.reference", "referência|observações|documento|nº documento|detalhes"),
        ("transaction.debit", "débito|debito|saídas|débitos|levantamentos|saída|valor débito"),
        ("transaction.credit", "crédito|credito|entradas|créditos|depósitos|entrada|valor crédito"),
        ("transaction.amount", "montante|importância|valor|valor eur|montante eur|valor r$|quantia"),
        ("transaction.sign", "d c|débito crédito|c d|natureza|tipo d c"),
        ("transaction.date", "data"),
        (
            "transaction.posting_date",
            "data mov|data movimento|data do movimento|data lançamento|data operação|data lanc|data de lançamento|data contabilística|data da operação",
        ),
        ("transaction.value_date", "data valor|data de valor|data-valor"),
        ("transaction.balance_after", "saldo|saldo contabilístico|saldo disponível|saldo após movimento|saldo contab"),
        ("transaction.category", "categoria|tipo|tipo de movimento"),
        ("transaction.currency", "moeda|divisa"),
        ("account.holder_name", "titular|titular da conta|titulares"),
        ("account.account_number", "conta|número de conta|nº conta|conta nº|conta corrente"),
        ("contract.contract_number", "contrato nº|nº de contrato|número do contrato|contrato n|processo nº"),
        ("contract.effective_date", "início|data de início|data de entrada em vigor|início de vigência"),
        ("contract.expiration_date", "termo|data de fim|fim|data de termo|término|fim de vigência"),
        ("meeting.date", "data|dia"),
        ("meeting.start_time", "hora de início|início|hora|abertura"),
        ("meeting.end_time", "hora de fim|fim|encerramento|término|hora de encerramento"),
        ("meeting.location", "local|onde|sede"),
        ("meeting.attendees", "presentes|presenças|participantes|estiveram presentes|membros presentes|presença"),
        (
            "meeting.absent",
            "ausentes|faltaram|ausências|justificaram a ausência|faltas justificadas|ausência justificada|ausente|faltas|ausências justificadas",
        ),
        ("meeting.chair", "presidente da mesa|presidiu|preside|mesa"),
        ("meeting.minutes_by", "secretário|secretária|redigiu|ata redigida por|secretariou|ata lavrada por"),
        ("meeting.next_meeting", "próxima reunião|próxima assembleia|próximo encontro|próxima sessão"),
        ("event.when", "quando|data e hora"),
        ("event.location", "onde|local|lugar"),
        ("event.organizer", "organização|organizador|promovido por|organiza"),
        ("person.name", "nome|nome completo|contacto|contato"),
        ("person.first_name", "nome próprio|primeiro nome"),
        ("person.last_name", "apelido|sobrenome"),
        ("person.email", "e mail|correio eletrónico|mail|email"),
        ("person.phone", "telefone|telemóvel|tel|celular|tlm|telef"),
        ("person.organization", "empresa|entidade|organização"),
        ("person.role", "cargo|função"),
        ("company.name", "razão social|denominação social|empresa|nome razão social|firma"),
        ("task.title", "tarefa|ação|título|o quê|atividade"),
        ("task.assignee", "responsável|quem|atribuído a|encarregado"),
        ("task.due_date", "prazo|até|data limite|quando"),
        ("task.status", "estado|situação|status"),
        ("task.priority", "prioridade"),
    ],
    others: "nif|nipc|contribuinte|v nº contrib|cond pagamento|viatura|atcud|capital social|desconto|código|contrib|contribuinte cliente|cpf cnpj|\
             inscrição municipal|código de verificação|nº cliente|encomenda|referência multibanco|entidade|troco|numerário|assunto|nib iban|nib|\
             saldo final|saldo inicial|leitura|período|base de cálculo|alíquota|deduções|morada|op|n contribuinte|nº contribuinte|aluno|taxa",
    titles: &[
        (
            Title::Invoice,
            "fatura|factura|nota fiscal|nota fiscal de serviços|recibo de quota|fatura recibo|aviso de pagamento|nota de honorários|nota de débito|fatura proforma|aviso de cobrança",
        ),
        (Title::CreditNote, "nota de crédito|nota de credito"),
        (
            Title::Reminder,
            "aviso de pagamento em atraso|lembrete de pagamento|carta de cobrança|2º aviso|aviso de mora",
        ),
        (Title::Receipt, "fatura simplificada|talão|recibo|cupom fiscal|talão de venda|recibo de venda"),
        (
            Title::Contract,
            "contrato|acordo|protocolo de colaboração|contrato de arrendamento|contrato de|contrato de prestação de serviços|contrato de trabalho",
        ),
        (Title::Minutes, "ata|acta|ata nº|ata n|ata da reunião|ata da assembleia|memorando de reunião"),
    ],
    taxes: "iva|iss|icms|imposto",
    tax_fillers: "do|incluído|à|taxa|de|ao|inclui|normal",
    days: "dias|dias data fatura",
    honorifics: "sr.|sra.|sr|sra|dr.|dra.|eng.|d.|exmo.|exma.|exmo|exma|dona|senhor|senhora|prof.|arq.|menina|exmos.",
    legal_forms: "Lda|Lda.|LDA|LDA.|S.A.|SA|Unipessoal|Ltda|Ltda.|ME|EIRELI|CRL|IPSS|LTDA|SGPS|EPP|EM",
    organisations: "câmara|junta|associação|escola|universidade|condomínio|grupo|cooperativa|fundação|farmácia|padaria|oficina|mercearia|\
                    restaurante|hotel|banco|clínica|agrupamento|centro|prefeitura|ateliê|companhia|casa|transportes|jardins|clube|paróquia|\
                    instituto|federação|livraria|talho|pastelaria|gráfica|lar|colégio|creche|papelaria|quinta|adega|serralharia|carpintaria|sociedade|bombeiros",
    closings: "com os melhores cumprimentos|cumprimentos|atentamente|melhores cumprimentos|saudações|um abraço|abraço|\
               obrigado|obrigada|atenciosamente|cordialmente|com os meus cumprimentos|saudações cordiais|beijinhos",
    roles: "presidente|tesoureiro|tesoureira|secretário|secretária|diretor|diretora|gerente|administrador|administradora|presidente da mesa|\
            presidente da direção|sócio gerente|vogal|responsável|vice presidente|encarregado|chefe|presidente da junta|coordenador|coordenadora|proprietário",
    begins: "tem início em|com início em|a partir de|entra em vigor em|desde|início em|tem início no dia|inicia-se em|com início a|com efeitos a partir de|tem início a|inicia em|início no dia|com efeitos a",
    ends: "termo em|até|termina em|cessa em|fim em|e termo em|termo a|e termina em|com termo em|com término em|e término em|termina a|termina no dia|válido até|terminando em",
    quoting: "escreveu:|mensagem original|mensagem reencaminhada|mensagem encaminhada|de:|enviado:",
    streets: "rua|avenida|av|largo|travessa|estrada|praça|alameda|quinta|lote|zona|beco|r|calçada|bairro|rodovia|\
             apartado|urbanização",
    name_labels: "nome|razão social|nome/razão social|nome razão social|designação",
    vat: "nº iva",
    tax_ids: "cpf/cnpj|cnpj/cpf|cnpj|cpf",
    registers: "matrícula|cons. reg. com|conservatória",
    represented: "representada por|representado por|representada pelo|representada pela|representado pelo|\
             representado pela|representada pelo seu|representada pela sua",
    between: "entre",
    ands: "e",
    subjects: "assunto|ref|referência",
    greetings: "caro|cara|caros|caras|exmo|exma|exmos|estimado|estimada|prezado|prezada|prezados|bom dia|boa tarde|\
             olá|boas",
    opened: "pelas|às|início às|teve início às|iniciou-se às|teve início pelas|início",
    closed: "encerrou-se a reunião às|encerrada às|encerrou às|terminou às|encerrada pelas|foi encerrada às|fim|\
             encerramento",
    by: "até|até ao|antes de|até ao dia|até dia|prazo|para",
    actions: "tarefas|ações|acções|pendentes|próximos passos|a fazer",
    paid: "transferência de|pago|paguei|transferi|pagamento de",
    held: "na|no|local|em",
    called: "reunião|assembleia|sessão|encontro|festa|visita|jornada|almoço|jantar|oficina|assembleia geral",
};
