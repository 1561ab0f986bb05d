//! An entity as search knows it.

use scope::Timestamp;
use search::{Document, Passage, Stream};
use serde::Deserialize;
use serde_json::Value;

use crate::domain::moment;
use crate::domain::reducer::Summary;

/// Fields that hold what was written or said.
const PROSE: [&str; 12] = [
    "text",
    "content",
    "body",
    "description",
    "message",
    "note",
    "notes",
    "summary",
    "comment",
    "quote",
    "transcript",
    "abstract",
];
/// Any other text that is this long is prose too.
const PROSE_CHARS_MIN: usize = 120;
const AUTHORS: [&str; 6] = ["author", "speaker", "sender", "from", "said_by", "written_by"];
const TIMES: [&str; 8] = ["time", "timestamp", "sent_at", "said_at", "occurred_at", "happened_at", "date", "datetime"];
const STREAMS: [&str; 8] =
    ["conversation", "conversation_id", "thread", "thread_id", "channel", "session", "session_id", "stream"];
const ORDERS: [&str; 6] = ["turn", "turn_index", "position", "order", "sequence", "seq"];
/// Names belong to every passage.
const NAMES: [&str; 4] = ["canonical_name", "name", "full_name", "title"];
/// Ids tell nothing in words.
const IDS: [&str; 8] =
    ["message_id", "turn_key", "external_id", "source_id", "id", "uuid", "content_hash", "entity_type"];
/// Who speaks may stand in front of what is said, up to this many characters.
const SPEAKER_CHARS_MAX: usize = 32;

/// What is read of an entity.
#[derive(Debug, Clone, Deserialize)]
pub struct Searched {
    pub id: String,
    pub entity_type: String,
    pub name: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    merged_into: Option<String>,
    pub state: Summary,
}

#[derive(Deserialize)]
struct Body {
    entity: Searched,
}

impl Searched {
    pub fn read(body: &str) -> Result<Self, String> {
        serde_json::from_str::<Body>(body).map(|body| body.entity).map_err(|error| error.to_string())
    }

    pub fn is_live(&self) -> bool {
        self.merged_into.is_none() && !self.state.is_deleted
    }

    pub fn document(&self) -> Document {
        let names = std::iter::once(&self.name).chain(&self.aliases).filter(|name| self.is_a_name(name));
        Document {
            id: self.id.clone(),
            collection: "entity".to_owned(),
            r#type: self.entity_type.clone(),
            tags: Vec::new(),
            names: names.cloned().collect(),
            passages: self.passages(),
        }
    }

    /// The fields that are prose, each in its paragraphs, and then a passage with a line for each of the others.
    fn passages(&self) -> Vec<Passage> {
        let (author, time, stream) = (self.first(&AUTHORS), self.time(), self.first(&STREAMS));
        let order = ORDERS.iter().find_map(|name| number(self.state.snapshot.get(*name)?));
        let mut passages = Vec::new();
        for (field, text) in self.prose() {
            let (speaker, text) = match (&author, &stream) {
                (None, Some(_)) => speaker(text),
                _ => (None, text),
            };
            for (part, paragraph) in (0..).zip(search::paragraphs(text)) {
                let stream = match (&stream, order.or(time.map(|time| time.0))) {
                    (Some(stream), Some(order)) => Some(Stream { id: stream.clone(), order: order * 1_000 + part }),
                    _ => Some(Stream { id: format!("{}/{field}", self.id), order: part }),
                };
                let author = author.clone().or_else(|| speaker.map(str::to_owned));
                passages.push(Passage { text: paragraph.text, place: Some(field.clone()), author, time, stream });
            }
        }
        let is_said = stream.is_some() && !passages.is_empty();
        let lines = if is_said { String::new() } else { self.lines(!passages.is_empty()) };
        if !lines.is_empty() || passages.is_empty() {
            let text = if lines.is_empty() { self.name.clone() } else { lines };
            passages.push(Passage { text, time, ..Passage::default() });
        }
        passages
    }

    fn prose(&self) -> impl Iterator<Item = (&String, &str)> {
        let texts = self.state.snapshot.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
        texts.filter(|(name, text)| {
            (PROSE.contains(&name.as_str()) || text.chars().count() >= PROSE_CHARS_MIN) && !text.trim().is_empty()
        })
    }

    /// A line for each field that is not prose, nor tells who said it and when.
    fn lines(&self, has_prose: bool) -> String {
        let is_told = |name: &str| {
            let mut roles = AUTHORS.iter().chain(&TIMES).chain(&STREAMS).chain(&ORDERS);
            let is_role = has_prose && roles.any(|role| *role == name);
            is_role || NAMES.contains(&name) || IDS.contains(&name) || self.prose().any(|(prose, _)| prose == name)
        };
        let others = self.state.snapshot.iter().filter(|(name, _)| !is_told(name));
        others.filter_map(|(name, value)| Some(line(name, &shown(value)?))).collect::<Vec<_>>().join("\n")
    }

    fn first(&self, names: &[&str]) -> Option<String> {
        let text = |name: &&str| Some(self.state.snapshot.get(*name)?.as_str()?.trim().to_owned());
        names.iter().find_map(text).filter(|text| !text.is_empty())
    }

    fn time(&self) -> Option<Timestamp> {
        TIMES.iter().find_map(|name| {
            let value = self.state.snapshot.get(*name)?;
            // "1:56 pm on 8 May 2023" is of that day.
            let day = || value.as_str()?.rsplit_once(" on ").and_then(|(_, day)| moment::parse(&Value::from(day)));
            moment::parse(value).or_else(day)
        })
    }

    /// Entities that nothing names are called by an id, or by a hash of what is said about them.
    fn is_a_name(&self, name: &str) -> bool {
        let is_id =
            |field: &&str| self.state.snapshot.get(*field).is_some_and(|value| shown(value).as_deref() == Some(name));
        let is_hash = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        !is_hash && !IDS.iter().any(is_id) && !STREAMS.iter().any(is_id)
    }
}

/// A field as a line of text.
fn line(name: &str, value: &str) -> String {
    format!("{}: {}", name.replace('_', " "), value.replace('\n', " "))
}

/// Who speaks, where a text begins with it, and the rest.
fn speaker(text: &str) -> (Option<&str>, &str) {
    match text.split_once(": ") {
        Some((name, rest))
            if name.chars().count() <= SPEAKER_CHARS_MAX
                && name.starts_with(char::is_uppercase)
                && name.chars().all(|letter| letter.is_alphanumeric() || " .'-_".contains(letter)) =>
        {
            (Some(name), rest)
        }
        _ => (None, text),
    }
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(shown).collect();
            Some(items.join(", ")).filter(|text| !text.is_empty())
        }
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().filter_map(|(name, value)| Some(line(name, &shown(value)?))).collect();
            Some(fields.join(", ")).filter(|text| !text.is_empty())
        }
        Value::Null => None,
    }
}

fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64)).or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prose_is_found_by_paragraph_and_other_fields_by_line() {
        check(
            "Acme",
            json!({"name": "Acme", "vat_id": "DE1", "notes": "They pay late.", "tags": ["a", "b"], "id": "7"}),
            "Acme [notes] They pay late. | [] vat id: DE1; tags: a, b",
        );
        check("Acme", json!({}), "Acme [] Acme");
    }

    #[test]
    fn what_was_said_has_author_time_and_place_in_its_conversation() {
        let said =
            json!({"text": "Mel Ann: I ran: far", "conversation": "c", "turn": 4, "time": "1:56 pm on 8 May, 2023"});
        check("c", said, "[text] I ran: far by Mel Ann at 2023-05-08T00:00:00.000000Z in c 4000");
        let said = json!({"text": "Note: x", "author": "Mel", "message_id": "m1"});
        check("m1", said, "[text] Note: x by Mel in e/text 0");
    }

    #[track_caller]
    fn check(name: &str, snapshot: Value, expected: &str) {
        let Value::Object(snapshot) = snapshot else { unreachable!() };
        let state = Summary { count: 1, newest: None, is_deleted: false, snapshot };
        let entity = Searched {
            id: "e".to_owned(),
            entity_type: "t".to_owned(),
            name: name.to_owned(),
            aliases: Vec::new(),
            merged_into: None,
            state,
        };
        let document = entity.document();
        let passage = |passage: &Passage| {
            let mut shown =
                format!("[{}] {}", passage.place.as_deref().unwrap_or_default(), passage.text.replace('\n', "; "));
            shown.extend(passage.author.iter().map(|author| format!(" by {author}")));
            shown.extend(passage.time.iter().map(|time| format!(" at {time}")));
            let stream = passage.stream.iter().filter(|_| passage.author.is_some());
            shown.extend(stream.map(|stream| format!(" in {} {}", stream.id, stream.order)));
            shown
        };
        let passages: Vec<String> = document.passages.iter().map(passage).collect();
        let shown = format!("{} {}", document.names.join(" "), passages.join(" | "));
        assert_eq!(shown.trim(), expected);
    }
}
