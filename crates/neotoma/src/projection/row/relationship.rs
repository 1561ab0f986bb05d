//! The record of a relationship, and by what it is found.

use std::collections::BTreeSet;

use ledger::{Ends, Record};

use crate::domain::relationship::{EdgeState, Relationship};

impl Relationship {
    pub(in crate::projection) fn record(&self, user: &str, plain: Record) -> Record {
        let live = self.state == EdgeState::Live;
        Record {
            scope: if live { user.to_owned() } else { hidden_edge_scope(user) },
            r#type: self.relationship_type.clone(),
            name: Some(self.id.clone()),
            // What is hidden has no ends to be walked; tags find it again.
            ends: live.then(|| Ends { source: self.source.clone(), target: self.target.clone() }),
            tags: if live { Vec::new() } else { self.hidden_tags() },
            ..plain
        }
    }

    fn hidden_tags(&self) -> Vec<String> {
        let ends = [&self.source, &self.target, &self.named_source, &self.named_target];
        let distinct: BTreeSet<&String> = ends.into_iter().collect();
        distinct.into_iter().cloned().collect()
    }
}

/// Where relationships are that are not seen.
pub fn hidden_edge_scope(user: &str) -> String {
    format!("{user}/hidden")
}
