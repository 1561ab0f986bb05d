//! Decides change sets: each change over what the earlier ones make, all refusals together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::Context;
use ledger::{At, Direction, Expectation, Ledger as _, Overlay, RecordKey, Seq, Traverse};
use serde_json::{Value, json};

use super::{Outcome, Planner};
use crate::Error;
use crate::domain::change_set::{self, Act, Change, ChangeSet, Claims, Draw, Refused, Thing, Update};
use crate::domain::diff::Row;
use crate::domain::element::{DeleteElement, UpdateElement};
use crate::domain::fact::kind;
use crate::domain::relationship::{DeleteRelationship, Relationship, UpdateRelationship};
use crate::domain::view::{DeleteView, Edge, Layout, Node, SaveView};
use crate::domain::{Decision, Fact, Notes};
use crate::error::ChangeRefusals;
use crate::projection::{Snapshot, diff, fold};
use crate::write::command::changes::in_change;

/// Where the first of the elements on a drawn view stands, and how far the next ones are apart.
const ORIGIN: i32 = 40;
const COLUMNS: i32 = 4;
const STEP_X: i32 = 180;
const STEP_Y: i32 = 120;

/// A set that may be applied.
#[derive(Debug, Clone)]
pub struct Applied {
    /// What differs then, each with the change that it comes from.
    pub rows: Vec<(usize, Row)>,
    /// By key.
    pub ids: BTreeMap<String, String>,
}

/// A set while it is decided.
struct Draft<'a> {
    ctx: &'a Context,
    over: Planner,
    overlay: Arc<Overlay<'static>>,
    since: Seq,
    claims: Claims,
    facts: Vec<Fact>,
    expectations: Vec<Expectation>,
    notes: Notes,
    /// Which change each record comes from, in the order in which they were first touched.
    touched: Vec<(usize, RecordKey)>,
    ids: BTreeMap<String, String>,
    /// The ids of what the changes call by name.
    named: BTreeMap<String, String>,
}

impl Planner {
    /// What a change set leads to, or every reason against it.
    pub async fn apply(&self, ctx: &Context, set: &ChangeSet) -> Result<Decision<Applied>, Error> {
        let since = self.ledger.point(&ctx.scope.tenant, At::Head).await?;
        let overlay = Arc::new(Overlay::over(self.ledger.clone(), ctx.scope.tenant.clone(), since));
        let mut draft = Draft {
            ctx,
            over: Planner::new(overlay.clone(), self.profile),
            overlay,
            since,
            claims: Claims::default(),
            facts: Vec::new(),
            expectations: Vec::new(),
            notes: Notes::default(),
            touched: Vec::new(),
            ids: BTreeMap::new(),
            named: BTreeMap::new(),
        };
        let mut refused = set.refused.clone();
        let mut waiting = Vec::new();
        match change_set::order(&set.changes, &set.lost_keys) {
            Err(in_keys) => refused.extend(in_keys),
            Ok(order) => {
                for place in order {
                    let change = &set.changes[place];
                    let named = draft.with_ids(self, change, set.model.as_deref()).await?;
                    match named.bound(&draft.ids) {
                        None => waiting.push(change.index),
                        Some(bound) => {
                            if let Err(error) = draft.decide(&bound, set.model.as_deref()).await {
                                refuse_unrelated(&error)?;
                                // What a refused change would repeat stands in for it, so that the others are judged too.
                                if let (Some(key), Error::DuplicateName { existing, .. }) = (&change.key, &error) {
                                    draft.ids.insert(key.clone(), existing.id.clone());
                                }
                                refused.push(Refused::new(change.index, error));
                            }
                        }
                    }
                }
            }
        }
        if !refused.is_empty() {
            refused.sort_by_key(|refused| refused.index);
            waiting.sort_unstable();
            let refused = refused.into_iter().map(|refused| in_change(refused.index, refused.error)).collect();
            return Err(ChangeRefusals { total: set.total(), refused, waiting }.into());
        }
        let crossing = draft.crossing_paths().await?;
        draft.expectations.extend(crossing);
        let keys: Vec<RecordKey> = draft.touched.iter().map(|(_, key)| key.clone()).collect();
        let found = diff::rows(self.ledger.as_ref(), draft.overlay.as_ref(), ctx, &keys).await?;
        let rows = draft.touched.iter().zip(found).filter_map(|((index, _), row)| Some((*index, row?))).collect();
        for field in ["parent_id", "source_id", "target_id", "shows", "id"] {
            draft.named.iter().for_each(|(reference, id)| draft.notes.resolve(field, reference, id));
        }
        draft.notes.suggest(format!("A person takes all of it back with: chancery undo {}", ctx.request.request_id));
        let Draft { facts, expectations, notes, ids, .. } = draft;
        Ok(Decision { outcome: Applied { rows, ids }, facts, expectations, notes })
    }
}

impl Draft<'_> {
    /// The change with ids in the place of names, as the model has them before the set. What is not in the model stays as it
    /// is: the set may make it.
    async fn with_ids(&mut self, base: &Planner, change: &Change, model: Option<&str>) -> Result<Change, Error> {
        let mut change = change.clone();
        for reference in change.references_mut() {
            if let Some(found) = self.named.get(reference.as_str()) {
                reference.clone_from(found);
                continue;
            }
            let snapshot = Snapshot::live(base.ledger.as_ref(), self.ctx).await?;
            // A model that is not there is refused where it is used.
            let model_id = snapshot.model_id(model).await.ok();
            let found = match snapshot.element("id", reference, model_id.as_deref()).await {
                Ok(element) => element.state.id,
                Err(failed @ Error::Failed(_)) => return Err(failed),
                Err(_) => continue,
            };
            self.named.insert(reference.clone(), found.clone());
            *reference = found;
        }
        Ok(change)
    }

    async fn decide(&mut self, change: &Change, model: Option<&str>) -> Result<(), Error> {
        let (over, ctx) = (self.over.clone(), self.ctx);
        let decision = match &change.act {
            Act::Create(create) => over.create_element(ctx, create).await?.map(Outcome::Created),
            Act::Relate(relate) => {
                for (field, id) in [("source_id", &relate.source), ("target_id", &relate.target)] {
                    self.refuse_deleted(field, id)?;
                }
                over.create_relationship(ctx, relate).await?.map(Outcome::Linked)
            }
            Act::Draw(draw) => self.draw(draw, model).await?,
            Act::Update(update) => self.update(change.index, update, model).await?,
            Act::Delete(delete) => {
                self.refuse_deleted("id", &delete.reference)?;
                let thing = self.thing(&delete.reference, model).await?;
                let expected_version = delete.expected_version;
                let mut decision = match &thing {
                    Thing::Element(element) => {
                        let (element, even_if_published) = (element.id.clone(), false);
                        let command = DeleteElement { element, cascade: true, even_if_published, expected_version };
                        over.delete_element(ctx, &command).await?.map(Outcome::Deleted)
                    }
                    Thing::Relationship(relationship) => {
                        let command = DeleteRelationship { id: relationship.id.clone(), expected_version };
                        over.delete_relationship(ctx, &command).await?.map(Outcome::Settled)
                    }
                    Thing::View(view) => {
                        let command = DeleteView { view: view.id.clone(), expected_version };
                        over.delete_view(ctx, &command).await?.map(Outcome::Saved)
                    }
                };
                // What is named comes last among the facts.
                let gone: Vec<String> = decision.facts.iter().rev().map(|fact| fact.subject().id).collect();
                self.claims.delete(change.index, &gone)?;
                decision.notes.resolve("id", &delete.reference, thing.id());
                decision
            }
        };
        if let Some(id) = change.makes() {
            self.claims.make(change.index, id);
        }
        self.lay(change, decision).await
    }

    async fn update(&mut self, index: usize, update: &Update, model: Option<&str>) -> Result<Decision<Outcome>, Error> {
        self.refuse_deleted("id", &update.reference)?;
        let thing = self.thing(&update.reference, model).await?;
        self.claims.set(index, thing.id(), claimed(update))?;
        if update.properties.is_some() && !matches!(thing, Thing::Element(_)) {
            let reason = "belongs to elements only".to_owned();
            return Err(Error::invalid("properties", reason, "leave it out"));
        }
        let (over, ctx, expected_version) = (&self.over, self.ctx, update.expected_version);
        let Update { now, name, description, properties, .. } = update.clone();
        let mut decision = match &thing {
            Thing::Element(element) => {
                let element = element.id.clone();
                let command =
                    UpdateElement { element, now, name, description, properties, profile: None, expected_version };
                over.update_element(ctx, &command).await?.map(Outcome::Updated)
            }
            Thing::Relationship(relationship) => {
                let (id, name) = (relationship.id.clone(), name.map(Some));
                let command = UpdateRelationship { id, name, description, expected_version };
                over.update_relationship(ctx, &command).await?.map(Outcome::Settled)
            }
            Thing::View(view) => {
                let command = SaveView {
                    id: view.id.clone(),
                    now,
                    view: Some(view.id.clone()),
                    name,
                    description,
                    viewpoint: None,
                    model: None,
                    key: None,
                    layout: None,
                    expected_version,
                    field: "view",
                };
                over.save_view(ctx, &command).await?.map(Outcome::Saved)
            }
        };
        decision.notes.resolve("id", &update.reference, thing.id());
        Ok(decision)
    }

    /// The view, with what it shows in rows and every relationship between them.
    async fn draw(&mut self, draw: &Draw, model: Option<&str>) -> Result<Decision<Outcome>, Error> {
        let snapshot = Snapshot::live(self.overlay.as_ref(), self.ctx).await?;
        let model_id = snapshot.model_id(model).await?;
        let mut notes = Notes::default();
        let mut ids: Vec<String> = Vec::new();
        for (place, reference) in draw.shows.iter().enumerate() {
            let found = snapshot.element("element_id", reference, Some(&model_id)).await;
            let element = found.map_err(|refusal| at_shown(refusal, place))?;
            notes.resolve("shows", reference, &element.id);
            if !ids.contains(&element.id) {
                ids.push(element.id.clone());
            }
        }
        let mut edges: BTreeMap<String, Relationship> = BTreeMap::new();
        for id in &ids {
            let between = |relationship: &Relationship| {
                ids.contains(&relationship.source_id) && ids.contains(&relationship.target_id)
            };
            let found = snapshot.relationships_of(id).await?.into_iter().filter(between);
            edges.extend(found.map(|relationship| (relationship.id.clone(), relationship)));
        }
        let node = |(place, element_id): (usize, &String)| {
            let place = i32::try_from(place).unwrap_or(i32::MAX);
            let (x, y) = (ORIGIN + place % COLUMNS * STEP_X, ORIGIN + place / COLUMNS * STEP_Y);
            Node {
                element_id: element_id.clone(),
                x,
                y,
                width: 120,
                height: 55,
                node_id: None,
                parent: None,
                style: None,
            }
        };
        let edge =
            |id: &String| Edge { relationship_id: id.clone(), bend_points: Vec::new(), label: None, style: None };
        let layout =
            Layout { nodes: ids.iter().enumerate().map(node).collect(), edges: edges.keys().map(edge).collect() };
        // A view that exists keeps its drawing unless something is shown.
        let layout = (draw.view.view.is_none() || !draw.shows.is_empty()).then_some(layout);
        let command = SaveView { layout, ..draw.view.clone() };
        let mut decision = self.over.save_view(self.ctx, &command).await?.map(Outcome::Saved);
        decision.notes.resolved.retain(|resolved| resolved.field != "element_id" && resolved.field != "parent");
        if let Some(view) = decision.notes.resolved.iter_mut().find(|resolved| resolved.field == "view_id") {
            view.field = "id";
        }
        decision.notes.resolved.extend(notes.resolved);
        Ok(decision)
    }

    /// What a reference means: an element, a relationship by its id, or a view.
    async fn thing(&self, reference: &str, model: Option<&str>) -> Result<Thing, Error> {
        let snapshot = Snapshot::live(self.overlay.as_ref(), self.ctx).await?;
        let model_id = match model {
            Some(_) => Some(snapshot.model_id(model).await?),
            None => None,
        };
        let refusal = match snapshot.element("id", reference, model_id.as_deref()).await {
            Ok(element) => return Ok(Thing::Element(element)),
            Err(refusal @ Error::NoSuchElement { .. }) => refusal,
            Err(other) => return Err(other),
        };
        if let Some(relationship) = snapshot.relationship_by_id(reference).await? {
            return Ok(Thing::Relationship(relationship));
        }
        match snapshot.view(reference).await {
            Ok(view) => Ok(Thing::View(view)),
            Err(Error::NoSuchView { .. }) => Err(refusal),
            Err(other) => Err(other),
        }
    }

    /// Refuses a reference to what another change of the set deletes, in words that say so.
    fn refuse_deleted(&self, field: &'static str, id: &str) -> Result<(), Error> {
        match self.claims.deleter(id) {
            None => Ok(()),
            Some(other) => {
                let reason = format!("disagrees with changes[{other}], which deletes it");
                Err(Error::invalid(field, reason, "keep one of the two"))
            }
        }
    }

    /// Takes a decision into the set: what the earlier ones made need not be expected of the ledger.
    async fn lay(&mut self, change: &Change, decision: Decision<Outcome>) -> Result<(), Error> {
        let expected = |expectation: &Expectation| match expectation {
            Expectation::Version { key, .. } | Expectation::Exists { key } | Expectation::Absent { key } => {
                !self.overlay.changes(key)
            }
            Expectation::LinksUnchanged { .. } | Expectation::NoPath { .. } => true,
        };
        let kept: Vec<Expectation> = decision.expectations.into_iter().filter(expected).collect();
        for expectation in kept {
            match expectation {
                // A way back that the set itself takes away is still there when the ledger looks.
                Expectation::NoPath { types, from, to, .. } if self.unlinks(&types) => {
                    let unchanged = |id| Expectation::LinksUnchanged { id, since: self.since };
                    self.expectations.extend([from, to].map(unchanged));
                }
                other => self.expectations.push(other),
            }
        }
        for fact in &decision.facts {
            let key = fact.subject();
            if !self.touched.iter().any(|(_, known)| *known == key) {
                self.touched.push((change.index, key));
            }
            self.overlay.lay(&fold::effects(fact), self.ctx.now).await?;
        }
        self.facts.extend(decision.facts);
        let Notes { warnings, resolved, .. } = decision.notes;
        for warning in warnings.into_iter().filter(|warning| warning.code != "UNCHANGED") {
            let message = format!("changes[{}]: {}", change.index, warning.message);
            self.notes.warn(warning.code, message, warning.suggestion);
        }
        self.notes.resolved.extend(resolved);
        if let (Some(key), Some(id)) = (&change.key, change.makes()) {
            self.ids.insert(key.clone(), id.to_owned());
        }
        Ok(())
    }

    /// Whether the set deletes a relationship of one of these types.
    fn unlinks(&self, types: &[String]) -> bool {
        self.facts.iter().any(|fact| match fact {
            Fact::ElementRelationshipDeleted(link) => types.iter().any(|of| of == link.r#type.label()),
            _ => false,
        })
    }

    /// Links of the set that follow each other must not be joined to a circle by what others link meanwhile: of no two of them
    /// may the later end lead back to the earlier beginning. Only ends that are in the model already can be linked by others.
    async fn crossing_paths(&self) -> Result<Vec<Expectation>, Error> {
        let links: Vec<&Relationship> = self
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::ElementRelationshipCreated(link) if !link.r#type.acyclic_with().is_empty() => Some(link),
                _ => None,
            })
            .collect();
        let new: BTreeSet<String> = self
            .facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::ElementCreated(element) => Some(element.id.clone()),
                _ => None,
            })
            .collect();
        let ends: Vec<&&Relationship> = links.iter().filter(|link| !new.contains(&link.target_id)).collect();
        let begins: Vec<&&Relationship> = links.iter().filter(|link| !new.contains(&link.source_id)).collect();
        let mut expected = Vec::new();
        for later in ends {
            if begins.iter().all(|earlier| earlier.id == later.id) {
                continue;
            }
            let types: Vec<String> = later.r#type.acyclic_with().iter().map(|of| of.label().to_owned()).collect();
            let walk = Traverse {
                from: later.source_id.clone(),
                kind: kind::RELATIONSHIP.to_owned(),
                types: types.clone(),
                direction: Direction::Incoming,
                hops_max: 10_000,
                records_max: 100_000,
            };
            let above = self.overlay.traverse(&self.ctx.scope.tenant, ledger::LIVE, walk).await?;
            let mut above: BTreeSet<&str> = above.reached.iter().map(|reached| reached.id.as_str()).collect();
            above.insert(&later.source_id);
            for earlier in begins.iter().filter(|earlier| earlier.id != later.id) {
                let of_one_group = later.r#type.acyclic_with().contains(&earlier.r#type);
                if of_one_group && above.contains(earlier.target_id.as_str()) {
                    expected.push(Expectation::NoPath {
                        kind: kind::RELATIONSHIP.to_owned(),
                        types: types.clone(),
                        from: later.target_id.clone(),
                        to: earlier.source_id.clone(),
                    });
                }
            }
        }
        Ok(expected)
    }
}

impl Thing {
    fn id(&self) -> &str {
        match self {
            Self::Element(element) => &element.id,
            Self::Relationship(relationship) => &relationship.id,
            Self::View(view) => &view.id,
        }
    }
}

/// The fields that an update sets, for comparison with other updates of the set.
fn claimed(update: &Update) -> Vec<(String, Value)> {
    let mut fields = Vec::new();
    fields.extend(update.name.as_ref().map(|name| ("name".to_owned(), json!(name.as_str()))));
    fields.extend(update.description.as_ref().map(|text| ("description".to_owned(), json!(text))));
    for (key, value) in update.properties.iter().flatten() {
        fields.push((format!("properties.{key}"), value.clone()));
    }
    fields
}

fn at_shown(refusal: Error, place: usize) -> Error {
    let mut published = contract::CallError::from(refusal);
    if published.field.as_deref() == Some("element_id") {
        published.field = Some(format!("shows[{place}]"));
    }
    Error::Published(published)
}

/// Gives up where the store is at fault and not the set.
fn refuse_unrelated(error: &Error) -> Result<(), Error> {
    match error {
        Error::Failed(_) => Err(error.clone()),
        _ => Ok(()),
    }
}
