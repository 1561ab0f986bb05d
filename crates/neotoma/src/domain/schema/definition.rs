//! What makes the definition of a schema unusable.

use regex::RegexBuilder;

use super::check::PATTERN_BYTES_MAX;
use super::{Schema, Strategy, Warning, is_entity_type};
use crate::domain::shape;

impl Schema {
    /// Why this definition cannot be registered; empty when it can.
    pub fn problems(&self) -> Vec<Warning> {
        let mut found = Vec::new();
        let mut report = |field: &str, reason: &str| {
            found.push(Warning { field: field.to_owned(), reason: reason.to_owned() });
        };
        if !is_entity_type(&self.entity_type) {
            report("entity_type", "has to match ^[a-z][a-z0-9_]{0,63}$");
        }
        for (name, field) in &self.fields {
            if let Err(reason) = shape::check_name(name) {
                report(name, &reason);
            }
            if let (Some(min), Some(max)) = (field.min, field.max)
                && min > max
            {
                report(name, "has a min above its max");
            }
            let pattern = field.pattern.as_deref().unwrap_or_default();
            if RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build().is_err() {
                report(name, "has a pattern that is no regular expression, or too large a one");
            }
        }
        if self.identity.iter().any(Vec::is_empty) {
            report("identity", "holds a rule without fields");
        }
        if self.strict && self.identity.is_empty() {
            report("strict", "needs at least one identity rule");
        }
        let temporal = self.temporal_fields.iter().map(|temporal| &temporal.field);
        let reference = self.reference_fields.iter().map(|reference| &reference.field);
        let named = self.identity.iter().flatten().chain(temporal).chain(reference).chain(self.reducers.keys());
        for name in named.filter(|name| !self.declares(name)) {
            report(name, "is used by a rule of the schema and not declared");
        }
        let identifying = |name: &String| self.identity.iter().flatten().any(|field| field == name);
        for (name, _) in self.reducers.iter().filter(|(_, reducer)| reducer.strategy == Strategy::MergeArray) {
            if identifying(name) {
                report(name, "identifies the entity and cannot be a merged array");
            }
        }
        found
    }
}
