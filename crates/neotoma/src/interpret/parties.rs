//! The parties of an invoice or a receipt as entities: who issued it, who is billed, who works there, their numbers, and
//! the account to pay to.

use contract::Object;
use serde_json::Value;

use super::effort::Effort;
use super::finding::Findings;
use super::identifier::{self, Kind};
use super::letterhead::{self, Party, Sides};
use super::{Extracted, Failure, Understood, account, language, party, signature, vocabulary};

/// Adds the parties to a paper.
pub fn of(paper: Extracted, text: &str, effort: &Effort) -> Result<Understood, Failure> {
    effort.spend(text.len())?;
    let (issuer, billed) = match paper.entity_type.as_str() {
        "invoice" => ("vendor_name", Some("customer_name")),
        "receipt" => ("merchant_name", None),
        _ => return Ok(vec![paper].into()),
    };
    let field = |name: &str| paper.fields.get(name);
    let sides = letterhead::find(text, field(issuer), billed.and_then(field), effort)?;
    let mut found = Findings::from(Understood::from(vec![paper]));
    let mut add = |side: Option<&Party>, field: &str, relationship: &'static str| {
        let side = side?;
        found.fields(0).entry(field.to_owned()).or_insert_with(|| side.name.as_str().into());
        let at = entity(&mut found, side);
        found.link(relationship, 0, at, &side.name);
        if let Some(contact) = &side.contact {
            let person = found.person(contact, &[]);
            found.link("WORKS_FOR", person, at, contact);
        }
        Some(at)
    };
    let vendor = add(sides.issuer.as_ref(), issuer, "ISSUED_BY");
    let customer = billed.and_then(|field| add(sides.addressee.as_ref(), field, "BILLED_TO"));
    numbers(&mut found, &sides, text, (vendor, customer));
    if let Some(vendor) = vendor {
        mail(&mut found, &sides, text, (vendor, customer));
        staff(&mut found, &sides, text, vendor);
    }
    account::add(&mut found, text);
    Ok(found.finish())
}

fn entity(found: &mut Findings, party: &Party) -> usize {
    found.party(if party.is_person { "person" } else { "company" }, &party.name, &[])
}

/// Numbers of offices and registers, for the side on which they stand.
pub fn numbers(found: &mut Findings, sides: &Sides, text: &str, (issuer, addressee): (Option<usize>, Option<usize>)) {
    for number in identifier::numbers(text) {
        let is_billed = sides.is_of_addressee(text, number.at) || names_customer(text, number.label);
        let Some(at) = (if is_billed { addressee } else { issuer }) else { continue };
        give(found, at, number.kind, &number.value);
    }
}

/// Adds a number to a company or a person, unless it has one of its kind.
pub fn give(found: &mut Findings, at: usize, kind: Kind, value: &str) {
    let is_person = found.entities()[at].entity_type == "person";
    let field = match kind {
        Kind::Vat => "vat_id",
        Kind::Tax => "tax_id",
        Kind::Either if is_person => "tax_id",
        Kind::Either => "vat_id",
        Kind::Register => "external_id",
    };
    found.fields(at).entry(field.to_owned()).or_insert_with(|| value.into());
}

/// Whether the words around a label say that the number is the customer's: `V/ N.º Contrib.`, `Contribuinte cliente`.
fn names_customer(text: &str, at: usize) -> bool {
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let line = text[line_start..line_end].to_lowercase();
    let before = text[line_start..at].to_lowercase();
    before.trim_end_matches("n.º ").trim_end().ends_with("v/")
        || line.split(|c: char| !c.is_alphanumeric()).any(|word| {
            let term = vocabulary::INVOICE.term(word);
            term.is_some_and(|term| term.field == "customer_name") && word.chars().count() > 4
        })
}

/// Addresses that are looked at: a paper that has more is a list.
const EMAILS_MAX: usize = 20;

/// The one address of mail of the issuer.
fn mail(found: &mut Findings, sides: &Sides, text: &str, (vendor, customer): (usize, Option<usize>)) {
    let mut from = 0;
    let mut own: Vec<&str> = Vec::new();
    for email in identifier::emails(text).into_iter().take(EMAILS_MAX) {
        let Some(at) = text[from..].find(email).map(|at| at + from) else { continue };
        from = at + email.len();
        match customer.filter(|_| sides.is_of_addressee(text, at)) {
            Some(customer) => {
                found.fields(customer).entry("email".to_owned()).or_insert_with(|| email.into());
            }
            None if !own.contains(&email) => own.push(email),
            None => {}
        }
    }
    // What stands below a signature belongs to who signed.
    let signed: Vec<String> = signature::find(text).into_iter().filter_map(|signature| signature.email).collect();
    own.retain(|email| !signed.iter().any(|signed| signed == email));
    if let [email] = own[..] {
        found.fields(vendor).entry("email".to_owned()).or_insert_with(|| email.into());
    }
}

/// People who are named with an office in the letterhead or at the end, and those who signed.
fn staff(found: &mut Findings, sides: &Sides, text: &str, vendor: usize) {
    let is_person = found.entities()[vendor].entity_type == "person";
    if is_person {
        return;
    }
    let mut people: Vec<(String, Option<String>)> = Vec::new();
    let business = found.entities()[vendor].fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    for cell in sides.edges() {
        let named = with_office(&cell.text);
        if named.is_empty() && letterhead::is_owner_of(&cell.text, &business) {
            people.push((cell.text.clone(), None));
        }
        people.extend(named);
    }
    for signature in signature::find(text) {
        if is_short(&signature.name) {
            continue;
        }
        people.push((signature.name.clone(), signature.role.clone()));
        let at = found.person(&signature.name, &[]);
        for (field, value) in [("email", &signature.email), ("role", &signature.role)] {
            if let Some(value) = value {
                found.fields(at).entry(field.to_owned()).or_insert_with(|| value.as_str().into());
            }
        }
    }
    for (name, role) in people {
        let billed = found.entities()[0].fields.get("customer_name").and_then(Value::as_str).unwrap_or_default();
        if !name.contains(' ') || party::key(&name) == party::key(billed) {
            continue;
        }
        let person = found.person(&name, &[]);
        if let Some(role) = role {
            found.fields(person).entry("role".to_owned()).or_insert_with(|| role.into());
        }
        found.link("WORKS_FOR", person, vendor, &name);
    }
}

/// Whether a name is written with initials: `I. Krähwinkel` is somebody who is named elsewhere.
pub fn is_short(name: &str) -> bool {
    name.split_whitespace().next().is_some_and(|first| first.ends_with('.') && first.chars().count() <= 3)
}

/// `Inh. Dirk Möhlenkamp`, `Vorstand: Dr. Almut Reinsdorf`, `Mme Capucine Besnardeau, gérante`, `di Ezio Bassignani`.
pub fn with_office(text: &str) -> Vec<(String, Option<String>)> {
    const OWNERS: [&str; 10] =
        ["inh", "inhaber", "inhaberin", "di", "prop", "proprietor", "gf", "gérant", "titular", "titolare"];
    let mut found = Vec::new();
    let parts: Vec<&str> = text.split([',', '·', '•', '|', ';', '/']).flat_map(|part| part.split(" - ")).collect();
    for (at, part) in parts.iter().enumerate() {
        let part = part.trim();
        let (first, rest) = part.split_once([' ', ':']).unwrap_or((part, ""));
        let owner = first.trim_end_matches(['.', ':']).to_lowercase();
        let after_owner = OWNERS.contains(&owner.as_str()).then_some(rest.trim());
        let after_role = part.split_once(':').filter(|(role, _)| signature::is_role(&vocabulary::normal(role)));
        if let Some(name) = after_owner.and_then(person) {
            found.push((name, None));
        } else if let Some((name, role)) =
            after_role.and_then(|(role, name)| Some((person(name.trim())?, role.trim().to_owned())))
        {
            found.push((name, Some(role)));
        } else if let Some(name) = person(part)
            && let Some(role) = parts.get(at + 1).map(|next| next.trim())
            && signature::is_role(&vocabulary::normal(role))
        {
            found.push((name, Some(role.to_owned())));
        }
    }
    found
}

fn person(text: &str) -> Option<String> {
    let mut words: Vec<&str> = language::without_honorifics(text).0.split_whitespace().collect();
    // Behind the name of a sole trader stands the legal form.
    while words.last().is_some_and(|word| party::is_legal_form(word)) {
        words.pop();
    }
    let name = words.join(" ");
    (signature::is_person(&name) && !party::is_organisation(&name)).then_some(name)
}

/// The parties of a paper as they are stored with it, for readers of other formats.
pub fn named(found: &mut Findings, at: usize) {
    let fields: &Object = &found.entities()[at].fields;
    let text = |field: &str| fields.get(field).and_then(Value::as_str).map(str::to_owned);
    let sides = match found.entities()[at].entity_type.as_str() {
        "invoice" => [(text("vendor_name"), "ISSUED_BY"), (text("customer_name"), "BILLED_TO")],
        "receipt" => [(text("merchant_name"), "ISSUED_BY"), (None, "BILLED_TO")],
        _ => return,
    };
    for (name, relationship) in sides {
        let Some(name) = name else { continue };
        let (plain, is_addressed) = language::without_honorifics(&name);
        let is_person = is_addressed || (signature::is_person(&name) && !party::is_organisation(&name));
        let other = found.party(if is_person { "person" } else { "company" }, plain, &[]);
        found.link(relationship, at, other, &name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_named_with_their_offices() {
        for (text, expected) in [
            ("Inh. Dirk Möhlenkamp", "Dirk Möhlenkamp"),
            ("Birke AöR, Vorstand: Dr. Almut Reinsdorf, HRA 99917", "Almut Reinsdorf"),
            ("Mme Capucine Besnardeau, gérante", "Capucine Besnardeau"),
            ("Inh. Maike Ohlsen e.Kfr.", "Maike Ohlsen"),
            ("Hafenstraße 3, Hamburg", ""),
        ] {
            let names: Vec<String> = with_office(text).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names.join(", "), expected, "{text}");
        }
    }
}
