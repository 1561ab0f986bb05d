//! The record of an entity, and by what it is found.

use ledger::Record;

use crate::domain::Entity;
use crate::domain::identity::normalise;
use crate::projection::fields;

impl Entity {
    /// Scopes keep merged and deleted entities out of the listings of live ones.
    pub(in crate::projection) fn record(&self, user: &str, plain: Record) -> Record {
        let scope = match (&self.merged_into, self.state.is_deleted()) {
            (Some(_), _) => merged_scope(user),
            (None, true) => deleted_scope(user),
            (None, false) => user.to_owned(),
        };
        let mut text = self.name.clone();
        for word in self.aliases.iter().chain(&self.identifiers) {
            text.push(' ');
            text.push_str(word);
        }
        Record {
            scope,
            // Ids are hashes, and listings go by time.
            listed: false,
            time: Some(self.created_at),
            r#type: self.entity_type.clone(),
            name: Some(normalise(&self.entity_type, &self.name)),
            tags: self.identifiers.clone(),
            // Deleted entities are listed nowhere.
            fields: if self.state.is_deleted() { Vec::new() } else { fields::keys(&self.state) },
            text,
            ..plain
        }
    }
}

/// Where entities are that were merged into others.
pub fn merged_scope(user: &str) -> String {
    format!("{user}/merged")
}

/// Where deleted entities are.
pub fn deleted_scope(user: &str) -> String {
    format!("{user}/deleted")
}
