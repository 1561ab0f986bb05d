//! Notes: what a text is when it is nothing more specific. The content is the text itself.

use contract::Object;

use super::Extracted;
use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::NOTE;

/// A longer first line is a sentence of the text, not its title.
const TITLE_CHARS_MAX: usize = 120;
/// Labels below the first lines belong to the text, not to the note.
const FRONT_PAIRS_MAX: usize = 6;

/// The note that a text is; nothing when it is empty.
pub fn read(text: &str, lines: &[Line], pairs: &[Pair]) -> Option<Extracted> {
    let content = text.trim();
    if content.is_empty() {
        return None;
    }
    let front = &pairs[..pairs.len().min(FRONT_PAIRS_MAX)];
    let mut labelled = record::fields(&NOTE, front, Hints::default());
    labelled.remove("content");
    let mut fields = Object::default();
    if let Some(title) = labelled.remove("title").or_else(|| title(lines)) {
        fields.insert("title".to_owned(), title);
    }
    fields.insert("content".to_owned(), content.into());
    fields.extend(labelled.0);
    Some(Extracted { entity_type: "note".to_owned(), fields })
}

fn title(lines: &[Line]) -> Option<serde_json::Value> {
    let heading = lines.iter().take(5).find(|line| line.heading);
    let first = || lines.iter().find(|line| !line.is_blank());
    let line = heading.or_else(first)?;
    (line.text.chars().count() <= TITLE_CHARS_MAX).then(|| line.text.clone().into())
}
