//! E-mail: the message itself, who wrote and received it, what it answers, what is attached, and what its own words say.
//!
//! What a reply quotes is not read as words of the reply. What is attached is read by the reader of its format.

use contract::Object;
use mail_parser::{Address, Message, MessageParser, MimeHeaders as _};

use super::bundle::DEPTH_MAX;
use super::effort::Effort;
use super::finding::Findings;
use super::language::Language;
use super::rules::{Format, read_within};
use super::{
    Extracted, Failure, Understood, bank, bundle, html, identifier, language, letter, lines, paper, parties, party,
    payment, signature, todo,
};
use crate::domain::shape;

/// Addresses that become people.
const PERSONS_MAX: usize = 200;
/// Attachments that are read.
const ATTACHMENTS_MAX: usize = 50;

/// The entities of a message.
pub fn entities(bytes: &[u8], depth: usize, effort: &Effort) -> Result<Understood, Failure> {
    if depth >= DEPTH_MAX {
        return Ok(Understood::default().remark("A message within messages is not read: send it alone."));
    }
    effort.spend(bytes.len())?;
    let message = MessageParser::default()
        .parse(bytes)
        .ok_or_else(|| Failure { reason: "the message has no headers that can be read".to_owned() })?;
    let whole = body(&message, effort)?;
    let body = own_words(&whole);
    let mut found = Findings::default();
    let at = found.add("message", fields(&message));
    if let Some(earlier) = message.in_reply_to().as_text() {
        let mut fields = Object::default();
        fields.insert("message_id".to_owned(), earlier.into());
        let earlier = found.add("message", fields);
        found.link("REPLIES_TO", at, earlier, "In-Reply-To");
    }
    for address in [message.from(), message.to(), message.cc()].into_iter().flatten() {
        people(address, &mut found, effort)?;
    }
    attachments(&message, at, depth, &mut found, effort)?;
    signature::read(&body, sender(&message).as_deref(), &mut found, effort)?;
    let language = language::detect(&body);
    let day = message.date().map(|date| format!("{:04}-{:02}-{:02}", date.year, date.month, date.day));
    let sent = day.as_deref().and_then(|day| day.parse().ok());
    ends(&body, sender(&message).as_deref(), &mut found);
    tasks(&message, &body, language, sent, &mut found, effort)?;
    let has_event = found.entities().iter().any(|entity| entity.entity_type == "event");
    if !has_event && let Some(event) = letter::event(&body, language, sent, effort)? {
        let event = found.add("event", event);
        found.link("REFERS_TO", at, event, "the message names day and time");
    }
    let mut said = paper::of_message(&body, effort)?;
    for note in said.entities.iter_mut().filter(|entity| entity.entity_type == "note") {
        note.fields.shift_remove("title");
        // The note keeps what the message quotes, too.
        if let Some(content) = note.fields.get_mut("content") {
            *content = whole.trim()[..whole.trim().floor_char_boundary(shape::TEXT_BYTES_MAX)].into();
        }
        if let Some(subject) = message.subject().map(str::trim).filter(|subject| !subject.is_empty()) {
            note.fields.shift_insert(0, "title".to_owned(), subject.into());
        }
        if let Some(date) = message.date() {
            let day = format!("{:04}-{:02}-{:02}", date.year, date.month, date.day);
            note.fields.insert("created_date".to_owned(), day.into());
        }
    }
    found.absorb(said);
    if let Some(invoice) = refer(&message, &body, at, &mut found)
        && let Some(payment) = payment::told(&body, language, day.as_deref())
    {
        let number = found.entities()[invoice]
            .fields
            .get("invoice_number")
            .and_then(|number| number.as_str())
            .map(str::to_owned);
        if let Some(dated) = number.and_then(|number| payment::day_behind(&body, &number, sent)) {
            found.fields(invoice).entry("invoice_date".to_owned()).or_insert_with(|| dated.into());
        }
        let payment = found.add("transaction", payment);
        found.link("SETTLES", payment, invoice, "the message says that it was paid");
    }
    Ok(found.finish())
}

/// Numbers of offices at the end of a message are those of the company of the sender, and people there have offices in it.
fn ends(body: &str, sender: Option<&str>, found: &mut Findings) {
    const END_LINES: usize = 12;
    let lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    let end = lines[lines.len().saturating_sub(END_LINES)..].join("\n");
    let is_senders = |entity: &Extracted| {
        let text = |field: &str| entity.fields.get(field).and_then(|value| value.as_str()).unwrap_or_default();
        entity.entity_type == "company"
            && sender.is_some_and(|sender| text("email") == sender || party::is_domain_of(text("name"), sender))
    };
    let linked = found.links().iter().find(|link| link.relationship_type == "WORKS_FOR").map(|link| link.target);
    let company = found.entities().iter().position(is_senders).or(linked);
    let Some(company) = company else { return };
    for number in identifier::numbers(&end) {
        parties::give(found, company, number.kind, &number.value);
    }
    for line in end.lines() {
        for (name, role) in parties::with_office(line) {
            let person = found.person(&name, &[]);
            if let Some(role) = role {
                found.fields(person).entry("role".to_owned()).or_insert_with(|| role.into());
            }
            found.link("WORKS_FOR", person, company, line);
        }
    }
}

/// What the people of a message are to do. `Me` is who wrote it.
fn tasks(
    message: &Message<'_>,
    body: &str,
    language: &Language,
    sent: Option<jiff::civil::Date>,
    found: &mut Findings,
    effort: &Effort,
) -> Result<(), Failure> {
    let name = message.from().and_then(|from| from.first()).and_then(|from| from.name()).unwrap_or_default().to_owned();
    let me = ["Me: ", "Ich: ", "Moi : ", "Moi: ", "Yo: ", "Ik: ", "Io: ", "Eu: "];
    let mut lines = lines::lines(body, effort)?;
    for line in &mut lines {
        effort.spend(line.text.len() * 8)?;
        if let Some(rest) = me.iter().find_map(|me| line.text.strip_prefix(me)).filter(|_| !name.is_empty()) {
            line.text = format!("{name}: {rest}");
        }
    }
    let tasks = todo::find(&lines, found, language, sent);
    todo::add(found, tasks);
    Ok(())
}

fn fields(message: &Message<'_>) -> Object {
    let mut fields = Object::default();
    let mut put = |field: &str, value: Option<String>| {
        fields.extend(value.filter(|value| !value.is_empty()).map(|value| (field.to_owned(), value.into())));
    };
    put("subject", message.subject().map(|subject| subject.trim().to_owned()));
    put("sender", sender(message));
    put("sent_at", message.date().map(|date| date.to_rfc3339()));
    put("message_id", message.message_id().map(str::to_owned));
    put("in_reply_to", message.in_reply_to().as_text().map(str::to_owned));
    for (field, list) in [("recipients", message.to()), ("cc", message.cc())] {
        let addresses: Vec<String> =
            list.into_iter().flat_map(Address::iter).filter_map(|one| Some(one.address()?.trim().to_owned())).collect();
        if !addresses.is_empty() {
            fields.insert(field.to_owned(), addresses.into());
        }
    }
    fields
}

fn sender(message: &Message<'_>) -> Option<String> {
    Some(message.from()?.first()?.address()?.trim().to_owned())
}

fn body(message: &Message<'_>, effort: &Effort) -> Result<String, Failure> {
    let is_page =
        message.text_body.is_empty() || message.text_part(0).is_some_and(mail_parser::MessagePart::is_text_html);
    let page = message.body_html(0).filter(|_| is_page);
    let text = match page {
        Some(page) => html::text(&page, effort)?,
        None => message.body_text(0).unwrap_or_default().into_owned(),
    };
    Ok(text.replace("\r\n", "\n"))
}

/// The words of the message without those that it quotes or forwards below them.
fn own_words(body: &str) -> String {
    let mut kept = Vec::new();
    for line in body.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with('>') || trimmed.starts_with("| ") {
            continue;
        }
        let lower = trimmed.to_lowercase();
        let begins_quote = |words: &str| {
            let header = words.ends_with(':') && !words.contains(' ') && words.len() < 12;
            match header {
                // "De : somebody" above a quoted message names an address or a day.
                true => lower.replace(" :", ":").starts_with(words) && (lower.contains('@') || lower.contains("<")),
                false => lower.contains(words) && (lower.ends_with(':') || lower.starts_with('-')),
            }
        };
        let quoting = language::ALL.iter().flat_map(|language| language.quoting.split('|'));
        if !kept.is_empty() && { quoting }.any(begins_quote) {
            break;
        }
        kept.push(line);
    }
    kept.join("\n")
}

/// Each named address once. One whose name its domain has, or that has a legal form, is an organisation.
fn people(address: &Address<'_>, found: &mut Findings, effort: &Effort) -> Result<(), Failure> {
    for one in address.iter() {
        let Some(email) = one.address().map(str::trim).filter(|email| email.contains('@')) else { continue };
        effort.spend(email.len() + found.entities().len().min(PERSONS_MAX))?;
        if found.entities().len() >= PERSONS_MAX {
            break;
        }
        let name = one.name().map(str::trim).unwrap_or_default();
        let name = name.rsplit('|').next().unwrap_or(name).trim();
        let local = email.split('@').next().unwrap_or_default();
        if name.is_empty() || name == email || name.eq_ignore_ascii_case(local) || !name.contains(' ') {
            continue;
        }
        let (plain, is_addressed) = language::without_honorifics(name);
        let is_company = !is_addressed
            && (party::is_company(name)
                || party::is_organisation(name)
                || (party::is_domain_of(name, email) && !has_surname_in(name, email)));
        if is_company {
            found.party("company", name, &[("email", email)]);
        } else {
            found.party("person", &party::natural(plain), &[("email", email)]);
        }
    }
    Ok(())
}

/// Whether the domain has the surname of what looks like a person, and not the first name.
fn has_surname_in(name: &str, email: &str) -> bool {
    let first = name.split_whitespace().next().unwrap_or_default().to_lowercase();
    let domain = email.rsplit('@').next().unwrap_or_default().to_lowercase();
    signature::is_person(name) && name.split_whitespace().count() == 2 && !domain.contains(&first)
}

fn attachments(
    message: &Message<'_>,
    at: usize,
    depth: usize,
    found: &mut Findings,
    effort: &Effort,
) -> Result<(), Failure> {
    let mut unread = 0;
    let calendars = message.parts.iter().filter(|part| part.is_content_type("text", "calendar"));
    let others = message.attachments().filter(|part| !part.is_content_type("text", "calendar"));
    for (number, part) in calendars.chain(others).enumerate() {
        let name = part.attachment_name();
        let declared = part
            .content_type()
            .map(|of| format!("{}/{}", of.ctype(), of.subtype().unwrap_or_default()))
            .unwrap_or_default();
        let format = name.and_then(bundle::by_name).or_else(|| Format::of(&declared, name));
        let Some(format) = format.filter(|_| number < ATTACHMENTS_MAX) else {
            unread += 1;
            continue;
        };
        effort.unpacked(part.contents().len());
        match read_within(format, part.contents(), depth + 1, effort) {
            Ok(mut understood) => {
                // The text of an attachment stays in its file.
                if understood.entities.first().is_some_and(|first| first.entity_type == "note") {
                    understood.links.clear();
                }
                if let Some(main) = found.absorb(understood) {
                    found.link("ATTACHED_TO", main, at, name.unwrap_or("attachment"));
                }
            }
            Err(_) => unread += 1,
        }
    }
    if unread > 0 {
        found.remark(format!(
            "{unread} attachments of the message are not read: too many, damaged, or of another type."
        ));
    }
    Ok(())
}

/// Relates the message to the invoice that it is about.
fn refer(message: &Message<'_>, body: &str, at: usize, found: &mut Findings) -> Option<usize> {
    let subject = message.subject().unwrap_or_default();
    let named = body.lines().chain([subject]).find_map(|line| Some((bank::invoice_named(line)?, line.to_owned())));
    let (number, line) = named?;
    let known = found.entities().iter().position(|entity| {
        entity.entity_type == "invoice"
            && entity.fields.get("invoice_number").is_some_and(|known| *known == number.as_str())
    });
    let invoice = known.unwrap_or_else(|| {
        let mut fields = Object::default();
        fields.insert("invoice_number".to_owned(), number.into());
        found.add("invoice", fields)
    });
    found.link("REFERS_TO", at, invoice, &line);
    Some(invoice)
}
