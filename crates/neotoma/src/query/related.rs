//! get_related_entities: breadth first along live edges.
//!
//! Entities come by hop, then by id; edges by the hop that found them, then by id. Each edge is listed once, and only
//! when both its ends are the start or listed.

use std::collections::{BTreeMap, BTreeSet};

use contract::generated::neotoma::{GetRelatedEntitiesRequest, GetRelatedEntitiesResponse};
use ledger::{Direction, Find};

use super::relationships::{check_types, direction};
use crate::Error;
use crate::projection::listed::{Edge, Listed};
use crate::projection::row::kind;
use crate::projection::{Reader, message};

const HOPS_MAX: u32 = 5;
/// Edges that are followed from one entity, the newest.
const EDGES_PER_ENTITY_MAX: usize = 200;
const ENTITIES_MAX: usize = 500;
const EDGES_MAX: usize = 1_000;
const TYPES_MAX: usize = 32;

/// Answers get_related_entities.
pub async fn get(
    reader: &Reader<'_>,
    request: &GetRelatedEntitiesRequest,
) -> Result<GetRelatedEntitiesResponse, Error> {
    if request.relationship_types.len() > TYPES_MAX {
        return Err(Error::invalid(
            "relationship_types",
            "has more than 32 items",
            "give fewer types, or none for all",
        ));
    }
    check_types(reader, "relationship_types", &request.relationship_types).await?;
    let types: BTreeSet<&str> = request.relationship_types.iter().map(String::as_str).collect();
    let start = reader.resolved_as::<Listed>("entity_id", &request.entity_id).await?.row.id;
    let hops_max = request.max_hops.unwrap_or(1).clamp(1, HOPS_MAX);
    let mut spread = Spread::new(start);
    while spread.hops < hops_max && spread.hop(reader, &types, direction(request.direction())).await? {}
    let with_snapshot = request.include_entities.unwrap_or(true);
    let mut entities: Vec<_> =
        spread.entities.into_iter().map(|entity| message::entity(entity, with_snapshot, &[])).collect();
    spread.truncated |= message::snapshots_within(&mut entities);
    spread.truncated |= spread.edges.len() > EDGES_MAX;
    spread.edges.truncate(EDGES_MAX);
    let more = "narrow it by relationship_types, direction or max_hops; get_entity_snapshot shows an entity";
    Ok(GetRelatedEntitiesResponse {
        total_entities: entities.len() as u64,
        total_relationships: spread.edges.len() as u64,
        entities,
        relationships: spread.edges.into_iter().map(message::relationship).collect(),
        hops_traversed: spread.hops,
        truncated: spread.truncated,
        more: spread.truncated.then(|| more.to_owned()),
        read_point: reader.at,
    })
}

/// What a walk from one entity has reached.
struct Spread {
    /// Start and reached entities.
    seen: BTreeSet<String>,
    known_edges: BTreeSet<String>,
    frontier: Vec<String>,
    entities: Vec<Listed>,
    edges: Vec<Edge>,
    hops: u32,
    truncated: bool,
}

impl Spread {
    fn new(start: String) -> Self {
        Self {
            seen: BTreeSet::from([start.clone()]),
            known_edges: BTreeSet::new(),
            frontier: vec![start],
            entities: Vec::new(),
            edges: Vec::new(),
            hops: 0,
            truncated: false,
        }
    }

    /// Goes one hop further; false when that leads to nothing new.
    async fn hop(&mut self, reader: &Reader<'_>, types: &BTreeSet<&str>, direction: Direction) -> Result<bool, Error> {
        let mut found: BTreeMap<String, Edge> = BTreeMap::new();
        for id in std::mem::take(&mut self.frontier) {
            let (edges, more) = edges_at(reader, &id, types, direction, EDGES_PER_ENTITY_MAX).await?;
            self.truncated |= more;
            let fresh = edges.into_iter().filter(|edge| !self.known_edges.contains(&edge.id));
            found.extend(fresh.map(|edge| (edge.id.clone(), edge)));
        }
        let ends: BTreeSet<&String> = found.values().flat_map(|edge| [&edge.source, &edge.target]).collect();
        let mut fresh: Vec<String> = ends.into_iter().filter(|id| !self.seen.contains(*id)).cloned().collect();
        let room = ENTITIES_MAX - self.entities.len();
        if fresh.len() > room {
            self.truncated = true;
            fresh.truncate(room);
        }
        // What was deleted in the meantime is not there, nor are the edges to it.
        let reached = live(reader, &fresh).await?;
        self.seen.extend(reached.iter().map(|entity| entity.id.clone()));
        self.frontier = reached.iter().map(|entity| entity.id.clone()).collect();
        self.entities.extend(reached);
        let whole = |edge: &Edge| self.seen.contains(&edge.source) && self.seen.contains(&edge.target);
        let edges: Vec<Edge> = found.into_values().filter(whole).collect();
        let went = !edges.is_empty();
        self.known_edges.extend(edges.iter().map(|edge| edge.id.clone()));
        self.edges.extend(edges);
        self.hops += u32::from(went);
        Ok(went)
    }
}

/// The newest live edges at an entity, and whether there are more. No types mean all.
pub async fn edges_at(
    reader: &Reader<'_>,
    id: &str,
    types: &BTreeSet<&str>,
    direction: Direction,
    limit: usize,
) -> Result<(Vec<Edge>, bool), Error> {
    let find = Find { touching: Some((id.to_owned(), direction)), limit, ..Find::all(kind::RELATIONSHIP) };
    if types.is_empty() {
        let (rows, next) = reader.find::<Edge>(find).await?;
        return Ok((rows.into_iter().map(|stored| stored.row).collect(), next.is_some()));
    }
    let mut more = false;
    let mut newest = BTreeMap::new();
    for of in types {
        let find = Find { r#type: Some((*of).to_owned()), ..find.clone() };
        let (rows, next) = reader.find::<Edge>(find).await?;
        more |= next.is_some();
        newest.extend(rows.into_iter().map(|stored| (stored.key.id, stored.row)));
    }
    more |= newest.len() > limit;
    Ok((newest.into_values().take(limit).collect(), more))
}

/// Those of the entities that are neither merged nor deleted, in order.
pub async fn live(reader: &Reader<'_>, ids: &[String]) -> Result<Vec<Listed>, Error> {
    let found = reader.listed_live(ids).await?;
    Ok(found.into_iter().flatten().map(|stored| stored.row).collect())
}
