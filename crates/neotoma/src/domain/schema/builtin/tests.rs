//! Tests of the built-in types.

use super::*;

/// A built-in type in shorthand: fields with their types, required ones with `!`; identity rules; events.
fn show(entity_type: &str) -> String {
    let schema = builtin(entity_type).unwrap();
    let field = |(name, field): (&String, &Field)| {
        let mark = match field.r#type {
            FieldType::String => "",
            FieldType::Number => "#",
            FieldType::Date => "@",
            FieldType::Boolean => "?",
            FieldType::Array => "[]",
            FieldType::Object => "{}",
        };
        format!("{name}{mark}{}", if field.required { "!" } else { "" })
    };
    let fields: Vec<String> = schema.fields.iter().map(field).collect();
    let rules: Vec<String> = schema.identity.iter().map(|rule| rule.join("+")).collect();
    format!("{} by {}", fields.join(" "), rules.join(" "))
}

#[track_caller]
fn check(entity_type: &str, expected: &str) {
    assert_eq!(show(entity_type), expected);
}

// N-304, N-305
#[test]
fn the_types_of_the_specification_and_of_documents_are_built_in() {
    let types: Vec<&str> = builtin_types().collect();
    assert_eq!(
        types.join(" "),
        "account agent_decision agent_session architectural_decision codebase_entity company contact contract event \
         feature_unit invoice meeting message note person receipt release task transaction validation_result"
    );
    for name in types {
        let schema = builtin(name).unwrap();
        assert_eq!((schema.entity_type.as_str(), schema.schema_version.as_str()), (name, "1.0"));
        assert_eq!(schema.problems(), [], "{name}");
    }
}

// N-306
#[test]
fn invoice() {
    check(
        "invoice",
        "amount# amount_due#! currency! customer_name date_due@ description invoice_date@! invoice_number! items[] notes \
         subtotal# tax_amount# tax_rate vendor_name by invoice_number+vendor_name+invoice_date",
    );
    assert_eq!(builtin("invoice").unwrap().aliases, ["bill", "factura"]);
}

// N-307
#[test]
fn transaction() {
    check(
        "transaction",
        "account_id account_suffix amount# amount_original# balance_after# bank_provider category currency date@ \
         merchant_name posting_date@ reference status by posting_date+category+amount_original+bank_provider",
    );
}

// N-308
#[test]
fn receipt() {
    check(
        "receipt",
        "amount_total#! category currency! date_purchased@! description items[] merchant_name! notes payment_method \
         receipt_number status tax_amount# transaction_date@ by merchant_name+date_purchased+amount_total",
    );
}

// N-309
#[test]
fn contract() {
    check(
        "contract",
        "companies contract_number effective_date@ expiration_date@ files name notes parties signed_date@ status type by ",
    );
}

// N-310
#[test]
fn note() {
    check("note", "content! created_date@ source summary tags title updated_date@ by title source+created_date");
    assert_eq!(by_priority("note"), ["content"]);
}

// N-311
#[test]
fn person() {
    check(
        "person",
        "address country email external_id first_name last_name name! notes organization phone role website by email \
         phone external_id first_name+last_name name",
    );
    assert_eq!(by_priority("person"), ["email", "external_id", "name", "phone"]);
}

// N-312
#[test]
fn company() {
    check(
        "company",
        "address country description email external_id industry legal_name name! phone type website by external_id name",
    );
    assert_eq!(by_priority("company"), ["email", "legal_name", "name", "website"]);
}

// N-313
#[test]
fn contact() {
    check(
        "contact",
        "address category connected_on@ contact_id country email external_id first_contact_date@ last_contact_date@ \
         linkedin_url name organization phone platform role title type website by ",
    );
    let reference = &builtin("contact").unwrap().reference_fields[0];
    assert_eq!(
        (&*reference.field, &*reference.relationship_type, &*reference.target_type),
        ("organization", "works_at", "company")
    );
}

// N-314
#[test]
fn task() {
    check(
        "task",
        "assignee completed_date@ description due_date@ notes priority project_id status! tags title! by project_id+title \
         title",
    );
}

// N-315
#[test]
fn feature_unit() {
    check("feature_unit", "created_at@! dependencies[] description! id! risk_level status! updated_at@! by id");
    assert_eq!(builtin("feature_unit").unwrap().temporal_fields, []);
}

// N-316
#[test]
fn release() {
    check("release", "acceptance_criteria[]! feature_units[]! id! status! target_ship_date@ version! by id");
}

// N-317
#[test]
fn agent_decision() {
    check("agent_decision", "agent_id context{} decision! decision_type rationale! timestamp@! by decision+timestamp");
}

// N-318
#[test]
fn agent_session() {
    check(
        "agent_session",
        "actions[]! checkpoints[] duration# ended_at@ outcomes[] session_id! started_at@! by session_id",
    );
}

// N-319
#[test]
fn validation_result() {
    check(
        "validation_result",
        "details{} status! target timestamp@! validation_type! by validation_type+target+timestamp",
    );
}

// N-320
#[test]
fn codebase_entity() {
    check("codebase_entity", "description kind! name! path relationships[] by name+kind");
}

// N-321
#[test]
fn architectural_decision() {
    check(
        "architectural_decision",
        "alternatives[] decision! impact rationale! status timestamp@! by decision+timestamp",
    );
}

#[test]
fn types_that_documents_give() {
    check(
        "event",
        "description end_time location organizer recurrence start_time status time_zone title uid url by uid \
         title+start_time",
    );
    check(
        "message",
        "bcc[] cc[] in_reply_to message_id recipients[] sender sent_at subject by message_id sender+sent_at",
    );
    check(
        "meeting",
        "absent[] attendees[] chair date@ end_time location minutes_by next_meeting@ start_time title by title+date",
    );
    check(
        "account",
        "account_number bank_name bic currency holder_name iban sort_code by iban account_number+sort_code \
         account_number holder_name",
    );
}

fn by_priority(entity_type: &str) -> Vec<&'static String> {
    let reducers = builtin(entity_type).unwrap().reducers.iter();
    reducers.filter(|(_, reducer)| reducer.strategy == Strategy::HighestPriority).map(|(name, _)| name).collect()
}
