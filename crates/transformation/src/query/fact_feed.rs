//! Facts for those who follow, as CloudEvents in the order of their commits.
//!
//! The cursor is the sequence number of the last fact seen, so a consumer that stops and goes on misses none.

use contract::generated::transformation::{CloudEvent, FactQueryService, ListFactsRequest, ListFactsResponse};
use contract::{CallError, Context};
use desk::feed::{self, Event};
use ledger::{Fact, SharedLedger};

use crate::Error;

/// Facts of other capabilities lie between ours and are passed over.
const OURS: &str = "transformation.";

/// What happened, asked for again and again.
#[derive(Clone)]
pub struct FactQuery {
    ledger: SharedLedger,
}

impl FactQuery {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { ledger }
    }

    async fn list(&self, ctx: &Context, request: ListFactsRequest) -> Result<ListFactsResponse, Error> {
        let ledger = self.ledger.as_ref();
        let event_type = |fact: &Fact| fact.kind.starts_with(OURS).then(|| event_type(fact));
        let page = feed::page(ledger, ctx, request.after, request.page_size, event_type).await?;
        Ok(ListFactsResponse {
            events: page.events.into_iter().map(message).collect(),
            last_sequence: page.last_sequence,
            more: page.more,
        })
    }
}

impl FactQueryService for FactQuery {
    async fn list_facts(&self, ctx: &Context, request: ListFactsRequest) -> Result<ListFactsResponse, CallError> {
        Ok(self.list(ctx, request).await?)
    }
}

fn message(event: Event) -> CloudEvent {
    CloudEvent {
        specversion: event.specversion.to_owned(),
        id: event.id,
        source: event.source,
        r#type: event.r#type,
        subject: event.subject,
        time: event.time,
        datacontenttype: event.datacontenttype.to_owned(),
        data: Some(event.data),
        tenantid: event.tenantid,
        correlationid: event.correlationid,
        causationid: event.causationid,
        traceparent: event.traceparent,
        sequence: event.sequence,
    }
}

/// The type of a fact of ours as an event.
pub(crate) fn event_type(fact: &Fact) -> String {
    type_of(&fact.kind, &fact.subject.kind)
}

/// `io.ameide.CONTEXT.fact.NAME.v1`. The model itself is architecture; what decides over it is governance.
fn type_of(fact_kind: &str, subject_kind: &str) -> String {
    let name = fact_kind.rsplit('.').next().unwrap_or_default();
    let context = match subject_kind.strip_prefix(OURS).unwrap_or_default() {
        "repository" | "model" | "element" | "relationship" | "view" => "transformation.architecture",
        scrum if scrum.starts_with("scrum.") => "scrum",
        _ => "transformation.governance",
    };
    format!("io.ameide.{context}.fact.{name}.v1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_names_the_context() {
        let check = |fact: &str, subject: &str, expected: &str| assert_eq!(type_of(fact, subject), expected);
        check(
            "transformation.ElementCreated",
            "transformation.element",
            "io.ameide.transformation.architecture.fact.ElementCreated.v1",
        );
        check(
            "transformation.AgentDefinitionUpserted",
            "transformation.definition",
            "io.ameide.transformation.governance.fact.AgentDefinitionUpserted.v1",
        );
        check(
            "transformation.scrum.SprintStarted",
            "transformation.scrum.sprint",
            "io.ameide.scrum.fact.SprintStarted.v1",
        );
    }
}
