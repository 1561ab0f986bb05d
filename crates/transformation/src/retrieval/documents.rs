//! Elements as search knows them: one document each, whose passage is the chunk with its relationships.

use std::collections::{BTreeMap, BTreeSet};

use desk::{Failure, Stored, View};
use futures::future::BoxFuture;
use ledger::{Fact as Kept, Ledger, RecordKey, RecordVersion, Seq, SharedLedger};
use scope::TenantId;
use search::{Document, Passage, Placed, Source, SourceError};

use super::chunk::chunk;
use super::ties::{RELATIONSHIPS_MAX, ties, touching};
use crate::domain::Fact;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::relationship::Relationship;
use crate::projection::fold;

/// Of a longer chunk, the beginning is searched.
const CHUNK_CHARS_MAX: usize = 40_000;
/// Relationships that are read at once.
const LINKS_PER_PAGE: usize = 500;

/// The elements of a ledger.
pub struct Elements {
    pub ledger: SharedLedger,
}

/// The tag of elements of a model.
pub fn model_tag(model_id: &str) -> String {
    format!("model:{model_id}")
}

impl Source for Elements {
    fn name(&self) -> &'static str {
        "transformation"
    }

    fn touched<'a>(
        &'a self,
        tenant: &'a TenantId,
        facts: &'a [Kept],
        at: Seq,
    ) -> BoxFuture<'a, Result<Vec<(Seq, String)>, SourceError>> {
        Box::pin(async move { Ok(touched(self.ledger.as_ref(), tenant, facts, at).await?) })
    }

    fn documents<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<Placed>>, SourceError>> {
        Box::pin(async move { Ok(documents(self.ledger.as_ref(), tenant, at, ids).await?) })
    }
}

/// An element, the ends of a relationship, and whoever is named beside an element that may have another name.
async fn touched(
    ledger: &dyn Ledger,
    tenant: &TenantId,
    facts: &[Kept],
    at: Seq,
) -> Result<Vec<(Seq, String)>, Failure> {
    let (mut touched, mut renamed, mut linked) = (Vec::new(), Vec::new(), Vec::new());
    for fact in facts.iter().filter(|fact| fact.kind.starts_with("transformation.Element")) {
        // What cannot be read is no record either.
        match Fact::read(&fact.kind, &fact.body) {
            Ok(Fact::ElementCreated(element) | Fact::ElementDeleted(element)) => touched.push((fact.seq, element.id)),
            Ok(Fact::ElementUpdated(element)) => {
                touched.push((fact.seq, element.id.clone()));
                renamed.push((fact.seq, element.id));
            }
            Ok(
                Fact::ElementRelationshipCreated(link)
                | Fact::ElementRelationshipUpdated(link)
                | Fact::ElementRelationshipDeleted(link),
            ) => linked.push((fact.seq, link.source_id, link.target_id)),
            _ => {}
        }
    }
    for (seq, id) in renamed {
        // Neighbours then are neighbours now, or a link of theirs is among these facts.
        let now = neighbours(ledger, tenant, at, &id).await?;
        let ends = linked.iter().flat_map(|(_, source, target)| [(source, target), (target, source)]);
        let then = ends.filter(|(end, _)| **end == id).map(|(_, other)| other.clone());
        touched.extend(now.into_iter().chain(then).map(|other| (seq, other)));
    }
    touched.extend(linked.into_iter().flat_map(|(seq, source, target)| [(seq, source), (seq, target)]));
    Ok(touched)
}

/// The ids at the other ends of an element's relationships.
pub async fn neighbours(
    ledger: &dyn Ledger,
    tenant: &TenantId,
    at: Seq,
    id: &str,
) -> Result<BTreeSet<String>, Failure> {
    let view = View::over(ledger, tenant, at);
    let mut find = ledger::Find { limit: LINKS_PER_PAGE, ..touching(id) };
    let mut others = BTreeSet::new();
    loop {
        let page = view.page(find.clone()).await?;
        let ends = page.items.into_iter().filter_map(|version| version.record.ends);
        others.extend(ends.flat_map(|ends| [ends.source, ends.target]).filter(|end| end != id));
        match page.next {
            Some(next) => find.after = Some(next),
            None => return Ok(others),
        }
    }
}

/// What search knows of these elements as they were at a point.
pub async fn documents(
    ledger: &dyn Ledger,
    tenant: &TenantId,
    at: Seq,
    ids: &[String],
) -> Result<Vec<Option<Placed>>, Failure> {
    let view = View::over(ledger, tenant, at);
    let elements = elements(&view, ids.iter().cloned()).await?;
    let mut links: BTreeMap<&str, (Vec<Relationship>, bool)> = BTreeMap::new();
    let mut others: BTreeSet<String> = BTreeSet::new();
    for id in elements.keys() {
        let page = view.page(ledger::Find { limit: RELATIONSHIPS_MAX, ..touching(id) }).await?;
        let more = page.next.is_some();
        let found: Vec<Relationship> = page.items.into_iter().filter_map(read).collect();
        others.extend(found.iter().flat_map(|link| [link.source_id.clone(), link.target_id.clone()]));
        links.insert(id, (found, more));
    }
    others.retain(|id| !elements.contains_key(id));
    let others = self::elements(&view, others.into_iter()).await?;
    let known = |id: &str| elements.get(id).or_else(|| others.get(id)).map(Element::mention);
    let placed = |id: &String| {
        let element = elements.get(id)?;
        let (found, more) = links.get(id.as_str())?;
        let text = chunk(element, &ties(&element.id, found.iter(), *more, known), CHUNK_CHARS_MAX);
        Some(Placed { partition: element.repository_id.clone(), document: document(element, text) })
    };
    Ok(ids.iter().map(placed).collect())
}

fn document(element: &Element, text: String) -> Document {
    let names = [Some(element.name.to_string()), element.key.clone()];
    Document {
        id: element.id.clone(),
        collection: "element".to_owned(),
        r#type: element.r#type.label().to_owned(),
        tags: vec![fold::layer_tag(element.r#type.layer()), model_tag(&element.model_id)],
        names: names.into_iter().flatten().collect(),
        passages: vec![Passage { text, ..Passage::default() }],
    }
}

async fn elements(view: &View<'_>, ids: impl Iterator<Item = String>) -> Result<BTreeMap<String, Element>, Failure> {
    let keys: Vec<RecordKey> = ids.map(|id| RecordKey::new(kind::ELEMENT, id)).collect();
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = view.versions(&keys).await?;
    Ok(found.into_iter().flatten().filter_map(read).map(|element: Element| (element.id.clone(), element)).collect())
}

fn read<T: serde::de::DeserializeOwned>(version: RecordVersion) -> Option<T> {
    Stored::read(version, "-").ok().map(Stored::into_row)
}
