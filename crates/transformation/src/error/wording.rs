//! The fix that goes with a refusal.

use contract::CallError;
use serde_json::{Value, json};

use crate::domain::decision::version_id;
use crate::domain::proposal::Pin;
use crate::domain::proposal::rebase::Meeting;
use crate::metamodel::{Concept, ElementType, RelationshipType, everyday, meant_or_nearest};

/// Adds the nearest element types, and the ones that the context allows.
pub fn suggest_element_types(error: CallError, value: &str) -> CallError {
    let labels = ElementType::all().map(ElementType::label);
    let near = meant_or_nearest(everyday::element_types(value), value, labels);
    let best = near.first().and_then(|label| ElementType::from_label(label));
    let valid = match best {
        Some(best) => ElementType::labels_of(best.layer()),
        None => ElementType::all().map(ElementType::label).collect(),
    };
    let hint = match best {
        Some(best) => format!(
            "Use {best}; the {} layer has the types listed, transformation.getElementTypes lists all",
            best.layer()
        ),
        None => "Use one of the types listed; transformation.getElementTypes describes them".to_owned(),
    };
    error.suggest("did_you_mean", near).suggest("valid_types_for_context", valid).hint(hint)
}

/// Adds the nearest relationship types.
pub fn suggest_relationship_types(error: CallError, value: &str) -> CallError {
    let verb = everyday::relationship_types(value);
    let listed = verb.map_or(&[] as &[&str], |verb| verb.types);
    let near = meant_or_nearest(listed, value, RelationshipType::ALL.map(RelationshipType::label));
    let hint = match near.first() {
        Some(best) if verb.is_some_and(|verb| verb.swapped) => format!(
            "Use {best} with source_id and target_id swapped, for it points the other way; transformation.getRelationshipTypes says which pairs it may join"
        ),
        Some(best) => format!("Use {best}; transformation.getRelationshipTypes says which pairs it may join"),
        None => "Use one of the types listed; transformation.getRelationshipTypes describes them".to_owned(),
    };
    error.suggest("did_you_mean", near).suggest("valid_relationships", labels(&RelationshipType::ALL)).hint(hint)
}

/// What to do instead of a relationship that the metamodel does not permit.
pub fn permitted_hint(
    field: &str,
    relationship: RelationshipType,
    source: Concept,
    target: Concept,
    permitted: &[RelationshipType],
    reversed: &[RelationshipType],
) -> String {
    let wanted = relationship.label();
    match permitted.first() {
        _ if field == "parent_id" => format!(
            "leave parent_id out and relate the two with transformation.createRelationship; from {source} to {target} the table permits {}",
            labels(permitted).join(", ")
        ),
        _ if reversed.contains(&relationship) => {
            format!("swap source_id and target_id: {wanted} is permitted from {target} to {source}")
        }
        Some(first) => format!("use {first} or another permitted type; {wanted} reads: {}", relationship.description()),
        None => format!("no relationship may lead from {source} to {target}; choose other elements"),
    }
}

pub fn labels(types: &[RelationshipType]) -> Vec<&'static str> {
    types.iter().copied().map(RelationshipType::label).collect()
}

/// The pins of a proposal that no longer hold, with the version that is there now.
pub fn stale_targets(stale: &[(Pin, Option<u64>)]) -> Value {
    let target = |(pin, now): &(Pin, Option<u64>)| {
        json!({
            "element_id": pin.id,
            "version_id": version_id(&pin.id, pin.version),
            "current_version_id": now.map(|now| version_id(&pin.id, now)),
        })
    };
    stale.iter().map(target).collect()
}

/// Fields that met, with the three values of each.
pub fn meetings(meetings: &[Meeting]) -> Value {
    let shown = |met: &Meeting| {
        json!({
            "element_id": met.record, "field": met.field,
            "base": met.base, "live": met.live, "proposed": met.proposed,
        })
    };
    meetings.iter().map(shown).collect()
}
