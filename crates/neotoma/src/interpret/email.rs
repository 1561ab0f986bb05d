//! E-mail: the body is read like a text, and who wrote to whom becomes persons.

use std::collections::HashMap;

use contract::Object;
use mail_parser::{Address, MessageParser};

use super::effort::Effort;
use super::{Extracted, Failure, Understood, paper};

/// The most people that one message gives.
const PERSONS_MAX: usize = 200;

/// The entities of a message: what its body says first, then its people.
pub fn entities(bytes: &[u8], effort: &Effort) -> Result<Understood, Failure> {
    effort.spend(bytes.len())?;
    let message = MessageParser::default()
        .parse(bytes)
        .ok_or_else(|| Failure { reason: "the message has no headers that can be read".to_owned() })?;
    let body = message.body_text(0).unwrap_or_default();
    let body = body.replace("\r\n", "\n");
    let mut found = paper::entities(&body, effort)?;
    for note in found.entities.iter_mut().filter(|entity| entity.entity_type == "note") {
        note.fields.shift_remove("title");
        if let Some(subject) = message.subject().map(str::trim).filter(|subject| !subject.is_empty()) {
            note.fields.shift_insert(0, "title".to_owned(), subject.into());
        }
        if let Some(date) = message.date() {
            let day = format!("{:04}-{:02}-{:02}", date.year, date.month, date.day);
            note.fields.insert("created_date".to_owned(), day.into());
        }
    }
    let addresses = [message.from(), message.to(), message.cc()];
    found.entities.extend(persons(addresses.into_iter().flatten(), effort)?);
    Ok(match message.attachment_count() {
        0 => found,
        count => found.remark(format!("{count} attachments of the message are not read: store them as files.")),
    })
}

/// Each address once, with the first name that is given for it.
fn persons<'a>(addresses: impl Iterator<Item = &'a Address<'a>>, effort: &Effort) -> Result<Vec<Extracted>, Failure> {
    let mut found: Vec<Object> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for address in addresses.flat_map(Address::iter) {
        let Some(email) = address.address().map(str::trim).filter(|email| email.contains('@')) else { continue };
        effort.spend(email.len())?;
        let name = address.name().map(str::trim).filter(|name| !name.is_empty() && *name != email);
        let place = places.get(&email.to_ascii_lowercase()).copied();
        match (place.map(|at| &mut found[at]), name) {
            (Some(known), Some(name)) if !known.contains_key("name") => {
                known.insert("name".to_owned(), name.into());
            }
            (Some(_), _) => {}
            (None, name) => {
                let mut person = Object::default();
                person.extend(name.map(|name| ("name".to_owned(), name.into())));
                person.insert("email".to_owned(), email.into());
                places.insert(email.to_ascii_lowercase(), found.len());
                found.push(person);
            }
        }
        if found.len() >= PERSONS_MAX {
            break;
        }
    }
    Ok(found.into_iter().map(|fields| Extracted { entity_type: "person".to_owned(), fields }).collect())
}
