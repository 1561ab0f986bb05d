//! Spanish.

use super::{Language, Title};

pub const ES: Language = Language {
    code: "es",
    common: "el la los las de del y es para con por en una un su que se al lo no le nos ha esta este como más sus son o",
    months: "enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|julio jul|agosto ago|septiembre sept sep setiembre|octubre oct|\
             noviembre nov|diciembre dic",
    weekdays: "lunes martes miércoles jueves viernes sábado domingo lun mar mié jue vie sáb dom",
    labels: &[
        (
            "invoice.invoice_number",
            "nº de factura|número de factura|factura nº|nº factura|factura número|factura no|núm factura|factura núm|n factura|\
             factura n|fra nº|número factura|nº fra|n° de factura|factura n°|abono nº|factura rectificativa nº|núm de factura|nota de crédito nº>\
             nº|número|núm|n°|nº documento|folio|serie y folio",
        ),
        (
            "invoice.invoice_date",
            "fecha de factura|fecha factura|fecha de emisión|fecha emisión|fecha de expedición|fecha expedición|emitida el|fecha de la factura>fecha",
        ),
        (
            "invoice.amount_due",
            "total a pagar|importe a pagar|total a percibir|líquido a percibir|a pagar|líquido a pagar|importe pendiente|pendiente de pago|\
             saldo pendiente|total pendiente|neto a pagar|total a ingresar|líquido|importe a abonar|total líquido|cuota a pagar|a ingresar>\
             total factura|importe total|total con iva|total iva incluido|total abono|total general|total eur|importe total factura>total|importe",
        ),
        (
            "invoice.date_due",
            "vencimiento|fecha de vencimiento|vence el|fecha vencimiento|fecha límite de pago|pagar antes del|vto|fecha de cargo|vence|fecha límite|plazo de pago hasta",
        ),
        ("invoice.vendor_name", "proveedor|emisor|vendedor|expedida por|prestador"),
        (
            "invoice.customer_name",
            "cliente|facturar a|destinatario|titular|comprador|datos del cliente|facturado a|receptor|abonado|nombre del cliente|socio|señores",
        ),
        (
            "invoice.subtotal",
            "base imponible|subtotal|base|importe neto|total neto|suma|total base imponible|neto|total sin iva|importe bruto|suma y sigue",
        ),
        ("invoice.tax_amount", "iva|cuota iva|importe iva|total iva|cuota|igic|i v a|cuota de iva|iva total"),
        (
            "receipt.amount_total",
            "total|total a pagar|importe total|importe|total eur|total euros|total compra|total ticket",
        ),
        (
            "receipt.receipt_number",
            "ticket|nº ticket|ticket nº|factura simplificada|factura simplificada nº|nº de recibo|recibo nº|documento|nº operación|nº factura|fra simplificada|fs|num ticket|nº|tique",
        ),
        ("receipt.tax_amount", "iva|cuota iva|cuota|total iva|iva incluido|importe iva"),
        ("receipt.payment_method", "forma de pago|medio de pago|pago|pagado con|método de pago"),
        ("receipt.date_purchased", "fecha|fecha de compra|fecha y hora"),
        (
            "transaction.merchant_name",
            "concepto|descripción|movimiento|beneficiario|descripción del movimiento|detalle|ordenante|concepto movimiento|operación|comercio|más datos",
        ),
        ("transaction.reference", "referencia|observaciones|concepto adicional"),
        ("transaction.debit", "cargo|cargos|debe|adeudo|retiros|débito|gastos|salidas"),
        ("transaction.credit", "abono|abonos|haber|depósitos|crédito|ingresos|entradas"),
        ("transaction.amount", "importe|importe eur|importe €|importe en eur|monto|cantidad|importe (eur)"),
        ("transaction.date", "fecha"),
        (
            "transaction.posting_date",
            "f operación|fecha operación|fecha de operación|fecha contable|fecha mov|f contable|fecha movimiento",
        ),
        ("transaction.value_date", "f valor|fecha valor|fecha de valor"),
        ("transaction.balance_after", "saldo|saldo tras|saldo disponible|saldo contable"),
        ("transaction.category", "categoría|tipo|tipo de movimiento"),
        ("transaction.currency", "divisa|moneda"),
        ("account.holder_name", "titular|titular de la cuenta|titulares"),
        ("account.account_number", "cuenta|número de cuenta|nº de cuenta|cuenta nº"),
        ("contract.contract_number", "contrato nº|nº de contrato|número de contrato|contrato número|expediente"),
        ("contract.effective_date", "fecha de inicio|inicio|fecha de efecto|entrada en vigor"),
        (
            "contract.expiration_date",
            "fecha de fin|fin|fecha de finalización|vencimiento del contrato|fecha de terminación",
        ),
        ("meeting.date", "fecha|día"),
        ("meeting.start_time", "hora de inicio|inicio|hora|comienzo|hora de comienzo"),
        ("meeting.end_time", "hora de fin|fin|finalización|cierre|hora de finalización|término"),
        ("meeting.location", "lugar|sede|dónde"),
        ("meeting.attendees", "asistentes|presentes|asisten|asistencia|participantes|miembros presentes|asistieron"),
        (
            "meeting.absent",
            "ausentes|excusan asistencia|excusados|excusan su asistencia|no asisten|disculpan su asistencia|excusan|disculpan asistencia|excusa",
        ),
        ("meeting.chair", "preside|presidencia|presidida por|presidente de la sesión|moderador"),
        ("meeting.minutes_by", "secretario|secretaria|levanta acta|acta|redacta el acta"),
        ("meeting.next_meeting", "próxima reunión|próxima junta|próxima sesión|próxima convocatoria"),
        ("event.when", "cuándo|fecha y hora|cuando"),
        ("event.location", "dónde|lugar|donde"),
        ("event.organizer", "organiza|organizador|organizan|convoca"),
        ("person.name", "nombre|nombre completo|nombre y apellidos|contacto"),
        ("person.first_name", "nombre de pila"),
        ("person.last_name", "apellidos|apellido"),
        ("person.email", "correo|correo electrónico|e mail|email"),
        ("person.phone", "teléfono|tel|móvil|tfno|tlf"),
        ("person.organization", "empresa|organización|entidad|compañía"),
        ("person.role", "cargo|puesto|función"),
        ("company.name", "razón social|empresa"),
        ("task.title", "tarea|acción|título|qué"),
        ("task.assignee", "responsable|quién|asignado a|encargado"),
        ("task.due_date", "fecha límite|plazo|vencimiento|para cuándo|hasta"),
        ("task.status", "estado|situación"),
        ("task.priority", "prioridad"),
    ],
    others: "forma de pago|cif|nif|dni|alumno|mascota|paciente|albarán|nº pedido|pedido|nº cliente|código cliente|\
             retención irpf|matrícula|matricula|hora|cambio|entregado|saldo anterior|saldo inicial|\
             saldo final|periodo|período de facturación|nº de contrato|cups|dirección de suministro|descuento|referencia catastral|presupuesto",
    titles: &[
        (
            Title::Invoice,
            "factura|minuta|recibo de cuota|nota de honorarios|liquidación|factura proforma|carta de pago",
        ),
        (Title::CreditNote, "factura rectificativa|abono|nota de crédito|nota de abono"),
        (Title::Reminder, "recordatorio de pago|reclamación de pago|requerimiento de pago|aviso de impago"),
        (Title::Receipt, "ticket|factura simplificada|recibo|tique|comprobante de compra|ticket de compra"),
        (
            Title::Contract,
            "contrato|convenio|acuerdo|contrato de arrendamiento|arrendamiento|contrato de trabajo|contrato de",
        ),
        (Title::Minutes, "acta|acta de la|acta de la junta|acta de la reunión|minuta de reunión|acta nº"),
    ],
    taxes: "iva|igic|i.v.a.",
    tax_fillers: "cuota|incluido|del|al|tipo|de|más|sobre",
    days: "días|días fecha factura|dias|días naturales",
    honorifics: "d.|dª|d.ª|dña.|don|doña|sr.|sra.|srta.|dr.|dra.|sr|sra|dr|dra|señor|señora|dª.|sres.|prof.|ing.|lic.",
    legal_forms: "S.L.|SL|S.A.|SA|S.L.U.|SLU|S.A.U.|S.C.|C.B.|CB|S. Coop.|S.Coop.|S. Coop. V.|S.L.P.|AIE|SLP|S.A. de C.V.|SLNE|S.COOP.|S.A.S.",
    organisations: "ayuntamiento|comunidad|asociación|colegio|academia|universidad|fundación|cooperativa|club|federación|clínica|\
                    farmacia|panadería|taller|restaurante|hotel|banco|caja|instituto|estación|editorial|cerrajería|fontanería|papelería|\
                    librería|autoescuela|gestoría|junta|consejería|viveros|bar|escuela|centro|agrupación|ferretería|imprenta|despacho|bufete|peluquería",
    closings: "atentamente|un saludo|saludos|saludos cordiales|cordialmente|reciba un cordial saludo|un cordial saludo|un abrazo|besos|\
               muchas gracias|gracias|le saluda atentamente|un saludo cordial",
    roles: "presidente|presidenta|tesorero|tesorera|secretario|secretaria|director|directora|gerente|administrador|administradora|\
            alcalde|alcaldesa|jefe de ventas|jefa de ventas|responsable|secretaría|vocal|vicepresidente|vicepresidenta|socio|propietario|encargado|encargada|contable",
    begins: "desde el|a partir del|entrará en vigor el|comienza el|con efectos de|con inicio el|inicia el|dará comienzo el|comenzará el|con efectos desde el|empezará el|comenzando el|iniciándose el|del",
    ends: "hasta el|finaliza el|termina el|finalizará el|vence el|y finalizará el|terminará el|concluirá el|al|finalizando el",
    quoting: "escribió:|mensaje original|mensaje reenviado|de:|enviado:",
    streets: "calle|c/|avda|avenida|plaza|paseo|ctra|carretera|camino|ronda|travesía|pza|polígono|apartado|pol|vía|\
             urbanización",
    name_labels: "nombre|razón social|denominación",
    vat: "cif|nif-iva|n.i.f. iva",
    tax_ids: "dni|nie|rfc",
    registers: "registro mercantil|reg. mercantil",
    represented: "representada por|representado por|en nombre y representación de",
    between: "entre",
    ands: "y",
    subjects: "asunto|ref|referencia",
    greetings: "estimado|estimada|estimados|estimadas|querido|querida|hola|buenos días|buenas tardes|apreciado|\
             apreciada|muy señor",
    opened: "siendo las|comienza a las|inicio a las|se abre la sesión a las|da comienzo a las|empieza a las|a las",
    closed: "se levanta la sesión a las|levanta la sesión a las|finaliza a las|termina a las|concluye a las|\
             se cierra la sesión a las|siendo las",
    by: "antes del|hasta el|para el|a más tardar el|antes de|plazo",
    actions: "tareas|acciones|acuerdos|pendientes|próximos pasos",
    paid: "transferencia de|pagado|he pagado|ingreso de|transferido|pago de",
    held: "en el|en la|en los|lugar",
    called: "reunión|junta|asamblea|sesión|encuentro|taller|fiesta|visita|jornada|comida|curso|cita",
};
