//! Repositories and the models inside them.

use ledger::{Expectation, RecordKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fact::kind;
use super::{Decision, Fact, Name, Notes};
use crate::Error;

/// The key of the model that a fresh tenant starts with.
pub const DEFAULT_KEY: &str = "default";
/// What callers call the active model, whatever its key.
pub const ACTIVE: &str = "active";

/// A body of work: its models are versioned and published together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    pub id: String,
    pub organization_id: String,
    pub name: String,
    /// The model that writes without `model_id` go to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_model_id: Option<String>,
    /// The baseline that selector `published` reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_baseline_id: Option<String>,
}

impl Repository {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::REPOSITORY, id)
    }
}

/// Elements that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    pub id: String,
    pub repository_id: String,
    pub key: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Model {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::MODEL, id)
    }
}

/// Decides the first change of a repository: it exists, and an empty model in it is active.
///
/// All ids follow from the repository, so processes that start at once decide the same and one of them wins.
pub fn provision(repository_id: &str, organization_id: &str) -> Decision<Model> {
    let model = Model {
        id: default_model_id(repository_id),
        repository_id: repository_id.to_owned(),
        key: DEFAULT_KEY.to_owned(),
        name: "Default model".to_owned(),
        description: Some("The model that writes go to when they name none".to_owned()),
    };
    let repository = Repository {
        id: repository_id.to_owned(),
        organization_id: organization_id.to_owned(),
        name: repository_id.to_owned(),
        active_model_id: Some(model.id.clone()),
        published_baseline_id: None,
    };
    let expectations = vec![Expectation::Absent { key: repository.key() }, Expectation::Absent { key: model.key() }];
    let facts = vec![Fact::RepositoryCreated(repository), Fact::ModelCreated(model.clone())];
    Decision { outcome: model, facts, expectations, notes: Notes::default() }
}

/// What a caller wants to create.
#[derive(Debug, Clone)]
pub struct CreateModel {
    pub id: String,
    pub key: String,
    pub name: Name,
    pub description: Option<String>,
}

/// Decides whether a model may be created. `holder` is the model that has the key already.
pub fn create(repository_id: &str, holder: Option<&Model>, command: &CreateModel) -> Result<Decision<Model>, Error> {
    if let Some(holder) = holder {
        return Err(Error::DuplicateModel { key: command.key.clone(), id: holder.id.clone() });
    }
    if command.key == ACTIVE {
        let hint = "choose another key; 'active' means the model that writes go to";
        return Err(Error::invalid("key", format!("cannot be '{ACTIVE}'"), hint));
    }
    let model = Model {
        id: command.id.clone(),
        repository_id: repository_id.to_owned(),
        key: command.key.clone(),
        name: command.name.to_string(),
        description: command.description.clone(),
    };
    let mut notes = Notes::default();
    notes.suggest(format!("Give model_id {} to the tools that write to it or read it", model.key));
    let expectations =
        vec![Expectation::Exists { key: Repository::key_of(repository_id) }, Expectation::Absent { key: model.key() }];
    Ok(Decision { facts: vec![Fact::ModelCreated(model.clone())], expectations, outcome: model, notes })
}

/// A UUID (version 8) that follows from the repository's id.
fn default_model_id(repository_id: &str) -> String {
    let digest = Sha256::digest(format!("transformation.model:{DEFAULT_KEY}:{repository_id}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex::encode(bytes);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_one_model_and_active_names_none() {
        let command = |key: &str| CreateModel {
            id: "m".to_owned(),
            key: key.to_owned(),
            name: Name::new("name", "Platform").unwrap(),
            description: None,
        };
        assert_eq!(create("r", None, &command("platform")).unwrap().facts.len(), 1);
        let holder = provision("r", "org").outcome;
        let taken = create("r", Some(&holder), &command("default")).unwrap_err();
        assert_eq!(taken.to_string(), "Model 'default' already exists");
        assert_eq!(create("r", None, &command("active")).unwrap_err().to_string(), "key cannot be 'active'");
    }

    #[test]
    fn the_first_model_has_the_same_id_in_every_process() {
        let (one, other) = (provision("default", "org"), provision("default", "org"));
        assert_eq!(one.facts, other.facts);
        assert_eq!(one.outcome.id.len(), 36);
        assert_ne!(one.outcome.id, provision("second", "org").outcome.id);
    }
}
