//! Recall: what was told, found by words and by meaning.
//!
//! A turn, the summary of a completed scene, a memory and a snippet are a document each, in the collection that is named after
//! them. They follow from the facts alone, so the index can be made again at any time.

use std::sync::Arc;

use desk::{Stored, View};
use futures::future::BoxFuture;
use ledger::{Fact, RecordKey, Seq, SharedLedger};
use scope::TenantId;
use search::{Document, Filter, Finder, Passage, Placed, Question, Search, Source, SourceError, Stream};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Error;
use crate::domain::Map;
use crate::domain::chunk;
use crate::domain::narrative::{Memory, Scene, Snippet, Turn};
use crate::domain::row::kind;
use crate::domain::words::{DocumentKind, SceneStatus};

/// Where scenes, memories and snippets are found.
pub const SCENES: &str = "scene_chunks";
pub const MEMORIES: &str = "memory_chunks";
pub const SNIPPETS: &str = "snippet_chunks";

/// The kinds of records that are found, with the collection of each.
const FOUND: [(&str, &str); 4] =
    [(kind::SCENE, SCENES), (kind::TURN, SCENES), (kind::MEMORY, MEMORIES), (kind::SNIPPET, SNIPPETS)];

/// Searches what was told.
#[derive(Clone)]
pub struct Recall {
    finder: Finder,
    told: Arc<Told>,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Of the turn, scene, memory or snippet.
    pub id: String,
    pub score: f64,
    pub text: String,
    pub payload: Map,
}

impl Recall {
    pub fn new(search: &Search, ledger: SharedLedger) -> Self {
        let told = Arc::new(Told { ledger });
        Self { finder: search.attach(told.clone()), told }
    }

    /// The best of a collection at a point, best first, with what keeps the answer from being as good as it could be.
    pub async fn find(
        &self,
        view: &View<'_>,
        collection: &str,
        text: &str,
        tags: Vec<String>,
        limit: usize,
    ) -> Result<(Vec<Found>, Vec<String>), Error> {
        let filter = Filter { collections: vec![collection.to_owned()], tags, ..Filter::default() };
        let question = Question { text: text.to_owned(), filter, limit, ..Question::default() };
        let failed = |error: search::SearchError| Error::Transaction {
            message: "the index cannot be asked now".to_owned(),
            fix: "make the same call a little later".to_owned(),
            details: Map::from_iter([("cause".to_owned(), Value::from(error.to_string()))]),
        };
        let found = self.finder.find(view.tenant, collection, view.at, &question).await.map_err(failed)?;
        let ids: Vec<String> = found.hits.iter().map(|hit| hit.document.clone()).collect();
        let mut shown = Vec::with_capacity(ids.len());
        for (hit, known) in found.hits.iter().zip(self.told.told(view, &ids).await?) {
            let Some((document, payload)) = known else { continue };
            let passage = document.passages.into_iter().nth(hit.passage as usize);
            let text = passage.map(|passage| passage.text).unwrap_or_default();
            let id = hit.document.split_once('/').map_or(hit.document.as_str(), |(_, id)| id).to_owned();
            shown.push(Found { id, score: hit.score, text, payload });
        }
        Ok((shown, found.notes))
    }
}

/// What was told, as search reads it.
struct Told {
    ledger: SharedLedger,
}

impl Source for Told {
    fn name(&self) -> &'static str {
        "monitor"
    }

    fn touched<'a>(
        &'a self,
        _tenant: &'a TenantId,
        facts: &'a [Fact],
        _at: Seq,
    ) -> BoxFuture<'a, Result<Vec<(Seq, String)>, SourceError>> {
        let keys = |fact: &Fact| -> Result<Vec<(Seq, String)>, SourceError> {
            Ok(documents_in(&fact.body)?.into_iter().map(|id| (fact.seq, id)).collect())
        };
        let touched = facts.iter().map(keys).collect::<Result<Vec<_>, _>>().map(|lists| lists.concat());
        Box::pin(std::future::ready(touched))
    }

    fn documents<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<Placed>>, SourceError>> {
        Box::pin(async move {
            let view = View::over(self.ledger.as_ref(), tenant, at);
            let known = self.told(&view, ids).await?;
            let place = |(document, _): (Document, Map)| Placed { partition: document.collection.clone(), document };
            Ok(known.into_iter().map(|known| known.map(place)).collect())
        })
    }
}

/// The ids of the documents that a fact with this body may have changed.
fn documents_in(body: &str) -> Result<Vec<String>, serde_json::Error> {
    let body: Value = serde_json::from_str(body)?;
    let rows = body["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
    let id = |row: &Value| {
        let (variant, row) = row.as_object()?.iter().next()?;
        let found = FOUND.iter().find(|(kind, _)| kind.strip_prefix("monitor.") == Some(variant.as_str()))?;
        Some(format!("{variant}/{}", row[format!("{variant}_id")].as_str()?)).filter(|_| !found.1.is_empty())
    };
    Ok(rows.iter().filter_map(id).collect())
}

impl Told {
    /// The documents with these ids and what is shown of each; `None` for what is not to be found.
    async fn told(&self, view: &View<'_>, ids: &[String]) -> Result<Vec<Option<(Document, Map)>>, desk::Failure> {
        let key = |id: &String| {
            let (variant, id) = id.split_once('/').unwrap_or(("", id));
            RecordKey::new(format!("monitor.{variant}"), id)
        };
        let keys: Vec<RecordKey> = ids.iter().map(key).collect();
        let versions = view.versions(&keys).await?;
        let mut told = Vec::with_capacity(ids.len());
        for (id, version) in ids.iter().zip(versions) {
            let Some(version) = version else {
                told.push(None);
                continue;
            };
            told.push(match version.record.key.kind.as_str() {
                kind::SCENE => summary(id, &row(version, view)?),
                kind::TURN => {
                    let turn: Turn = row(version, view)?;
                    let scene = view.get::<Scene>(RecordKey::new(kind::SCENE, &turn.scene_id)).await?;
                    Some(said(id, &turn, scene.as_deref()))
                }
                kind::MEMORY => Some(memory(id, &row(version, view)?)),
                kind::SNIPPET => Some(snippet(id, &row(version, view)?)),
                _ => None,
            });
        }
        Ok(told)
    }
}

fn row<T: DeserializeOwned>(version: ledger::RecordVersion, view: &View<'_>) -> Result<T, desk::Failure> {
    Stored::read(version, view.error_id).map(Stored::into_row)
}

fn summary(id: &str, scene: &Scene) -> Option<(Document, Map)> {
    if scene.status != SceneStatus::Completed || scene.summary.is_empty() {
        return None;
    }
    let passage = Passage { text: scene.summary.clone(), time: scene.completed_at, ..Passage::default() };
    let document = Document {
        names: vec![scene.title.clone()],
        tags: of_scene(scene),
        ..document(id, SCENES, "scene_summary", vec![passage])
    };
    let when = scene.completed_at.map(|moment| moment.to_string());
    let payload = json!({
        "scene_id": scene.scene_id, "story_id": scene.story_id, "universe_id": scene.universe_id,
        "title": scene.title, "type": "scene_summary", "timestamp": when,
    });
    Some((document, object(payload)))
}

fn said(id: &str, turn: &Turn, scene: Option<&Scene>) -> (Document, Map) {
    let passages = pieces(&turn.text).map(|text| Passage {
        text,
        author: turn.entity_id.clone().or_else(|| Some(turn.speaker.to_string())),
        time: Some(turn.timestamp),
        stream: Some(Stream { id: turn.scene_id.clone(), order: turn.number.cast_signed() }),
        ..Passage::default()
    });
    let document =
        Document { tags: scene.map(of_scene).unwrap_or_default(), ..document(id, SCENES, "turn", passages.collect()) };
    let payload = json!({
        "scene_id": turn.scene_id, "story_id": turn.story_id, "universe_id": turn.universe_id,
        "type": "turn", "turn_id": turn.turn_id, "speaker": turn.speaker, "timestamp": turn.timestamp,
    });
    (document, object(payload))
}

fn memory(id: &str, memory: &Memory) -> (Document, Map) {
    let passage = Passage { text: memory.text.clone(), time: Some(memory.created_at), ..Passage::default() };
    let tags = vec![tag("universe", &memory.universe_id), tag("entity", &memory.entity_id)];
    let payload = json!({
        "memory_id": memory.memory_id, "entity_id": memory.entity_id, "universe_id": memory.universe_id,
        "importance": memory.importance, "timestamp": memory.created_at,
    });
    (Document { tags, ..document(id, MEMORIES, "memory", vec![passage]) }, object(payload))
}

fn snippet(id: &str, snippet: &Snippet) -> (Document, Map) {
    let stream = snippet.document_id.clone().map(|id| Stream { id, order: snippet.number.cast_signed() });
    let place = Some(snippet.section.clone()).filter(|section| !section.is_empty());
    let passage = Passage { text: snippet.text.clone(), place, stream, ..Passage::default() };
    let mut tags = vec![tag("universe", &snippet.universe_id)];
    tags.extend(snippet.source_id.iter().map(|source| tag("source", source)));
    let payload = json!({
        "snippet_id": snippet.snippet_id, "doc_id": snippet.doc_id, "source_id": snippet.source_id,
        "universe_id": snippet.universe_id, "page": snippet.page, "section": snippet.section,
    });
    (Document { tags, ..document(id, SNIPPETS, "snippet", vec![passage]) }, object(payload))
}

fn document(id: &str, collection: &str, r#type: &str, passages: Vec<Passage>) -> Document {
    let (id, collection, r#type) = (id.to_owned(), collection.to_owned(), r#type.to_owned());
    Document { id, collection, r#type, passages, ..Document::default() }
}

fn of_scene(scene: &Scene) -> Vec<String> {
    let fixed = [tag("universe", &scene.universe_id), tag("story", &scene.story_id)];
    fixed.into_iter().chain(scene.participating_entities.iter().map(|id| tag("entity", id))).collect()
}

/// A tag that a filter asks for.
pub fn tag(name: &str, id: &str) -> String {
    format!("{name}:{id}")
}

/// A long text in passages.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    chunk::cut(text, DocumentKind::Text).into_iter().map(|chunk| chunk.text)
}

fn object(value: Value) -> Map {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
