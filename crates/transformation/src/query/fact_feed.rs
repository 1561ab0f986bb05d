//! Facts for those who follow, as CloudEvents in the order of their commits.
//!
//! The cursor is the sequence number of the last fact seen, so a consumer that stops and goes on misses none.

use contract::generated::transformation::{
    CloudEvent, FactQueryService, ListFactsRequest, ListFactsResponse, TransformationMessageMeta,
};
use contract::{CallError, Context, Object};
use ledger::SharedLedger;
use serde_json::{Map, Value};

use crate::Error;

const PAGE_DEFAULT: u32 = 100;
const PAGE_MAX: u32 = 500;
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
        let size = if request.page_size == 0 { PAGE_DEFAULT } else { request.page_size.min(PAGE_MAX) };
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let facts = self.ledger.facts(&ctx.scope.tenant, request.after, size).await?;
        let ours = facts.iter().filter(|fact| fact.kind.starts_with(OURS));
        Ok(ListFactsResponse {
            events: ours.map(|fact| event(ctx, fact)).collect::<Result<_, _>>()?,
            last_sequence: facts.last().map_or(request.after, |fact| fact.seq),
            more: facts.len() == size,
        })
    }
}

impl FactQueryService for FactQuery {
    async fn list_facts(&self, ctx: &Context, request: ListFactsRequest) -> Result<ListFactsResponse, CallError> {
        Ok(self.list(ctx, request).await?)
    }
}

/// A fact as a CloudEvent.
fn event(ctx: &Context, fact: &ledger::Fact) -> Result<CloudEvent, Error> {
    let unreadable = |error: serde_json::Error| Error::Internal {
        error_id: ctx.request.request_id.clone(),
        cause: format!("fact {} cannot be read: {error}", fact.seq),
    };
    let meta: TransformationMessageMeta = serde_json::from_str(&fact.meta).map_err(unreadable)?;
    let data: Map<String, Value> = serde_json::from_str(&fact.body).map_err(unreadable)?;
    Ok(CloudEvent {
        specversion: "1.0".to_owned(),
        id: meta.message_id,
        source: format!("urn:{}", meta.producer.replace('/', ":")),
        r#type: event_type(&fact.kind, &fact.subject.kind),
        subject: format!("{}/{}", fact.subject.kind.rsplit('.').next().unwrap_or_default(), fact.subject.id),
        time: fact.at.to_string(),
        datacontenttype: "application/json".to_owned(),
        data: Some(Object(data)),
        tenantid: ctx.scope.tenant.to_string(),
        correlationid: meta.correlation_id,
        causationid: meta.causation_id,
        traceparent: Some(meta.traceparent).filter(|parent| !parent.is_empty()),
        sequence: format!("{:020}", fact.seq),
    })
}

/// `io.ameide.CONTEXT.fact.NAME.v1`. The model itself is architecture; what decides over it is governance.
pub(crate) fn event_type(fact_kind: &str, subject_kind: &str) -> String {
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
        let check = |fact: &str, subject: &str, expected: &str| assert_eq!(event_type(fact, subject), expected);
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
