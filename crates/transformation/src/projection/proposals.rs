//! Proposals at a point in history.

use ledger::{At, Find, Page, RecordKey};
use serde_json::{Map, Value};

use super::Snapshot;
use super::fold::governance::{open_target_tag, same_tag};
use crate::Error;
use crate::domain::Stored;
use crate::domain::fact::kind;
use crate::domain::id::usual_form;
use crate::domain::proposal::rebase::{Meeting, meetings};
use crate::domain::proposal::{PinsNow, Proposal};

/// How many other proposals a proposal names.
const RIVALS_MAX: usize = 20;
/// How many proposals a proposal may build upon, all in all.
const EXTENDED_MAX: usize = 100;

impl Snapshot<'_> {
    /// The proposal with this id.
    pub async fn proposal(&self, id: &str) -> Result<Stored<Proposal>, Error> {
        let found: Option<Stored<Proposal>> = self.get(Proposal::key_of(&usual_form(id))).await?;
        found
            .filter(|proposal| proposal.repository_id == self.ctx.scope.repository.as_str())
            .ok_or_else(|| Error::NoSuchProposal { reference: id.to_owned() })
    }

    /// The versions of records, in the order of the keys; none for what is not there.
    pub async fn versions_of(&self, keys: &[RecordKey]) -> Result<Vec<Option<u64>>, Error> {
        let found = self.ledger.get(&self.ctx.scope.tenant, self.at, keys).await?;
        Ok(found.into_iter().map(|version| version.map(|version| version.version)).collect())
    }

    /// What a proposal rests on, as this snapshot shows it.
    pub async fn pins_now(&self, proposal: &Proposal) -> Result<PinsNow, Error> {
        let keys: Vec<RecordKey> = proposal.pins.iter().map(|pin| pin.key()).collect();
        let mut now = PinsNow { versions: self.versions_of(&keys).await?, links_changed: Vec::new() };
        for pin in &proposal.link_pins {
            let then = Self { at: pin.since, ..self.clone() };
            if self.link_versions(&pin.id).await? != then.link_versions(&pin.id).await? {
                now.links_changed.push(pin.id.clone());
            }
        }
        Ok(now)
    }

    /// The states of what a proposal would change, as it rests on them: the model when it was filed, with what it builds upon.
    pub async fn rested_on(&self, proposal: &Proposal) -> Result<Self, Error> {
        let at = self.ledger.point(&self.ctx.scope.tenant, At::Time(proposal.created_at)).await?;
        let then = Self { at, since: at, ..self.clone() };
        let mut extended: Vec<Stored<Proposal>> = Vec::new();
        let mut open = proposal.extends.clone();
        while let Some(id) = open.pop() {
            if extended.iter().all(|known| known.id != id) && extended.len() < EXTENDED_MAX {
                let one = self.proposal(&id).await?;
                open.extend(one.extends.iter().cloned());
                extended.push(one);
            }
        }
        extended.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        then.with(&extended).await
    }

    /// The fields that both a proposal and others have changed since it was filed.
    pub async fn meetings(&self, proposal: &Proposal) -> Result<Vec<Meeting>, Error> {
        let base = self.rested_on(proposal).await?;
        let mut found = Vec::new();
        for (key, proposed) in proposal.proposed_states() {
            let states = (base.state_of(&key).await?, self.state_of(&key).await?);
            if let (Some(base), live) = states {
                found.extend(meetings(&key.id, &base, live.as_ref(), proposed.as_ref()));
            }
        }
        Ok(found)
    }

    /// The body of a record and its version.
    pub async fn body_of(&self, key: &RecordKey) -> Result<Option<(String, u64)>, Error> {
        let found = self.ledger.get(&self.ctx.scope.tenant, self.at, std::slice::from_ref(key)).await?;
        Ok(found.into_iter().next().flatten().map(|found| (found.record.body, found.version)))
    }

    /// The state of a record as JSON.
    pub async fn state_of(&self, key: &RecordKey) -> Result<Option<Map<String, Value>>, Error> {
        Ok(self.body_of(key).await?.and_then(|(body, _)| serde_json::from_str(&body).ok()))
    }

    /// An open proposal of the same author that would do the same.
    pub async fn same_proposal(&self, proposal: &Proposal) -> Result<Option<Stored<Proposal>>, Error> {
        let find = Find {
            scope: Some(proposal.repository_id.clone()),
            tag: Some(same_tag(&proposal.fingerprint())),
            limit: 1,
            ..Find::all(kind::PROPOSAL)
        };
        Ok(self.page(find).await?.items.into_iter().next())
    }

    /// Other open proposals that rest on the same records.
    pub async fn rivals(&self, proposal: &Proposal) -> Result<Vec<String>, Error> {
        let mut rivals = Vec::new();
        for pin in &proposal.pins {
            let find = Find {
                scope: Some(proposal.repository_id.clone()),
                tag: Some(open_target_tag(&pin.id)),
                limit: RIVALS_MAX,
                ..Find::all(kind::PROPOSAL)
            };
            let page: Page<Stored<Proposal>> = self.page(find).await?;
            rivals.extend(page.items.into_iter().map(|other| other.state.id));
        }
        rivals.sort();
        rivals.dedup();
        rivals.retain(|id| *id != proposal.id);
        rivals.truncate(RIVALS_MAX);
        Ok(rivals)
    }
}
