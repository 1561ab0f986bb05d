//! Notes: what a text is when it is nothing more specific. The content is the text itself.

use contract::Object;

use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::NOTE;
use super::{Extracted, Understood};
use crate::domain::shape;

/// A longer first line is a sentence of the text, not its title.
const TITLE_CHARS_MAX: usize = 120;
/// Labels below the first lines belong to the text, not to the note.
const FRONT_PAIRS_MAX: usize = 6;

/// The note that a text without known parts is.
pub fn whole(text: &str) -> Understood {
    read(text, &[], &[])
}

/// The note that a text is; nothing when it is empty.
pub fn read(text: &str, lines: &[Line], pairs: &[Pair]) -> Understood {
    let content = text.trim();
    if content.is_empty() {
        return Understood::default().remark("The document has no text.");
    }
    let front = &pairs[..pairs.len().min(FRONT_PAIRS_MAX)];
    let mut labelled = record::fields(&NOTE, front, Hints::default());
    labelled.remove("content");
    let mut fields = Object::default();
    if let Some(title) = labelled.remove("title").or_else(|| title(lines, pairs)) {
        fields.insert("title".to_owned(), title);
    }
    let kept = &content[..content.floor_char_boundary(shape::TEXT_BYTES_MAX)];
    fields.insert("content".to_owned(), kept.into());
    fields.extend(labelled.0);
    let note = Understood::from(vec![Extracted { entity_type: "note".to_owned(), fields }]);
    if kept.len() == content.len() {
        return note;
    }
    note.remark("The text is longer than a field may be: the note holds its beginning, the file holds all of it.")
}

/// The heading, or the first line unless that is a label with its value.
fn title(lines: &[Line], pairs: &[Pair]) -> Option<serde_json::Value> {
    let heading = lines.iter().take(5).find(|line| line.heading);
    let is_pair = |line: &&Line| {
        let first = pairs.first().filter(|pair| !pair.value.is_empty());
        first.is_some_and(|pair| line.text.contains(": ") && line.text.ends_with(pair.value.as_str()))
    };
    let first = || lines.iter().find(|line| !line.is_blank()).filter(|line| !is_pair(line));
    let line = heading.or_else(first)?;
    (line.text.chars().count() <= TITLE_CHARS_MAX).then(|| line.text.clone().into())
}
