//! Decides undoing: finds the change, what it touched, and what stands in the way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::Context;
use ledger::{At, Expectation, Fact as Kept, LIVE, Ledger as _, Overlay, RecordKey, RecordVersion, Seq};
use serde_json::{Map, Value};

use super::{Applied, Planner};
use crate::Error;
use crate::domain::fact::kind;
use crate::domain::undo::{self, States, Undo};
use crate::domain::{Decision, Fact, Notes};
use crate::error::UndoRefusal;
use crate::projection::{Snapshot, diff, fold};

/// Facts are read so many at a time.
const FACTS_READ: usize = 500;
/// Where a change is found by the id of its call, at most this many facts are looked through, the newest.
const FACTS_SEARCHED_MAX: u64 = 20_000;
/// A change of more facts than this is not taken back.
const FACTS_MAX: usize = 1_000;

impl Planner {
    /// What takes a change back, or what stands in the way.
    pub async fn undo(&self, ctx: &Context, command: &Undo) -> Result<Decision<Applied>, Error> {
        let change = self.change(ctx, &command.change).await?;
        let (first, last) = (change.first().map_or(0, |fact| fact.seq), change.last().map_or(0, |fact| fact.seq));
        let keys = undone(&command.change, &change)?;
        let tenant = &ctx.scope.tenant;
        let before = self.ledger.get(tenant, first - 1, &keys).await?;
        let after = self.ledger.get(tenant, last, &keys).await?;
        let now = self.ledger.get(tenant, LIVE, &keys).await?;
        let since = self.ledger.point(tenant, At::Head).await?;
        let mut conflicts = Vec::new();
        let mut facts: Vec<Fact> = Vec::new();
        let mut expectations = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            let states = States { before: state(&before[place]), after: state(&after[place]), now: state(&now[place]) };
            match undo::inverse(&key.kind, &states, command.now) {
                Err(conflict) => conflicts.push((key.id.clone(), conflict.reason)),
                Ok(fact) => facts.extend(fact),
            }
            expectations.push(match &now[place] {
                Some(version) => Expectation::Version { key: key.clone(), version: version.version },
                None => Expectation::Absent { key: key.clone() },
            });
        }
        // What comes back comes before what is linked to it, and what goes after it.
        facts.sort_by_key(|fact| match fact {
            Fact::ElementRelationshipDeleted(_) => 0,
            Fact::ElementDeleted(_) | Fact::ViewDeleted(_) => 1,
            Fact::ElementCreated(_) | Fact::ElementUpdated(_) => 2,
            Fact::ElementRelationshipCreated(_) | Fact::ElementRelationshipUpdated(_) => 3,
            _ => 4,
        });
        let overlay = Arc::new(Overlay::over(self.ledger.clone(), tenant.clone(), since));
        for fact in &facts {
            overlay.lay(&fold::effects(fact), ctx.now).await?;
        }
        conflicts.extend(self.left_hanging(ctx, &overlay, &facts, since, &mut expectations).await?);
        if !conflicts.is_empty() {
            conflicts.sort();
            return Err(UndoRefusal::Conflicts { change: command.change.clone(), conflicts }.into());
        }
        let touched: Vec<RecordKey> = facts.iter().map(Fact::subject).collect();
        let rows = diff::rows(self.ledger.as_ref(), overlay.as_ref(), ctx, &touched).await?;
        let rows = rows.into_iter().flatten().enumerate().collect();
        let mut notes = Notes::default();
        match facts.is_empty() {
            true => notes.unchanged(),
            false => {
                notes.suggest(format!("What was undone is done again with: chancery undo {}", ctx.request.request_id))
            }
        }
        Ok(Decision { outcome: Applied { rows, ids: BTreeMap::new() }, facts, expectations, notes })
    }

    /// What would be left without an end, or without its unique name: relationships that others made to what goes, ends of what
    /// comes back that are gone, and names that were taken meanwhile.
    async fn left_hanging(
        &self,
        ctx: &Context,
        overlay: &Arc<Overlay<'static>>,
        facts: &[Fact],
        since: Seq,
        expectations: &mut Vec<Expectation>,
    ) -> Result<Vec<(String, String)>, Error> {
        let then = Snapshot::live(overlay.as_ref(), ctx).await?;
        let mut conflicts = Vec::new();
        for fact in facts {
            match fact {
                Fact::ElementDeleted(element) => {
                    let pinned_by = Snapshot::live(self.ledger.as_ref(), ctx).await?;
                    if let Some(stored) = pinned_by.element_by_id(&element.id).await? {
                        let held = pinned_by.pinned_by(&stored).await?;
                        crate::domain::baseline::pin::refuse_pinned(&stored, &held, false)?;
                    }
                    for link in then.relationships_of(&element.id).await? {
                        conflicts.push((element.id.clone(), format!("has the relationship {} since", link.id)));
                    }
                    expectations.push(Expectation::LinksUnchanged { id: element.id.clone(), since });
                }
                Fact::ElementRelationshipDeleted(link) => {
                    for other in then.relationships_of(&link.id).await? {
                        conflicts.push((link.id.clone(), format!("has the relationship {} since", other.id)));
                    }
                    expectations.push(Expectation::LinksUnchanged { id: link.id.clone(), since });
                }
                Fact::ElementRelationshipCreated(link) => {
                    for end in [&link.source_id, &link.target_id] {
                        let ends = [
                            RecordKey::new(kind::ELEMENT, end.as_str()),
                            RecordKey::new(kind::RELATIONSHIP, end.as_str()),
                        ];
                        let found = overlay.get(&ctx.scope.tenant, LIVE, &ends).await?;
                        if found.iter().all(Option::is_none) {
                            conflicts.push((link.id.clone(), format!("ends at {end}, which is gone")));
                        }
                        let here = ends.into_iter().zip(found).find(|(_, found)| found.is_some());
                        expectations.extend(
                            here.filter(|(key, _)| !overlay.changes(key)).map(|(key, _)| Expectation::Exists { key }),
                        );
                    }
                    let acyclic = link.r#type.acyclic_with();
                    if !acyclic.is_empty() && then.leads(&link.target_id, &link.source_id, acyclic).await? {
                        conflicts.push((link.id.clone(), "would close a circle by now".to_owned()));
                    }
                }
                Fact::ElementCreated(element) | Fact::ElementUpdated(element) => {
                    let holders = then.namesakes(&element.model_id, element.name.normalised()).await?;
                    let taken = |other: &&crate::domain::Stored<crate::domain::element::Element>| {
                        other.id != element.id
                            && other.r#type == element.r#type
                            && element.r#type != crate::metamodel::ElementType::JUNCTION
                    };
                    if let Some(other) = holders.iter().find(taken) {
                        conflicts.push((element.id.clone(), format!("had a name that {} has by now", other.id)));
                    }
                }
                _ => {}
            }
        }
        Ok(conflicts)
    }

    /// The facts of a change, by the number of one of them, by the id of its call, or by the proposal that it was.
    async fn change(&self, ctx: &Context, reference: &str) -> Result<Vec<Kept>, Error> {
        let head = self.ledger.point(&ctx.scope.tenant, At::Head).await?;
        let missing = || Error::from(UndoRefusal::NoSuchChange { reference: reference.to_owned() });
        if let Ok(number) = reference.parse::<Seq>() {
            if number == 0 || number > head {
                return Err(missing());
            }
            let found = self.ledger.facts(&ctx.scope.tenant, number - 1, 1).await?;
            let call = found.first().and_then(call_of).ok_or_else(missing)?;
            return self.facts_of(ctx, &call, number.saturating_sub(FACTS_MAX as Seq), number + FACTS_MAX as Seq).await;
        }
        let snapshot = Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let mut call = reference.to_owned();
        let proposal = match snapshot.proposal(reference).await {
            Ok(proposal) => Some(proposal.id.clone()),
            Err(Error::NoSuchProposal { .. }) => None,
            Err(failed) => return Err(failed),
        };
        let from = head.saturating_sub(FACTS_SEARCHED_MAX);
        if let Some(proposal) = proposal {
            let is_acceptance =
                |fact: &Kept| fact.kind == "transformation.ProposalAccepted" && fact.subject.id == proposal;
            let found = self.search(ctx, from, head, is_acceptance).await?;
            call = found.first().and_then(call_of).ok_or_else(missing)?;
        }
        let found = self.facts_of(ctx, &call, from, head).await?;
        if found.is_empty() { Err(missing()) } else { Ok(found) }
    }

    async fn facts_of(&self, ctx: &Context, call: &str, from: Seq, until: Seq) -> Result<Vec<Kept>, Error> {
        self.search(ctx, from, until, |fact| call_of(fact).as_deref() == Some(call)).await
    }

    async fn search(
        &self,
        ctx: &Context,
        from: Seq,
        until: Seq,
        wanted: impl Fn(&Kept) -> bool,
    ) -> Result<Vec<Kept>, Error> {
        let (mut after, mut found) = (from, Vec::new());
        while after < until {
            let facts = self.ledger.facts(&ctx.scope.tenant, after, FACTS_READ).await?;
            let Some(last) = facts.last() else { break };
            after = last.seq;
            found.extend(facts.into_iter().filter(|fact| fact.seq <= until && wanted(fact)));
        }
        Ok(found)
    }
}

/// The records that undoing touches. Governance keeps its own record, so its facts stay; other kinds cannot be taken back.
fn undone(reference: &str, change: &[Kept]) -> Result<Vec<RecordKey>, Error> {
    let is_governance = |fact: &&Kept| [kind::PROPOSAL, kind::DECISION].contains(&fact.subject.kind.as_str());
    let facts: Vec<&Kept> = change.iter().filter(|fact| !is_governance(fact)).collect();
    let foreign =
        |fact: &&&Kept| ![kind::ELEMENT, kind::RELATIONSHIP, kind::VIEW].contains(&fact.subject.kind.as_str());
    if let Some(other) = facts.iter().find(foreign) {
        return Err(UndoRefusal::CannotUndo { change: reference.to_owned(), kind: other.kind.clone() }.into());
    }
    if facts.is_empty() {
        return Err(UndoRefusal::NoSuchChange { reference: reference.to_owned() }.into());
    }
    let mut seen = BTreeSet::new();
    Ok(facts.iter().map(|fact| fact.subject.clone()).filter(|key| seen.insert(key.clone())).collect())
}

/// The id of the call that a fact comes from.
fn call_of(fact: &Kept) -> Option<String> {
    let meta: Value = serde_json::from_str(&fact.meta).ok()?;
    meta.get("causation_id")?.as_str().filter(|id| !id.is_empty()).map(str::to_owned)
}

fn state(found: &Option<RecordVersion>) -> Option<Map<String, Value>> {
    found.as_ref().and_then(|version| serde_json::from_str(&version.record.body).ok())
}
