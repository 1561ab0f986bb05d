//! The resource of a source: what was stored, and what it is about, as much as an answer holds.
//!
//! A long source goes on at `neotoma://source/ID;from=N`, which the part before names.

use contract::Object;
use contract::generated::neotoma::{ReadSourceRequest, ReadSourceResponse};
use desk::bounds::ANSWER_CHARS_MAX;

use crate::Error;
use crate::projection::{Reader, message};

/// Ids, and entities, that one part shows.
const PART_MAX: usize = 1_000;
/// Characters of JSON that are shown of one entity.
const ENTITY_CHARS_MAX: usize = 40_000;

/// Answers a read of `neotoma://source/ID`.
pub async fn read(reader: &Reader<'_>, request: &ReadSourceRequest) -> Result<ReadSourceResponse, Error> {
    let (id, from) = part(&request.source_id)?;
    let source = reader.stored_source("source_id", id).await.map_err(|error| match error {
        Error::NoSuchSource { .. } | Error::Invalid { .. } => Error::NoSuchResource,
        other => other,
    })?;
    let sent = reader.content(&source).await?;
    let count = sent.len().max(source.row.entities.len());
    let material = message::source(&source.row);
    let (entities, is_cut) = shown(sent.into_iter().skip(from));
    // Both lists go on together. A file has no entities of its own, and its ids are short.
    let shown = if entities.is_empty() { PART_MAX } else { entities.len() };
    let next = from + shown;
    let rest =
        (next < count).then(|| format!("read neotoma://source/{};from={next} for what comes after", material.id));
    let in_full = is_cut.then(|| "get_field_provenance shows a value in full".to_owned());
    let more: Vec<String> = rest.into_iter().chain(in_full).collect();
    Ok(ReadSourceResponse {
        source_material: Some(material),
        entities,
        entity_ids: source.row.entities.into_keys().skip(from).take(shown).collect(),
        truncated: (!more.is_empty()).then_some(true),
        more: (!more.is_empty()).then(|| more.join("; ")),
    })
}

/// The id, and the number of entities before the part that is asked for.
fn part(given: &str) -> Result<(&str, usize), Error> {
    match given.split_once(";from=") {
        None => Ok((given, 0)),
        Some((id, from)) => Ok((id, from.parse().map_err(|_| Error::NoSuchResource)?)),
    }
}

/// Entities as long as they fit into an answer, at least one, each cut to what is shown of one; and whether one was cut.
fn shown(sent: impl Iterator<Item = Object>) -> (Vec<Object>, bool) {
    let (mut shown, mut chars, mut cut) = (Vec::new(), 0, false);
    for entity in sent.take(PART_MAX) {
        let (entity, is_cut) = message::within(entity.0, ENTITY_CHARS_MAX);
        chars += message::object_chars(&entity);
        if chars > ANSWER_CHARS_MAX && !shown.is_empty() {
            break;
        }
        cut |= is_cut;
        shown.push(entity);
    }
    (shown, cut)
}
