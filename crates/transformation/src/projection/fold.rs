//! Which records a fact makes. Pure: replaying the facts makes the same rows again.

mod baseline;
mod definition;
pub mod governance;
pub mod scrum;

use ledger::{Effect, Ends, NewFact, Record, UniqueName};
use serde_json::Value;

use crate::domain::element::Element;
use crate::domain::model::{Model, Repository};
use crate::domain::name::{normalised, words};
use crate::domain::relationship::Relationship;
use crate::domain::view::View;
use crate::domain::{Fact, fact};
use crate::metamodel::{ElementType, Layer};

/// The fold of this capability.
#[derive(Debug, Default, Clone, Copy)]
pub struct Fold;

impl ledger::Fold for Fold {
    fn effects(&self, fact: &NewFact) -> Result<Vec<Effect>, String> {
        Fact::read(&fact.kind, &fact.body).map(|fact| effects(&fact))
    }
}

/// What a fact does to the records.
pub fn effects(fact: &Fact) -> Vec<Effect> {
    match fact {
        Fact::RepositoryCreated(state) => vec![put(repository(state))],
        Fact::ModelCreated(state) => vec![put(model(state))],
        Fact::ElementCreated(state) | Fact::ElementUpdated(state) => vec![put(element(state))],
        Fact::ElementRelationshipCreated(state) | Fact::ElementRelationshipUpdated(state) => {
            vec![put(relationship(state))]
        }
        Fact::ViewCreated(state) | Fact::ArchimateViewLayoutRecorded(state) => vec![put(view(state))],
        Fact::Proposal(fact) => vec![put(governance::record(fact))],
        Fact::ElementDeleted(_) | Fact::ElementRelationshipDeleted(_) | Fact::ViewDeleted(_) => {
            vec![Effect::End(fact.subject())]
        }
        Fact::Baseline(fact) => baseline::effects(fact),
        Fact::Definition(fact) => vec![put(definition::record(fact.definition()))],
        Fact::Scrum(fact) => scrum::effects(fact),
    }
}

fn put(record: Record) -> Effect {
    Effect::Put(Box::new(record))
}

/// The tag that elements of a layer have.
pub fn layer_tag(layer: Layer) -> String {
    format!("layer:{layer}")
}

/// The tag that the record with this key has.
pub fn key_tag(key: &str) -> String {
    format!("key:{key}")
}

/// The tag of baselines of a model that may still be published.
pub fn open_tag(model_id: &str) -> String {
    format!("open:{model_id}")
}

/// The tag that relationships between these two have.
pub fn pair_tag(source_id: &str, target_id: &str) -> String {
    format!("pair:{source_id}>{target_id}")
}

fn repository(state: &Repository) -> Record {
    Record {
        scope: state.organization_id.clone(),
        r#type: "Repository".to_owned(),
        name: Some(normalised(&state.name)),
        body: fact::text(state),
        ..blank(state.key())
    }
}

fn model(state: &Model) -> Record {
    Record {
        scope: state.repository_id.clone(),
        r#type: "Model".to_owned(),
        name: Some(normalised(&state.name)),
        tags: vec![key_tag(&state.key)],
        unique: vec![unique(format!("model-key:{}", state.repository_id), &state.key)],
        body: fact::text(state),
        ..blank(state.key())
    }
}

fn element(state: &Element) -> Record {
    let name = state.name.normalised();
    let mut tags = vec![layer_tag(state.r#type.layer())];
    let mut names = Vec::new();
    if state.r#type != ElementType::JUNCTION {
        names.push(unique(format!("element:{}:{}", state.model_id, state.r#type), &name));
    }
    if let Some(key) = &state.key {
        tags.push(key_tag(key));
        names.push(unique(format!("element-key:{}", state.model_id), key));
    }
    Record {
        scope: state.model_id.clone(),
        r#type: state.r#type.label().to_owned(),
        name: Some(name),
        tags,
        unique: names,
        text: searchable(state),
        body: fact::text(state),
        ..blank(state.key())
    }
}

fn relationship(state: &Relationship) -> Record {
    Record {
        scope: state.model_id.clone(),
        r#type: state.r#type.label().to_owned(),
        name: state.name.as_ref().map(|name| name.normalised()),
        tags: vec![pair_tag(&state.source_id, &state.target_id)],
        ends: Some(Ends { source: state.source_id.clone(), target: state.target_id.clone() }),
        body: fact::text(state),
        ..blank(state.key())
    }
}

fn view(state: &View) -> Record {
    let name = state.name.normalised();
    let mut names = vec![unique(format!("view:{}", state.model_id), &name)];
    names.extend(state.key.iter().map(|key| unique(format!("view-key:{}", state.model_id), key)));
    Record {
        scope: state.model_id.clone(),
        r#type: "View".to_owned(),
        name: Some(name),
        tags: state.key.iter().map(|key| key_tag(key)).collect(),
        unique: names,
        body: fact::text(state),
        ..blank(state.key())
    }
}

/// What full-text search reads: the name also in its parts, the type, the description and the texts among the properties.
fn searchable(state: &Element) -> String {
    let name = state.name.as_str();
    let mut texts = Vec::new();
    state.properties.values().for_each(|value| collect_texts(value, &mut texts));
    [name, &words(name), state.r#type.label(), state.description.as_deref().unwrap_or_default()]
        .into_iter()
        .chain(texts)
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The texts in a value, also those in lists and objects, such as tags.
fn collect_texts<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(map) => map.values().for_each(|inner| collect_texts(inner, texts)),
        _ => {}
    }
}

fn unique(space: String, name: &str) -> UniqueName {
    UniqueName { space, name: name.to_owned() }
}

fn blank(key: ledger::RecordKey) -> Record {
    Record {
        key,
        scope: String::new(),
        r#type: String::new(),
        listed: true,
        status: None,
        name: None,
        time: None,
        tags: Vec::new(),
        ends: None,
        fields: Vec::new(),
        unique: Vec::new(),
        text: String::new(),
        body: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use ledger::Fold as _;

    use super::*;
    use crate::domain::model;

    #[test]
    fn a_fact_that_was_kept_folds_as_it_did_when_it_was_new() {
        for fact in model::provision("default", "org").facts {
            let kept = NewFact {
                kind: fact.kind().to_owned(),
                subject: fact.subject(),
                body: fact.body(),
                meta: String::new(),
            };
            assert_eq!(Fold.effects(&kept), Ok(effects(&fact)));
        }
    }

    #[test]
    fn a_foreign_fact_is_refused() {
        let fact = NewFact {
            kind: "monitor.SceneOpened".to_owned(),
            subject: ledger::RecordKey::new("monitor.scene", "s"),
            body: "{}".to_owned(),
            meta: String::new(),
        };
        assert_eq!(Fold.effects(&fact), Err("monitor.SceneOpened is not a fact of transformation".to_owned()));
    }
}
