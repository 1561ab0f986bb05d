//! Contact cards (vCard 2.1 to 4.0): people, and the companies they work for.

use super::content_line::{self, ContentLine};
use super::effort::Effort;
use super::finding::Findings;
use super::{Failure, Understood, language};

const CARDS_MAX: usize = 5_000;

/// The people and companies of contact cards.
pub fn entities(text: &str, effort: &Effort) -> Result<Understood, Failure> {
    let lines = content_line::lines(text, effort)?;
    let mut found = Findings::default();
    let mut card: Option<Vec<&ContentLine>> = None;
    let mut count = 0;
    for line in &lines {
        match (line.name.as_str(), &mut card) {
            ("BEGIN", None) if line.value.trim().eq_ignore_ascii_case("VCARD") => card = Some(Vec::new()),
            ("END", Some(_)) => {
                let lines = card.take().unwrap_or_default();
                effort.spend(lines.len() * found.entities().len().min(100))?;
                if count < CARDS_MAX {
                    read(&lines, &mut found);
                }
                count += 1;
            }
            (_, Some(card)) => card.push(line),
            _ => {}
        }
    }
    match count {
        0 => return Err(Failure { reason: "the file has no contact card".to_owned() }),
        count if count > CARDS_MAX => found.remark(format!("Of {count} cards the first {CARDS_MAX} are read.")),
        _ => {}
    }
    Ok(found.finish())
}

fn read(card: &[&ContentLine], found: &mut Findings) {
    let get = |name: &str| card.iter().copied().find(|line| line.name == name);
    let text = |name: &str| get(name).map(ContentLine::text).unwrap_or_default();
    let name = get("N").map(ContentLine::parts).unwrap_or_default();
    let part = |at: usize| name.get(at).cloned().unwrap_or_default();
    let (family, given) = (part(0), part(1));
    let organisation = get("ORG").and_then(|line| line.parts().into_iter().next()).unwrap_or_default();
    let full = match (family.is_empty(), given.is_empty()) {
        (false, false) => format!("{given} {family}"),
        _ => language::without_honorifics(&text("FN")).0.to_owned(),
    };
    let full = if full.is_empty() { organisation.clone() } else { full };
    if full.is_empty() {
        return;
    }
    let is_company = ["org", "group"].contains(&text("KIND").to_lowercase().as_str())
        || text("X-ABSHOWAS").eq_ignore_ascii_case("COMPANY")
        || full == organisation;
    let phone = text("TEL");
    let phone = phone.strip_prefix("tel:").unwrap_or(&phone);
    let address = get("ADR").map(ContentLine::parts).unwrap_or_default();
    let line = |at: usize| address.get(at).cloned().unwrap_or_default();
    let place = format!("{} {}", line(5), line(3));
    let address: Vec<String> = [line(2), place.trim().to_owned()].into_iter().filter(|part| !part.is_empty()).collect();
    let common = [
        ("email", text("EMAIL")),
        ("phone", phone.to_owned()),
        ("website", text("URL")),
        ("address", address.join(", ")),
        ("country", line(6)),
    ];
    let role = [text("TITLE"), text("ROLE")].into_iter().find(|role| !role.is_empty()).unwrap_or_default();
    let own = [
        ("first_name", given),
        ("last_name", family),
        ("organization", organisation.clone()),
        ("role", role),
        ("notes", text("NOTE")),
    ];
    let own = own.iter().filter(|_| !is_company);
    let more: Vec<(&str, &str)> = common.iter().chain(own).map(|(field, value)| (*field, value.as_str())).collect();
    let at = found.party(if is_company { "company" } else { "person" }, &full, &more);
    if !is_company && !organisation.is_empty() {
        let company = found.party("company", &organisation, &[]);
        found.link("WORKS_FOR", at, company, &format!("ORG {organisation}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn a_person_works_for_the_organisation_of_the_card() {
        let text =
            "BEGIN:VCARD\nVERSION:3.0\nN:Linde;Ada;;Dr.;\nFN:Dr. Ada Linde\nORG:Birke GmbH;Labor\nTEL:030 1\nEND:VCARD";
        let found = entities(text, &ample()).unwrap();
        assert_eq!(found.entities[0].fields["name"], "Ada Linde");
        assert_eq!(found.entities[1].fields["name"], "Birke GmbH");
        assert_eq!(
            (found.links[0].relationship_type, found.links[0].source, found.links[0].target),
            ("WORKS_FOR", 0, 1)
        );
    }

    #[test]
    fn what_is_no_card_is_refused() {
        assert!(entities("hello", &ample()).is_err());
    }
}
