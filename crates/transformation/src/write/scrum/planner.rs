//! From an intent to a decision: loads what the rules want to see, and writes nothing.

use contract::Context;
use ledger::SharedLedger;

use crate::Error;
use crate::domain::scrum::intent::{Intent, Submission};
use crate::domain::scrum::product::{self, Backlog};
use crate::domain::scrum::{Changed, done, item, sprint};
use crate::domain::{Decision, key};
use crate::projection::Snapshot;

/// Decides intents without carrying them out.
#[derive(Clone)]
pub struct ScrumPlanner {
    ledger: SharedLedger,
}

impl ScrumPlanner {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger }
    }

    pub async fn decide(&self, ctx: &Context, submission: &Submission) -> Result<Decision<Changed>, Error> {
        let Submission { new, now, intent, .. } = submission;
        let snapshot = &Snapshot::live(self.ledger.as_ref(), ctx).await?;
        let backlog = backlog(snapshot, ctx, submission).await?;
        let of = backlog.product.id.as_str();
        match intent {
            Intent::SetGoal(command) => product::set_goal(&backlog, command, new, *now),
            Intent::CreateItem(command) => {
                let holder = match &command.key {
                    Some(key) => snapshot.item_by_key(of, key).await?,
                    None => None,
                };
                item::create(&backlog, holder.as_deref(), command, new)
            }
            Intent::RefineItem(command) => {
                let item = snapshot.backlog_item("refine_product_backlog_item.item_id", of, &command.item).await?;
                item::refine(&backlog, &item, command)
            }
            Intent::OrderBacklog(command) => {
                let given = snapshot.backlog_items("order_product_backlog.item_ids", of, &command.items).await?;
                product::order(&backlog, &snapshot.open_items(of).await?, &given, command)
            }
            Intent::CreateSprint(command) => {
                let holder = match &command.key {
                    Some(key) => snapshot.sprint_by_key(of, key).await?,
                    None => None,
                };
                sprint::create(&backlog, holder.as_deref(), command, new)
            }
            Intent::StartSprint { sprint } => {
                sprint::start(&backlog, &snapshot.sprint("start_sprint.sprint_id", of, sprint).await?)
            }
            Intent::EndSprint { sprint } => {
                let sprint = snapshot.sprint("end_sprint.sprint_id", of, sprint).await?;
                let selected = snapshot.items_by_id(&sprint.selected_item_ids).await?;
                sprint::end(&backlog, &sprint, &selected)
            }
            Intent::CancelSprint(command) => {
                let sprint = snapshot.sprint("cancel_sprint.sprint_id", of, &command.sprint).await?;
                let selected = snapshot.items_by_id(&sprint.selected_item_ids).await?;
                sprint::cancel(&backlog, &sprint, &selected, command)
            }
            Intent::CommitBacklog(command) => {
                let sprint = snapshot.sprint("commit_sprint_backlog.sprint_id", of, &command.sprint).await?;
                let items = snapshot.backlog_items("commit_sprint_backlog.item_ids", of, &command.items).await?;
                sprint::backlog::commit(&backlog, &sprint, &items, command)
            }
            Intent::ChangeBacklog(command) => {
                let sprint = snapshot.sprint("change_sprint_backlog.sprint_id", of, &command.sprint).await?;
                let added = snapshot.backlog_items("change_sprint_backlog.add_item_ids", of, &command.add).await?;
                let removed =
                    snapshot.backlog_items("change_sprint_backlog.remove_item_ids", of, &command.remove).await?;
                sprint::backlog::change(&backlog, &sprint, &added, &removed, command)
            }
            Intent::DefineDone(command) => {
                let definitions = snapshot.definitions_of_done(of).await?;
                let last = definitions.iter().map(|definition| definition.number).max().unwrap_or_default();
                Ok(done::define(&backlog, last, command, new, *now))
            }
            Intent::RecordDone(command) => {
                let around = surroundings_of_done(snapshot, of, command).await?;
                done::record(&backlog, &around, command, new, *now)
            }
        }
    }
}

/// The product that an intent goes to. Only some intents may be the first one of a product.
async fn backlog(snapshot: &Snapshot<'_>, ctx: &Context, submission: &Submission) -> Result<Backlog, Error> {
    let reference = submission.product.as_str();
    // An id that nobody has is a mistake and not a new key.
    if !submission.intent.opens_a_product() || looks_like_an_id(reference) {
        return Ok(Backlog::existing(snapshot.product(reference).await?));
    }
    match snapshot.find_product(reference).await? {
        Some(product) => Ok(Backlog::existing(product)),
        None => {
            let key = key::checked_in("product_id", reference.to_owned())?;
            Ok(Backlog::fresh(&submission.new.product, ctx.scope.repository.as_str(), &key))
        }
    }
}

fn looks_like_an_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

async fn surroundings_of_done(
    snapshot: &Snapshot<'_>,
    product_id: &str,
    command: &crate::domain::scrum::intent::RecordDone,
) -> Result<done::Surroundings, Error> {
    let item = snapshot.backlog_item("record_product_backlog_item_done.item_id", product_id, &command.item).await?;
    let sprint = snapshot.sprint("record_product_backlog_item_done.sprint_id", product_id, &command.sprint).await?;
    let definition = snapshot
        .definition_of_done(
            "record_product_backlog_item_done.definition_of_done_id",
            product_id,
            &command.definition_of_done,
        )
        .await?
        .state;
    let increments = snapshot.increments(product_id, Some(&sprint.id)).await?;
    let increment = increments.into_iter().find(|increment| increment.definition_of_done_id == definition.id);
    Ok(done::Surroundings { item, sprint, definition_of_done: definition, increment })
}
