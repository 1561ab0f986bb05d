//! Tests of identity.

use serde_json::{Value, json};

use super::*;
use crate::domain::schema::{builtin, infer};

/// All of `forms` are one name, and `canonical` is what the first is shown as.
#[track_caller]
fn one_name(entity_type: &str, forms: &[&str], normal: &str, canonical: &str) {
    for form in forms {
        assert_eq!(normalise(entity_type, form), normal, "{form:?}");
    }
    assert_eq!(canonical_name(entity_type, forms[0]), canonical);
}

/// Shows how a payload is identified.
fn identified(entity_type: &str, fields: Value) -> Result<Identity, NotIdentified> {
    let fields = fields.as_object().unwrap();
    let inferred = infer(entity_type, &[fields]);
    identify(builtin(entity_type).unwrap_or(&inferred), fields)
}

#[track_caller]
fn check(entity_type: &str, fields: Value, by: &By, value: &str) {
    let identity = identified(entity_type, fields).unwrap();
    assert_eq!((&identity.by, identity.value.as_str()), (by, value));
}

#[track_caller]
fn same(entity_type: &str, one: Value, other: Value) {
    assert_eq!(identified(entity_type, one).unwrap().value, identified(entity_type, other).unwrap().value);
}

#[track_caller]
fn different(entity_type: &str, one: Value, other: Value) {
    assert_ne!(identified(entity_type, one).unwrap().value, identified(entity_type, other).unwrap().value);
}

fn rule(fields: &[&str]) -> By {
    By::Schema(fields.iter().map(|field| (*field).to_owned()).collect())
}

// N-277, N-279
#[test]
fn names_lose_case_punctuation_and_surplus_spaces() {
    one_name("thing", &["  Foo--Bar,  Baz! ", "foo bar baz"], "foo bar baz", "Foo Bar Baz");
    one_name("thing", &["AT&T"], "at&t", "AT&T");
    one_name("thing", &["..."], "...", "...");
}

// N-277
#[test]
fn an_address_keeps_its_punctuation() {
    one_name("person", &["Jane.Doe-Smith@Example.COM"], "jane.doe-smith@example.com", "Jane.Doe-Smith@Example.COM");
    one_name("thing", &["HTTPS://Example.com/A-b"], "https://example.com/a-b", "HTTPS://Example.com/A-b");
    one_name("thing", &["Task:Foo-1"], "task:foo-1", "Task:Foo-1");
}

// N-278
#[test]
fn companies_lose_one_legal_suffix() {
    one_name("company", &["Acme, Inc.", "ACME Inc", "acme LLC", "Acme GmbH", "Acme Co."], "acme", "Acme");
    for suffix in ["inc", "llc", "ltd", "corp", "corporation", "co", "company", "limited", "plc", "gmbh", "pty", "pvt"]
    {
        for of in ["company", "organization"] {
            one_name(of, &[&format!("Acme {suffix}"), &format!("Acme {suffix}.")], "acme", "Acme");
            one_name(of, &[&format!("Acme, {}", suffix.to_uppercase())], "acme", "Acme");
        }
    }
    one_name("company", &["Acme Company Ltd"], "acme company", "Acme Company");
    one_name("company", &["Acme SA"], "acme sa", "Acme SA");
    one_name("company", &["Acme AG"], "acme ag", "Acme AG");
    one_name("company", &["Limited"], "limited", "Limited");
    one_name("thing", &["Acme Inc"], "acme inc", "Acme Inc");
    // A space of several bytes.
    one_name("company", &["Acme\u{2028}Inc"], "acme", "Acme");
}

// N-278
#[test]
fn people_lose_honorifics_and_generations() {
    one_name("person", &["Dr. Jane Doe", "Jane Doe Jr.", "Prof Jane Doe, III", "Jane Doe"], "jane doe", "Jane Doe");
    for title in ["Mr", "Mrs", "Ms", "Dr", "Prof", "Sir"] {
        one_name("contact", &[&format!("{title} Jane Doe"), &format!("{title}. Jane Doe")], "jane doe", "Jane Doe");
    }
    for mark in ["Jr", "Sr", "II", "III", "IV"] {
        one_name("contact", &[&format!("Jane Doe {mark}"), &format!("Jane Doe, {mark}.")], "jane doe", "Jane Doe");
    }
    one_name("contact", &["Mr Sir"], "mr sir", "Mr Sir");
    one_name("thing", &["Dr. No"], "dr no", "Dr No");
}

// N-280
#[test]
fn notations_of_one_name_are_one_name() {
    one_name(
        "thing",
        &["Caf\u{e9}", "Cafe\u{301}", "CAF\u{c9}", "Ca\u{200b}f\u{e9}", "\u{202e}Caf\u{e9}\u{202c}"],
        "café",
        "Café",
    );
    one_name("thing", &["\u{ff21}\u{ff43}\u{ff4d}\u{ff45}", "Acme", "\u{feff}acme"], "acme", "Acme");
    one_name("thing", &["Part \u{2163}", "part iv"], "part iv", "Part IV");
    one_name("thing", &["Straße", "STRASSE", "STRAẞE"], "strasse", "Straße");
    one_name(
        "thing",
        &["\u{130}stanbul", "I\u{307}stanbul", "i\u{307}stanbul", "Istanbul"],
        "istanbul",
        "\u{130}stanbul",
    );
    one_name("thing", &["ΟΔΟΣ", "οδος", "οδοσ"], "οδοσ", "ΟΔΟΣ");
    one_name("thing", &["\u{fb01}rst", "FIRST"], "first", "first");
}

// N-281
#[test]
fn the_first_complete_rule_of_the_schema_identifies() {
    let both = json!({"name": "Jane", "email": "J@x.org", "first_name": "Jane", "last_name": "Doe"});
    check("person", both, &rule(&["email"]), "j@x.org");
    let names = json!({"name": "JD", "first_name": "Jane", "last_name": "Doe"});
    check("person", names, &rule(&["first_name", "last_name"]), r#"{"first_name":"jane","last_name":"doe"}"#);
    check("person", json!({"name": "Dr. Jane"}), &rule(&["name"]), "jane");
    check(
        "task",
        json!({"title": "Ship", "project_id": "P-1"}),
        &rule(&["project_id", "title"]),
        r#"{"project_id":"p-1","title":"ship"}"#,
    );
}

// N-281
#[test]
fn names_come_before_keys_and_keys_before_content() {
    check("thing", json!({"id": 7, "title": "T", "name": "N"}), &By::Name("name".into()), "n");
    check("thing", json!({"uuid": "U", "id": 7}), &By::Key("id".into()), r#"{"id":"7"}"#);
    check(
        "thing",
        json!({"name": "", "full_name": null, "external_id": "X.1"}),
        &By::Key("external_id".into()),
        r#"{"external_id":"x.1"}"#,
    );
    let content = identified("thing", json!({"b": 1, "a": 2})).unwrap();
    assert_eq!(content.by, By::Content);
    assert_eq!(content.value, ids::content_hash(r#"{"a":2,"b":1}"#));
    same("thing", json!({"b": 1, "a": 2}), json!({"a": 2, "b": 1.0}));
}

// N-281
#[test]
fn each_field_that_identifies_counts_before_those_after_it() {
    let names = ["canonical_name", "name", "full_name", "title", "email", "url"];
    let keys = [
        "message_id",
        "turn_key",
        "thread_id",
        "external_id",
        "source_id",
        "id",
        "uuid",
        "company_id",
        "person_id",
        "contact_id",
    ];
    let all: Vec<&str> = names.iter().chain(&keys).copied().collect();
    for (place, first) in all.iter().enumerate() {
        let fields: Map = all[place..].iter().rev().map(|field| ((*field).to_owned(), json!("x"))).collect();
        let by = if names.contains(first) { By::Name((*first).into()) } else { By::Key((*first).into()) };
        assert_eq!(identified("thing", Value::Object(fields)).unwrap().by, by);
    }
}

// N-281
#[test]
fn a_name_is_the_same_whichever_field_it_came_in() {
    same("company", json!({"name": "Acme Inc"}), json!({"canonical_name": "ACME"}));
    same("thing", json!({"title": "One"}), json!({"full_name": "one"}));
    different("thing", json!({"id": "1"}), json!({"company_id": "1"}));
    different("thing", json!({"id": "1.23"}), json!({"id": "12.3"}));
}

// N-282
#[test]
fn sharing_another_field_does_not_make_one_entity() {
    different(
        "transaction",
        json!({"merchant_name": "Cafe", "amount": 1}),
        json!({"merchant_name": "Cafe", "amount": 2}),
    );
    let identity = identified("transaction", json!({"merchant_name": "Cafe", "amount": 1})).unwrap();
    assert_eq!((identity.by, identity.name.as_str()), (By::Content, "Cafe"));
}

// N-283
#[test]
fn a_strict_type_names_the_rules_it_needs() {
    let mut schema = builtin("invoice").unwrap().clone();
    schema.strict = true;
    schema.identity.push(vec!["notes".to_owned()]);
    let refusal = identify(&schema, json!({"name": "x", "invoice_number": "1"}).as_object().unwrap()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the entity has none of the fields that identify it: invoice_number + vendor_name + invoice_date, or notes"
    );
}

// N-314
#[test]
fn a_task_with_another_due_date_is_the_same_task() {
    same(
        "task",
        json!({"title": "Ship", "due_date": "2024-01-01"}),
        json!({"title": "ship", "due_date": "2025-01-01"}),
    );
}

#[test]
fn the_notation_of_dates_and_numbers_does_not_count() {
    let invoice =
        |number: &str, date: Value| json!({"invoice_number": number, "vendor_name": "Acme", "invoice_date": date});
    same("invoice", invoice("INV-1", json!("2024-01-15")), invoice("inv-1", json!("2024-01-15T00:00:00Z")));
    different("invoice", invoice("INV-1", json!("2024-01-15")), invoice("INV-1", json!("2024-01-16")));
    let receipt = |total: Value| json!({"merchant_name": "M", "date_purchased": "2024-01-15", "amount_total": total});
    same("receipt", receipt(json!(10)), receipt(json!("10.0")));
}

#[test]
fn entities_are_called_by_their_name_or_number() {
    let name = |entity_type: &str, fields: Value| display_name(entity_type, fields.as_object().unwrap());
    assert_eq!(name("company", json!({"name": "Acme, Inc.", "website": "acme.com"})).as_deref(), Some("Acme"));
    assert_eq!(name("invoice", json!({"invoice_number": "INV-001"})).as_deref(), Some("INV-001"));
    assert_eq!(name("person", json!({"first_name": "Jane", "last_name": "Doe"})).as_deref(), Some("Jane Doe"));
    assert_eq!(name("thing", json!({"amount": 1})), None);
}

#[test]
fn an_entity_is_found_by_its_names_addresses_and_numbers() {
    let company =
        json!({"name": "Acme, Inc.", "email": "Info@acme.com", "tax_id": "DE-1", "industry": "Toys", "phone": 123});
    let found = identifiers(builtin("company").unwrap(), company.as_object().unwrap(), []);
    assert_eq!(found, ["123", "acme", "acme inc", "de 1", "info@acme.com"]);
    let invoice = json!({"invoice_number": "INV-1", "invoice_date": "2024-01-01", "aliases": ["Old One"]});
    assert_eq!(identifiers(builtin("invoice").unwrap(), invoice.as_object().unwrap(), []), ["inv 1", "old one"]);
}

// N-285
#[test]
fn a_single_word_is_a_single_token() {
    assert_eq!(["Simon", " Simon ", "Simon Says", ""].map(is_single_token), [true, true, false, false]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_normalised_once_and_for_all(text in "[\\PC\u{130}\u{307}ßΣς. :@-]{0,12}") {
        let normal = normalise("thing", &text);
        proptest::prop_assert_eq!(&normalise("thing", &normal), &normal);
        proptest::prop_assert_eq!(&normalise("thing", &canonical_name("thing", &text)), &normal);
    }
}
