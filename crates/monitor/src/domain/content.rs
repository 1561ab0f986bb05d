//! What a proposal wants, read from its open content by its type.
//!
//! References are ids of the canon, or they name a proposal of the same scene: by its `local_ref`, by the name of the entity
//! that it proposes, or by its id. Other spellings that agents use are taken for the same.

use scope::Timestamp;
use serde_json::Value;

use super::Map;
use super::node::TagChange;
use super::words::{EntityClass, EntityType, FactType, ProposalType};
use super::{limit, relation, tags};

/// The content of a proposal, checked by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Fact(FactContent),
    Event(EventContent),
    Entity(EntityContent),
    Relationship(RelationshipContent),
    StateChange(TagChange),
}

#[derive(Debug, Clone, PartialEq)]
pub struct FactContent {
    pub statement: String,
    pub fact_type: FactType,
    pub entities: Vec<String>,
    pub time_ref: Option<Timestamp>,
    pub duration: Option<i64>,
    pub replaces: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EventContent {
    pub title: String,
    pub description: String,
    pub severity: u32,
    pub time_ref: Option<Timestamp>,
    pub entities: Vec<String>,
    pub causes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EntityContent {
    pub class: EntityClass,
    pub name: String,
    pub entity_type: EntityType,
    pub description: String,
    pub properties: Map,
    pub state_tags: Vec<String>,
    pub derives_from: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RelationshipContent {
    pub from: String,
    pub to: String,
    pub rel_type: String,
    pub properties: Map,
    pub remove: bool,
}

/// Reads a content, or says in one line what is wrong with it and what to give.
pub fn parse(kind: ProposalType, content: &Map) -> Result<Content, String> {
    let reader = Reader { content };
    match kind {
        ProposalType::Fact => reader.fact().map(Content::Fact),
        ProposalType::Event => reader.event().map(Content::Event),
        ProposalType::Entity => reader.entity().map(Content::Entity),
        ProposalType::Relationship => reader.relationship().map(Content::Relationship),
        ProposalType::StateChange => reader.state_change().map(Content::StateChange),
    }
}

/// The name by which other proposals of the scene refer to this one.
pub fn local_ref(content: &Map) -> Option<&str> {
    content.get("local_ref").and_then(Value::as_str).filter(|text| !text.is_empty())
}

impl Content {
    /// The entities that it names.
    pub fn entity_refs(&self) -> Vec<&str> {
        match self {
            Self::Fact(fact) => fact.entities.iter().map(String::as_str).collect(),
            Self::Event(event) => event.entities.iter().map(String::as_str).collect(),
            Self::Entity(entity) => entity.derives_from.iter().map(String::as_str).collect(),
            Self::Relationship(relationship) => vec![&relationship.from, &relationship.to],
            Self::StateChange(change) => vec![&change.entity_id],
        }
    }

    /// The events that it names as caused.
    pub fn event_refs(&self) -> &[String] {
        match self {
            Self::Event(event) => &event.causes,
            _ => &[],
        }
    }
}

struct Reader<'a> {
    content: &'a Map,
}

impl Reader<'_> {
    fn fact(&self) -> Result<FactContent, String> {
        Ok(FactContent {
            statement: self.text("statement", limit::STATEMENT_CHARS_MAX)?,
            fact_type: self.word("fact_type", FactType::of, FactType::ALL)?.unwrap_or_default(),
            entities: self.list(&["involved_entity_ids", "entity_ids"])?,
            time_ref: self.moment("time_ref")?,
            duration: self.number("duration")?,
            replaces: self.optional("replaces")?,
        })
    }

    fn event(&self) -> Result<EventContent, String> {
        let severity = self.number("severity")?.unwrap_or(0);
        Ok(EventContent {
            title: self.text("title", limit::NAME_CHARS_MAX)?,
            description: self.text("description", limit::DESCRIPTION_CHARS_MAX)?,
            severity: u32::try_from(severity)
                .ok()
                .filter(|severity| *severity <= 10)
                .ok_or_else(|| format!("content.severity is {severity}; give 0 to 10"))?,
            time_ref: self.moment("time_ref")?,
            entities: self.list(&["involved_entity_ids", "entity_ids"])?,
            causes: self.list(&["causes_event_ids"])?,
        })
    }

    fn entity(&self) -> Result<EntityContent, String> {
        let class = self.word("entity_class", EntityClass::of, EntityClass::ALL)?.unwrap_or(EntityClass::Concreta);
        let wanted = || format!("content.entity_type is missing; give one of {}", among(EntityType::ALL));
        let state_tags =
            tags::normalise(&self.list(&["state_tags"])?).map_err(|reason| format!("content.state_tags {reason}"))?;
        let derives_from = self.optional("derives_from")?;
        if class == EntityClass::Axiomatica && (!state_tags.is_empty() || derives_from.is_some()) {
            return Err(
                "content has state_tags or derives_from, which an EntityAxiomatica has not; leave them out".to_owned()
            );
        }
        if let Some((one, other)) = tags::clash(&state_tags) {
            return Err(format!("content.state_tags has {one:?} and {other:?}, which exclude each other; keep one"));
        }
        Ok(EntityContent {
            class,
            name: self.text("name", limit::NAME_CHARS_MAX)?,
            entity_type: self.word("entity_type", EntityType::of, EntityType::ALL)?.ok_or_else(wanted)?,
            description: self.optional("description")?.unwrap_or_default(),
            properties: self.object("properties")?,
            state_tags,
            derives_from,
        })
    }

    fn relationship(&self) -> Result<RelationshipContent, String> {
        let (from, to) = (self.named(&["from_entity_id", "from"])?, self.named(&["to_entity_id", "to"])?);
        if from == to {
            return Err("content.to_entity_id is the entity itself; name another one".to_owned());
        }
        let rel_type = self.named(&["rel_type", "relationship_type"])?;
        Ok(RelationshipContent {
            from,
            to,
            rel_type: relation::normalise(&rel_type).map_err(|reason| format!("content.rel_type {reason}"))?,
            properties: self.object("properties")?,
            remove: self.content.get("remove").and_then(Value::as_bool).unwrap_or(false),
        })
    }

    fn state_change(&self) -> Result<TagChange, String> {
        let (mut add, mut remove) = (self.list(&["add", "add_tags"])?, self.list(&["remove", "remove_tags"])?);
        if let Some(tag) = self.optional("tag")? {
            match self.optional("action")?.as_deref() {
                None | Some("add") => add.push(tag),
                Some("remove") => remove.push(tag),
                Some(other) => return Err(format!("content.action is {other:?}; give add or remove")),
            }
        }
        let entity_id = self.named(&["entity_id"])?;
        tags::change(&entity_id, &add, &remove).map_err(|(field, reason)| format!("content.{field} {reason}"))
    }

    fn text(&self, name: &str, chars_max: usize) -> Result<String, String> {
        let text = self.named(&[name])?;
        match text.chars().count() {
            count if count > chars_max => {
                Err(format!("content.{name} has {count} characters; give {chars_max} at most"))
            }
            _ => Ok(text),
        }
    }

    /// A text under the first of these names that is there.
    fn named(&self, names: &[&str]) -> Result<String, String> {
        for name in names {
            if let Some(text) = self.optional(name)? {
                return Ok(text);
            }
        }
        Err(format!("content.{} is missing; give a text", names[0]))
    }

    fn optional(&self, name: &str) -> Result<Option<String>, String> {
        match self.content.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("content.{name} is no text; give a text")),
        }
    }

    fn list(&self, names: &[&str]) -> Result<Vec<String>, String> {
        let Some((name, value)) = names.iter().find_map(|name| Some((name, self.content.get(*name)?))) else {
            return Ok(Vec::new());
        };
        let wrong = || format!("content.{name} is no list of texts; give a list such as [\"...\"]");
        let items = value.as_array().ok_or_else(wrong)?;
        if items.len() > limit::REFERENCES_MAX {
            return Err(format!("content.{name} has {} items; give {} at most", items.len(), limit::REFERENCES_MAX));
        }
        let mut list: Vec<String> = Vec::with_capacity(items.len());
        for item in items {
            let text = item.as_str().filter(|text| !text.is_empty()).ok_or_else(wrong)?;
            if !list.iter().any(|known| known == text) {
                list.push(text.to_owned());
            }
        }
        Ok(list)
    }

    fn object(&self, name: &str) -> Result<Map, String> {
        match self.content.get(name) {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map.clone()),
            Some(_) => Err(format!("content.{name} is no object; give an object")),
        }
    }

    fn number(&self, name: &str) -> Result<Option<i64>, String> {
        match self.content.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) if number >= 0 => Ok(Some(number)),
                _ => Err(format!("content.{name} is {value}; give a whole number that is not negative")),
            },
        }
    }

    fn moment(&self, name: &str) -> Result<Option<Timestamp>, String> {
        let Some(text) = self.optional(name)? else { return Ok(None) };
        let wrong = |_| format!("content.{name} is {text:?}; give a date and time such as 2026-07-28T10:30:00Z");
        text.parse().map(Some).map_err(wrong)
    }

    fn word<W: Copy + std::fmt::Display>(
        &self,
        name: &str,
        of: fn(&str) -> Option<W>,
        all: &[W],
    ) -> Result<Option<W>, String> {
        let Some(text) = self.optional(name)? else { return Ok(None) };
        of(&text).map(Some).ok_or_else(|| format!("content.{name} is {text:?}; give one of {}", among(all)))
    }
}

fn among<W: std::fmt::Display>(words: &[W]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
