//! Queries of entities and of the edges between them.

use contract::generated::monitor::{
    self as proto, EntityQueryService, GetEntityRequest, GetEntityResponse, QueryEntitiesRequest,
    QueryEntitiesResponse, QueryRelationshipsRequest, QueryRelationshipsResponse, ReadEntityRequest,
};
use contract::{CallError, Context};
use ledger::{Direction, FieldKey, FieldRange, Find, FindOrder};

use super::Query;
use super::listing::{self, LIMIT_MAX, Listed, Slice};
use crate::Error;
use crate::domain::node::{Entity, Fact, Relationship};
use crate::domain::pattern::Pattern;
use crate::domain::relation;
use crate::domain::row::{facet_key, field, kind};
use crate::domain::words::{CanonLevel, EntityClass, EntityType, FactType};
use crate::projection::message::{self, word};
use crate::projection::{Reader, read_context};

/// Relationships and facts that an answer about one entity shows.
const SHOWN_MAX: usize = 100;

impl EntityQueryService for Query {
    async fn get_entity(&self, ctx: &Context, request: GetEntityRequest) -> Result<GetEntityResponse, CallError> {
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        Ok(one_entity(&reader, &request).await?)
    }

    async fn read_entity(&self, ctx: &Context, request: ReadEntityRequest) -> Result<GetEntityResponse, CallError> {
        let wanted = GetEntityRequest {
            entity_id: request.entity_id,
            include_relationships: true,
            include_state_history: true,
            read_context: None,
        };
        self.get_entity(ctx, wanted).await
    }

    async fn query_entities(
        &self,
        ctx: &Context,
        request: QueryEntitiesRequest,
    ) -> Result<QueryEntitiesResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let scopes = listing::scopes(&reader, request.universe_id.as_deref()).await?;
        let filter = EntityFilter::of(&request);
        let Listed { items, total, total_is_lower_bound } = filter.list(&reader, &scopes, slice).await?;
        let entities = items.iter().map(message::entity).collect();
        Ok(QueryEntitiesResponse { entities, total, total_is_lower_bound, read_context: read_context(&reader) })
    }

    async fn query_relationships(
        &self,
        ctx: &Context,
        request: QueryRelationshipsRequest,
    ) -> Result<QueryRelationshipsResponse, CallError> {
        let slice = Slice::of(request.limit, request.offset, LIMIT_MAX)?;
        let reader = self.reader(ctx, request.read_context.as_ref()).await?;
        let listed = relationships(&reader, &request, slice).await?;
        Ok(QueryRelationshipsResponse {
            relationships: listed.items.iter().map(message::relationship).collect(),
            total: listed.total,
            total_is_lower_bound: listed.total_is_lower_bound,
            read_context: read_context(&reader),
        })
    }
}

async fn one_entity(reader: &Reader<'_>, request: &GetEntityRequest) -> Result<GetEntityResponse, Error> {
    let entity = reader.entity("entity_id", &request.entity_id).await?.into_row();
    let mut answer = GetEntityResponse {
        entity: Some(message::entity(&entity)),
        read_context: read_context(reader),
        ..GetEntityResponse::default()
    };
    let mut has_more = false;
    if request.include_relationships {
        let find =
            Find { touching: Some((entity.entity_id.clone(), Direction::Both)), ..Find::all(kind::RELATIONSHIP) };
        let (edges, more) = reader.some::<Relationship>(find, SHOWN_MAX).await?;
        let ids = others(&entity.entity_id, edges.iter().map(|edge| &edge.row));
        let related = reader.all::<Entity>(kind::ENTITY, &ids).await?;
        answer.relationships = edges.iter().map(|edge| message::relationship(edge)).collect();
        answer.related_entities = related.iter().flatten().map(|related| message::entity(related)).collect();
        has_more |= more;
    }
    if request.include_state_history {
        let find = Find {
            scope: Some(entity.universe_id.clone()),
            r#type: Some(FactType::State.to_string()),
            field: Some(FieldRange::equal(field::ENTITY, &FieldKey::text(&entity.entity_id))),
            order: FindOrder::Field,
            ..Find::all(kind::FACT)
        };
        let (facts, more) = reader.some::<Fact>(find, SHOWN_MAX).await?;
        let documents = |fact: &&desk::Stored<Fact>| {
            fact.state_change.as_ref().is_some_and(|change| change.entity_id == entity.entity_id)
        };
        answer.state_history = facts.iter().filter(documents).map(|fact| message::fact(fact)).collect();
        has_more |= more;
    }
    answer.truncated = has_more.then_some(true);
    Ok(answer)
}

/// The entities at the other ends, each once, in the order of the edges.
fn others<'a>(id: &str, edges: impl Iterator<Item = &'a Relationship>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for edge in edges {
        let other = if edge.from_entity_id == id { &edge.to_entity_id } else { &edge.from_entity_id };
        if !ids.contains(other) {
            ids.push(other.clone());
        }
    }
    ids
}

/// Which entities are wanted.
struct EntityFilter {
    entity_type: Option<EntityType>,
    class: Option<EntityClass>,
    level: Option<CanonLevel>,
    all_of: Vec<String>,
    any_of: Vec<String>,
    none_of: Vec<String>,
    pattern: Option<Pattern>,
}

impl EntityFilter {
    fn of(request: &QueryEntitiesRequest) -> Self {
        let tags = request.state_tags.clone().unwrap_or_default();
        let plain = |tags: Vec<String>| tags.iter().map(|tag| tag.trim().to_lowercase()).collect::<Vec<_>>();
        Self {
            entity_type: EntityType::of(word::<proto::EntityType>(request.entity_type)),
            class: EntityClass::of(word::<proto::EntityClass>(request.entity_class)),
            level: CanonLevel::of(word::<proto::CanonLevel>(request.canon_level)),
            all_of: plain(tags.all_of),
            any_of: plain(tags.any_of),
            none_of: plain(tags.none_of),
            pattern: request.name_pattern.as_deref().filter(|text| !text.trim().is_empty()).map(Pattern::of),
        }
    }

    async fn list(&self, reader: &Reader<'_>, scopes: &[String], slice: Slice) -> Result<Listed<Entity>, Error> {
        let mut finds = Vec::new();
        let mut drivers = Vec::new();
        for scope in scopes {
            let tag = self.rarest(reader, scope).await?;
            for (driver, find) in self.finds(scope, tag.as_deref()).into_iter().enumerate() {
                drivers.push(driver);
                finds.push(find);
            }
        }
        if self.is_indexed() {
            return listing::page(reader, finds, slice).await;
        }
        // An entity that has several of the tags is listed for the first of them only.
        let is_first = |entity: &Entity, number: usize| {
            let earlier =
                if self.all_of.is_empty() { self.any_of.iter().take(drivers[number]) } else { [].iter().take(0) };
            !earlier.into_iter().any(|tag| entity.state_tags.contains(tag))
        };
        listing::page_of(reader, finds, slice, |entity, number| self.keeps(entity) && is_first(entity, number)).await
    }

    /// Of the tags that must all be there, the one that the fewest have.
    async fn rarest(&self, reader: &Reader<'_>, scope: &str) -> Result<Option<String>, Error> {
        let mut rarest: Option<(u64, String)> = None;
        for tag in &self.all_of {
            let find = Find { scope: Some(scope.to_owned()), tag: Some(tag.clone()), ..Find::all(kind::ENTITY) };
            let count = reader.view.count(find, listing::TOTAL_MAX).await?;
            if rarest.as_ref().is_none_or(|(least, _)| count < *least) {
                rarest = Some((count, tag.clone()));
            }
        }
        Ok(rarest.map(|(_, tag)| tag))
    }

    /// The finds that list all that is wanted, and as little else as an index can.
    fn finds(&self, scope: &str, rarest: Option<&str>) -> Vec<Find> {
        let all = Find {
            scope: Some(scope.to_owned()),
            r#type: self.entity_type.map(|kind| kind.to_string()),
            ..Find::all(kind::ENTITY)
        };
        let tagged = |tag: &str| Find {
            tag: Some(tag.to_owned()),
            status: self.level.map(|level| level.to_string()),
            ..all.clone()
        };
        if let Some(tag) = rarest {
            return vec![tagged(tag)];
        }
        if !self.any_of.is_empty() {
            return self.any_of.iter().map(|tag| tagged(tag)).collect();
        }
        if let Some(prefix) = self.pattern.as_ref().and_then(Pattern::prefix) {
            let status = self.level.map(|level| level.to_string());
            return vec![Find { name_prefix: Some(prefix), status, order: FindOrder::Name, ..all }];
        }
        let by_facet = |range: FieldRange| Find { field: Some(range), order: FindOrder::Field, ..all.clone() };
        match (self.class, self.level) {
            (None, None) => vec![all],
            (Some(class), None) => {
                vec![by_facet(FieldRange::starting_with(field::FACET, &format!("{class}/")))]
            }
            (class, Some(level)) => {
                let classes = EntityClass::ALL.iter().filter(|one| class.is_none_or(|class| class == **one));
                let key = |class: &EntityClass| facet_key(class.as_str(), level.as_str());
                classes.map(|class| by_facet(FieldRange::equal(field::FACET, &key(class)))).collect()
            }
        }
    }

    /// Whether the finds list nothing but what is wanted.
    fn is_indexed(&self) -> bool {
        let tags = self.all_of.len() + self.any_of.len();
        let by_tag = tags == 1 && self.class.is_none() && self.pattern.is_none();
        let by_name =
            tags == 0 && self.class.is_none() && self.pattern.as_ref().is_some_and(|it| it.prefix().is_some());
        let by_facet = tags == 0 && self.pattern.is_none();
        self.none_of.is_empty() && (by_tag || by_name || by_facet)
    }

    fn keeps(&self, entity: &Entity) -> bool {
        let has = |tag: &String| entity.state_tags.contains(tag);
        self.entity_type.is_none_or(|wanted| entity.entity_type == wanted)
            && self.class.is_none_or(|wanted| entity.entity_class == wanted)
            && self.level.is_none_or(|wanted| entity.canon_level == wanted)
            && self.all_of.iter().all(has)
            && (self.any_of.is_empty() || self.any_of.iter().any(has))
            && !self.none_of.iter().any(has)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(&entity.name))
    }
}

async fn relationships(
    reader: &Reader<'_>,
    request: &QueryRelationshipsRequest,
    slice: Slice,
) -> Result<Listed<Relationship>, Error> {
    let level = CanonLevel::of(word::<proto::CanonLevel>(request.canon_level)).map(|level| level.to_string());
    let rel_type = request.rel_type.as_deref().map(relation::normalise).transpose().map_err(|reason| {
        let (reason, fix) = reason.split_once("; ").unwrap_or((&reason, "give a type such as KNOWS"));
        Error::invalid("rel_type", reason, fix)
    })?;
    if let Some(id) = &request.entity_id {
        let entity = reader.entity("entity_id", id).await?;
        let find = Find {
            touching: Some((entity.entity_id.clone(), Direction::Both)),
            r#type: rel_type,
            status: level,
            ..Find::all(kind::RELATIONSHIP)
        };
        let universe = request.universe_id.as_ref().map(|id| id.to_ascii_lowercase());
        let is_there = universe.is_none_or(|universe| universe == entity.universe_id);
        return listing::page(reader, if is_there { vec![find] } else { Vec::new() }, slice).await;
    }
    let scopes = listing::scopes(reader, request.universe_id.as_deref()).await?;
    let find = |scope: String| Find {
        scope: Some(scope),
        r#type: rel_type.clone(),
        status: level.clone(),
        ..Find::all(kind::RELATIONSHIP)
    };
    listing::page(reader, scopes.into_iter().map(find).collect(), slice).await
}
