//! Which record a definition is.

use ledger::Record;

use super::{blank, unique};
use crate::domain::definition::Definition;
use crate::domain::fact::text;

pub fn record(state: &Definition) -> Record {
    let (kind, name) = (state.kind.label(), state.name.normalised());
    Record {
        scope: state.repository_id.clone(),
        r#type: kind.to_owned(),
        status: Some(state.status.label().to_owned()),
        unique: vec![unique(format!("definition:{}:{kind}", state.repository_id), &name)],
        name: Some(name),
        body: text(state),
        ..blank(state.key())
    }
}
