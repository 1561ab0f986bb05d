//! Which records a Scrum fact makes.

use ledger::{Effect, Record};

use super::{blank, key_tag, unique};
use crate::domain::fact::text;
use crate::domain::name::normalised;
use crate::domain::scrum::ScrumFact;
use crate::domain::scrum::done::{DefinitionOfDone, Increment};
use crate::domain::scrum::fact::Subject;
use crate::domain::scrum::item::{Item, ItemStatus};
use crate::domain::scrum::product::Product;
use crate::domain::scrum::sprint::Sprint;

/// A sprint's fact also moves items; every other fact makes one record.
pub fn effects(fact: &ScrumFact) -> Vec<Effect> {
    let put = |record| Effect::Put(Box::new(record));
    match fact.parts().1 {
        Subject::Product(state) => vec![put(product(state))],
        Subject::Item(state) => vec![put(item(state))],
        Subject::Sprint(change) => {
            let items = change.items.iter().map(|state| put(item(state)));
            std::iter::once(put(sprint(&change.sprint))).chain(items).collect()
        }
        Subject::DefinitionOfDone(state) => vec![put(definition_of_done(state))],
        Subject::Increment(state) => vec![put(increment(state))],
    }
}

/// The tag that increments of a sprint have.
pub fn sprint_tag(sprint_id: &str) -> String {
    format!("sprint:{sprint_id}")
}

/// The word that an item is found by when it has this status.
pub fn status_word(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::InProductBacklog => "in-product-backlog",
        ItemStatus::SelectedForSprint => "selected-for-sprint",
        ItemStatus::Done => "done",
    }
}

fn product(state: &Product) -> Record {
    Record {
        scope: state.repository_id.clone(),
        r#type: "Product".to_owned(),
        name: Some(normalised(&state.key)),
        tags: vec![key_tag(&state.key)],
        unique: vec![unique(format!("product-key:{}", state.repository_id), &state.key)],
        body: text(state),
        ..blank(state.key())
    }
}

fn item(state: &Item) -> Record {
    Record {
        scope: state.product_id.clone(),
        r#type: "ProductBacklogItem".to_owned(),
        status: Some(status_word(state.status).to_owned()),
        name: Some(state.title.normalised()),
        tags: state.key.iter().map(|key| key_tag(key)).collect(),
        unique: state.key.iter().map(|key| unique(format!("item-key:{}", state.product_id), key)).collect(),
        body: text(state),
        ..blank(state.key())
    }
}

fn sprint(state: &Sprint) -> Record {
    Record {
        scope: state.product_id.clone(),
        r#type: "Sprint".to_owned(),
        name: Some(state.name.normalised()),
        time: Some(state.start_at),
        tags: state.key.iter().map(|key| key_tag(key)).collect(),
        unique: state.key.iter().map(|key| unique(format!("sprint-key:{}", state.product_id), key)).collect(),
        body: text(state),
        ..blank(state.key())
    }
}

fn definition_of_done(state: &DefinitionOfDone) -> Record {
    let handle = state.handle();
    Record {
        scope: state.product_id.clone(),
        r#type: "DefinitionOfDone".to_owned(),
        tags: vec![key_tag(&handle)],
        unique: vec![unique(format!("definition-of-done:{}", state.product_id), &handle)],
        body: text(state),
        ..blank(state.key())
    }
}

fn increment(state: &Increment) -> Record {
    Record {
        scope: state.product_id.clone(),
        r#type: "Increment".to_owned(),
        tags: vec![sprint_tag(&state.sprint_id)],
        // One for each sprint and definition, also when two items are done at the same moment.
        unique: vec![unique(format!("increment:{}", state.sprint_id), &state.definition_of_done_id)],
        body: text(state),
        ..blank(state.key())
    }
}
