//! Queries of facts and events.

use contract::generated::monitor::{
    self as proto, FactQueryService, GetEventRequest, GetEventResponse, GetFactRequest, GetFactResponse,
    QueryEventsRequest, QueryEventsResponse, QueryFactsRequest, QueryFactsResponse, TimeRange,
};
use contract::{CallError, Context};
use desk::Stored;
use ledger::{Direction, FieldKey, FieldRange, Find, FindOrder};
use scope::Timestamp;

use super::Query;
use super::listing::{self, LIMIT_MAX, Listed, Slice};
use crate::Error;
use crate::domain::check;
use crate::domain::graph;
use crate::domain::node::{Event, Fact, Link};
use crate::domain::row::{facet_key, field, kind};
use crate::domain::words::{Authority, CanonLevel};
use crate::error::Flaws;
use crate::projection::message::{self, word};
use crate::projection::{Reader, read_context};

/// Links that an answer about one fact or event shows.
const SHOWN_MAX: usize = 100;

impl FactQueryService for Query {
    async fn query_facts(&self, ctx: &Context, request: QueryFactsRequest) -> Result<QueryFactsResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let times = Times::of(request.time_range.as_ref())?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let listed = facts(&reader, &request, times, slice).await?;
        Ok(QueryFactsResponse {
            facts: listed.items.iter().map(message::fact).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }

    async fn get_fact(&self, ctx: &Context, request: GetFactRequest) -> Result<GetFactResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let fact: Stored<Fact> = reader.get(kind::FACT, ("fact_id", "fact"), &request.fact_id).await?;
        let dependent_ids = linked_to(&reader, &fact.fact_id, None).await?;
        Ok(GetFactResponse { fact: Some(message::fact(&fact)), dependent_ids, read_context: read_context(&reader) })
    }

    async fn get_event(&self, ctx: &Context, request: GetEventRequest) -> Result<GetEventResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let event: Stored<Event> = reader.get(kind::EVENT, ("event_id", "event"), &request.event_id).await?;
        let caused_by_event_ids = linked_to(&reader, &event.event_id, Some(graph::CAUSES)).await?;
        let event = Some(message::event(&event));
        Ok(GetEventResponse { event, caused_by_event_ids, read_context: read_context(&reader) })
    }

    async fn query_events(&self, ctx: &Context, request: QueryEventsRequest) -> Result<QueryEventsResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let times = Times::of(request.time_range.as_ref())?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let listed = events(&reader, &request, times, slice).await?;
        Ok(QueryEventsResponse {
            events: listed.items.iter().map(message::event).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }
}

/// The records from which links lead here.
pub async fn linked_to(reader: &Reader<'_>, id: &str, r#type: Option<&str>) -> Result<Vec<String>, Error> {
    let touching = Some((id.to_owned(), Direction::Incoming));
    let find = Find { touching, r#type: r#type.map(str::to_owned), ..Find::all(kind::LINK) };
    let (links, _) = reader.some::<Link>(find, SHOWN_MAX).await?;
    Ok(links.into_iter().map(|link| link.into_row().from).collect())
}

/// From one moment to another, both included.
#[derive(Debug, Clone, Copy)]
struct Times {
    start: Option<Timestamp>,
    end: Option<Timestamp>,
}

impl Times {
    fn of(given: Option<&TimeRange>) -> Result<Option<Self>, Error> {
        let Some(given) = given else { return Ok(None) };
        let mut flaws = Flaws::default();
        let start = flaws.check(check::moment("time_range.start", given.start.as_deref()));
        let end = flaws.check(check::moment("time_range.end", given.end.as_deref()));
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            flaws.push("time_range.end", "lies before time_range.start", "give them the other way round");
        }
        flaws.refuse()?;
        Ok(Some(Self { start, end }).filter(|times| times.start.is_some() || times.end.is_some()))
    }

    fn hold(&self, time_ref: Option<Timestamp>) -> bool {
        let fits = |moment: Timestamp| {
            self.start.is_none_or(|start| start <= moment) && self.end.is_none_or(|end| moment <= end)
        };
        time_ref.is_some_and(fits)
    }

    fn range(&self) -> FieldRange {
        let mut range = FieldRange::of_sort(field::WHEN, &FieldKey::moment(Timestamp(0)));
        if let Some(start) = self.start {
            range = range.at_least(&FieldKey::moment(start));
        }
        if let Some(end) = self.end {
            range = range.at_most(&FieldKey::moment(end));
        }
        range
    }
}

/// The universe and the field by which what involves an entity is found; nothing when the entity is of another universe.
async fn involving(
    reader: &Reader<'_>,
    entity_id: &str,
    universe_id: Option<&str>,
) -> Result<Option<(String, FieldRange)>, Error> {
    let entity = reader.entity("entity_id", entity_id).await?;
    let is_there = universe_id.is_none_or(|id| id.eq_ignore_ascii_case(&entity.universe_id));
    let range = FieldRange::equal(field::ENTITY, &FieldKey::text(&entity.entity_id));
    Ok(is_there.then(|| (entity.universe_id.clone(), range)))
}

async fn facts(
    reader: &Reader<'_>,
    request: &QueryFactsRequest,
    times: Option<Times>,
    slice: Slice,
) -> Result<Listed<Fact>, Error> {
    let level = CanonLevel::of(word::<proto::CanonLevel>(request.canon_level));
    let authority = Authority::of(word::<proto::Authority>(request.authority));
    let status = level.map(|level| level.to_string());
    let by_field = |scope: String, range: FieldRange| Find {
        scope: Some(scope),
        status: status.clone(),
        field: Some(range),
        order: FindOrder::Field,
        ..Find::all(kind::FACT)
    };
    let keeps = |fact: &Fact, _: usize| {
        authority.is_none_or(|wanted| fact.authority == wanted) && times.is_none_or(|times| times.hold(fact.time_ref))
    };
    if let Some(id) = &request.entity_id {
        let Some((scope, range)) = involving(reader, id, request.universe_id.as_deref()).await? else {
            return listing::page(reader, Vec::new(), slice).await;
        };
        let finds = vec![by_field(scope, range)];
        return match (authority, times) {
            (None, None) => listing::page(reader, finds, slice).await,
            _ => listing::page_of(reader, finds, slice, keeps).await,
        };
    }
    let scopes = listing::scopes(reader, request.universe_id.as_deref()).await?;
    if let Some(times) = times {
        let finds = scopes.into_iter().map(|scope| by_field(scope, times.range())).collect();
        return match authority {
            None => listing::page(reader, finds, slice).await,
            Some(_) => listing::page_of(reader, finds, slice, keeps).await,
        };
    }
    let finds = scopes.into_iter().flat_map(|scope| by_facet(&scope, level, authority)).collect();
    listing::page(reader, finds, slice).await
}

/// The finds of facts of a level and an authority.
fn by_facet(scope: &str, level: Option<CanonLevel>, authority: Option<Authority>) -> Vec<Find> {
    let all = Find { scope: Some(scope.to_owned()), ..Find::all(kind::FACT) };
    let find = |range: FieldRange| Find { field: Some(range), order: FindOrder::Field, ..all.clone() };
    match (level, authority) {
        (None, None) => vec![all],
        (Some(level), None) => vec![find(FieldRange::starting_with(field::FACET, &format!("{level}/")))],
        (level, Some(authority)) => {
            let levels = CanonLevel::ALL.iter().filter(|one| level.is_none_or(|level| level == **one));
            let key = |level: &CanonLevel| facet_key(level.as_str(), authority.as_str());
            levels.map(|level| find(FieldRange::equal(field::FACET, &key(level)))).collect()
        }
    }
}

async fn events(
    reader: &Reader<'_>,
    request: &QueryEventsRequest,
    times: Option<Times>,
    slice: Slice,
) -> Result<Listed<Event>, Error> {
    let status = CanonLevel::of(word::<proto::CanonLevel>(request.canon_level)).map(|level| level.to_string());
    let scene = request.scene_id.as_ref().map(|id| id.to_ascii_lowercase());
    let all = |scope: String| Find { scope: Some(scope), status: status.clone(), ..Find::all(kind::EVENT) };
    let by_field =
        |scope: String, range: FieldRange| Find { field: Some(range), order: FindOrder::Field, ..all(scope) };
    let keeps = |event: &Event, _: usize| {
        scene.as_ref().is_none_or(|scene| event.scene_id.as_ref() == Some(scene))
            && times.is_none_or(|times| times.hold(event.time_ref))
    };
    if let Some(id) = &request.entity_id {
        let Some((scope, range)) = involving(reader, id, request.universe_id.as_deref()).await? else {
            return listing::page(reader, Vec::new(), slice).await;
        };
        return listing::page_of(reader, vec![by_field(scope, range)], slice, keeps).await;
    }
    let scopes = listing::scopes(reader, request.universe_id.as_deref()).await?;
    if let Some(scene) = &scene {
        let range = FieldRange::equal(field::SCENE, &FieldKey::text(scene));
        let finds = scopes.into_iter().map(|scope| by_field(scope, range.clone())).collect();
        return listing::page_of(reader, finds, slice, keeps).await;
    }
    let finds = scopes.into_iter().map(|scope| match times {
        Some(times) => by_field(scope, times.range()),
        None => all(scope),
    });
    listing::page(reader, finds.collect(), slice).await
}
