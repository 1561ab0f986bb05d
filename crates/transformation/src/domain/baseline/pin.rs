//! What baselines hold in place.

use super::{BaselineMention, Status};
use crate::domain::element::Element;
use crate::error::BaselineRefusal;

/// Refuses to delete an element that a baseline still needs. `pinned_by` are the open and the published baselines that
/// hold it; those that were superseded or rejected hold nothing, since history keeps what they show.
pub fn refuse_pinned(
    element: &Element,
    pinned_by: &[BaselineMention],
    even_if_published: bool,
) -> Result<(), BaselineRefusal> {
    let holds = |baseline: &&BaselineMention| baseline.status.is_open() || !even_if_published;
    let baselines: Vec<BaselineMention> = pinned_by.iter().filter(holds).cloned().collect();
    let Some(first) = baselines.iter().min_by_key(|baseline| !baseline.status.is_open()) else { return Ok(()) };
    let hint = match first.status {
        Status::Draft => format!("take it out of the draft {}, or promote that one first", first.name),
        Status::Submitted | Status::Approved => format!("have {} promoted or rejected first", first.name),
        _ => {
            "promote a baseline without it, or give even_if_published true; what is published stays readable".to_owned()
        }
    };
    Err(BaselineRefusal::Pinned { element: element.mention(), baselines, hint })
}
