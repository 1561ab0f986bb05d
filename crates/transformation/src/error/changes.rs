//! Why a change set is refused: every reason, each at its change.

use contract::{CallError, ErrorKind};
use serde_json::{Map, Value, json};

/// Why a change set is refused. Nothing of it was written.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{} of {total} changes are refused, and nothing was written", refused.len())]
pub struct ChangeRefusals {
    pub total: usize,
    /// In the order of the list, each with the path of what is at fault.
    pub refused: Vec<CallError>,
    /// Changes that name the result of a refused one, and are judged once that is repaired.
    pub waiting: Vec<usize>,
}

impl From<ChangeRefusals> for CallError {
    fn from(refusals: ChangeRefusals) -> Self {
        let message = refusals.to_string();
        let first = refusals.refused.first().and_then(|refusal| refusal.field.clone()).unwrap_or_default();
        let listed: Value = refusals.refused.iter().map(shown).collect();
        let waiting: Value = refusals.waiting.iter().map(|index| json!(format!("changes[{index}]"))).collect();
        let mut published = Self::new(ErrorKind::InvalidArgument, "CHANGES_REFUSED", message)
            .field(first)
            .detail("refusals", listed)
            .hint("repair every change that details.refusals names, and send the whole set again");
        if !refusals.waiting.is_empty() {
            published = published.detail("not_judged_yet", waiting);
        }
        published
    }
}

fn shown(refusal: &CallError) -> Value {
    let mut shown = Map::new();
    shown.insert("field".to_owned(), json!(refusal.field));
    shown.insert("code".to_owned(), json!(refusal.code));
    shown.insert("message".to_owned(), json!(refusal.message));
    if !refusal.details.is_empty() {
        shown.insert("details".to_owned(), json!(refusal.details));
    }
    shown.insert("suggestions".to_owned(), json!(refusal.suggestions));
    Value::Object(shown)
}
