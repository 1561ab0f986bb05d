//! The parties of an invoice or a receipt as entities: who issued it, who is billed, and the account to pay to.

use contract::Object;
use serde_json::Value;

use super::effort::Effort;
use super::finding::Findings;
use super::{Extracted, Failure, Understood, identifier, language, party, signature};

/// Adds the parties to a paper that names them.
pub fn of(paper: Extracted, text: &str, effort: &Effort) -> Result<Understood, Failure> {
    effort.spend(text.len())?;
    let named = |field: &str| paper.fields.get(field).and_then(Value::as_str).map(str::to_owned);
    let (issuer, billed) = match paper.entity_type.as_str() {
        "invoice" => (named("vendor_name"), named("customer_name")),
        "receipt" => (named("merchant_name"), None),
        _ => return Ok(vec![paper].into()),
    };
    let mut found = Findings::from(Understood::from(vec![paper]));
    if let Some(name) = issuer {
        let vendor = add(&mut found, &name);
        found.link("ISSUED_BY", 0, vendor, &name);
    }
    if let Some(name) = billed {
        let customer = add(&mut found, &name);
        found.link("BILLED_TO", 0, customer, &name);
    }
    // The only account on a paper is the one to pay to.
    if let [iban] = &identifier::ibans(text)[..] {
        let mut fields = Object::default();
        fields.insert("iban".to_owned(), iban.as_str().into());
        found.add("account", fields);
    }
    Ok(found.finish())
}

fn add(found: &mut Findings, name: &str) -> usize {
    let (plain, is_addressed) = language::without_honorifics(name);
    let is_person = is_addressed || (signature::is_person(name) && !party::is_organisation(name));
    if is_person { found.party("person", plain, &[]) } else { found.party("company", name, &[]) }
}
