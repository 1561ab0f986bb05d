//! From a command about a baseline to a decision: loads what the rules want to see, and writes nothing.

use std::collections::BTreeSet;

use contract::Context;
use contract::generated::transformation::{ReadContext, Selector};
use ledger::SharedLedger;

use crate::Error;
use crate::domain::baseline::draft::{self, CreateBaseline, Surroundings};
use crate::domain::baseline::life::{self, Act};
use crate::domain::baseline::members::Membership;
use crate::domain::baseline::{Baseline, Step};
use crate::domain::element::Element;
use crate::domain::policy::Governance;
use crate::domain::{Decision, Name, Stored};
use crate::projection::Snapshot;
use crate::projection::read_context::Wanted;

/// What a new baseline is to hold.
pub struct Choice {
    pub model: Option<String>,
    /// Ids, keys or names; empty for everything that the context shows.
    pub elements: Vec<String>,
    pub context: ReadContext,
}

/// How a draft is to change.
pub struct Redraft {
    pub baseline: String,
    /// Ids, keys or names.
    pub add: Vec<String>,
    /// Ids, keys or names.
    pub remove: Vec<String>,
}

/// Decides about baselines without changing them.
#[derive(Clone)]
pub struct Planner {
    ledger: SharedLedger,
}

impl Planner {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger }
    }

    pub async fn create(
        &self,
        ctx: &Context,
        choice: &Choice,
        command: &CreateBaseline,
    ) -> Result<Decision<Step>, Error> {
        let shown = Wanted::new(Some(&choice.context))?.snapshot(self.ledger.as_ref(), ctx).await?;
        let model_id = shown.model_id(choice.model.as_deref()).await?;
        let members = if !choice.elements.is_empty() {
            let elements = elements(&shown, "element_ids", &choice.elements, &model_id).await?;
            let relationships = shown.relationships_at("element_ids", &elements).await?;
            Some(Membership::of(&elements, &relationships).checked("element_ids")?)
        } else if shown.shows_a_part() {
            Some(shown.membership("read_context", &model_id).await?)
        } else {
            None
        };
        draft::create(self.around(ctx, &shown, model_id, members, command).await?, command)
    }

    pub async fn change(&self, ctx: &Context, redraft: &Redraft) -> Result<Decision<Step>, Error> {
        let now = Snapshot::head(self.ledger.as_ref(), ctx).await?;
        let pinned = now.pinned("baseline_id", &redraft.baseline).await?;
        let (baseline, model_id) = (&pinned.baseline, &pinned.baseline.model_id);
        draft::refuse_frozen(baseline)?;
        let inside = now.through(Selector::BaselineId, &pinned);
        let around = inside.whole();
        let before = inside.membership("baseline_id", model_id).await?;
        let gone = elements(&inside, "remove_element_ids", &redraft.remove, model_id).await?;
        let gone: BTreeSet<&str> = gone.iter().map(|element| element.id.as_str()).collect();
        let added = elements(&around, "add_element_ids", &redraft.add, model_id).await?;
        let wanted = before.with(&added, &around.relationships_at("add_element_ids", &added).await?);
        let wanted = wanted.keeping(|id| !gone.contains(id)).checked("remove_element_ids")?;
        draft::change(baseline, &before, &wanted, now.at)
    }

    /// A step that only needs to see the baseline.
    pub async fn step(
        &self,
        ctx: &Context,
        reference: &str,
        rule: impl Fn(&Stored<Baseline>) -> Result<Decision<Step>, Error>,
    ) -> Result<Decision<Step>, Error> {
        let now = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        rule(&now.baseline("baseline_id", reference).await?)
    }

    pub async fn promote(
        &self,
        ctx: &Context,
        governance: &Governance,
        reference: &str,
        act: &Act,
    ) -> Result<Decision<Step>, Error> {
        let now = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let baseline = now.baseline("baseline_id", reference).await?;
        life::promote(governance, &baseline, &now.publication().await?, act)
    }

    pub async fn rollback(
        &self,
        ctx: &Context,
        governance: &Governance,
        reference: &str,
        id: &str,
        name: Option<&Name>,
        act: &Act,
    ) -> Result<Decision<Step>, Error> {
        let now = Snapshot::head(self.ledger.as_ref(), ctx).await?;
        let pinned = now.pinned("baseline_id", reference).await?;
        let earlier = &pinned.baseline;
        let shown = now.through(Selector::BaselineId, &pinned);
        let command = CreateBaseline {
            id: id.to_owned(),
            by: act.by.id(),
            now: act.now,
            name: name.map_or_else(|| life::rollback_name(earlier, act), |name| Ok(name.clone()))?,
            key: None,
            description: earlier.description.clone(),
        };
        let members = match earlier.chosen {
            Some(_) => Some(shown.membership("baseline_id", &earlier.model_id).await?),
            None => None,
        };
        let around = self.around(ctx, &shown, earlier.model_id.clone(), members, &command).await?;
        life::rollback(governance, earlier, around, &now.publication().await?, &command, act)
    }

    async fn around(
        &self,
        ctx: &Context,
        shown: &Snapshot<'_>,
        model_id: String,
        members: Option<Membership>,
        command: &CreateBaseline,
    ) -> Result<Surroundings, Error> {
        let live = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        Ok(Surroundings {
            repository_id: ctx.scope.repository.to_string(),
            model_id,
            sequence: shown.at,
            members,
            holders: live.baseline_holders(&command.name.normalised(), command.key.as_deref()).await?,
        })
    }
}

/// The elements that a caller names in `field`, all of one model.
async fn elements(
    shown: &Snapshot<'_>,
    field: &'static str,
    references: &[String],
    model_id: &str,
) -> Result<Vec<Stored<Element>>, Error> {
    let mut found = Vec::with_capacity(references.len());
    for (done, reference) in references.iter().enumerate() {
        shown.report(done, 2 * references.len(), "reading the chosen elements").await?;
        let element = shown.element(field, reference, Some(model_id)).await?;
        crate::domain::relationship::refuse_other_model(field, &element, model_id)?;
        found.push(element);
    }
    Ok(found)
}
