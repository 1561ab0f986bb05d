//! A universe as one value: everything that is kept of it, to be written down and read in elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use contract::Context;
use desk::{Recorder, Stored, View};
use ledger::{Expectation, FieldKey, FieldRange, Find, FindOrder, RecordKey, SharedLedger};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::domain::fact::{Fact, Happening};
use crate::domain::node::Multiverse;
use crate::domain::row::{Row, WORLD, field, kind};
use crate::projection::Reader;
use crate::write::Marks;

/// What files begin with; another version gets another word.
const FORMAT: &str = "chancery/monitor/1";
/// Rows that one commit records.
const ROWS_AT_ONCE: usize = 500;

/// One universe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct World {
    pub format: String,
    pub universe_id: String,
    pub rows: Vec<Row>,
}

/// Reads a universe with everything in it, at the point of the reader.
pub async fn export(reader: &Reader<'_>, universe_id: &str) -> Result<World, Error> {
    let universe = reader.universe("universe_id", universe_id).await?.into_row();
    let universe_id = universe.universe_id.clone();
    let found = reader.find::<Multiverse>(kind::MULTIVERSE, &universe.multiverse_id).await?;
    let mut rows: Vec<Row> = found.map(|one| Row::Multiverse(one.into_row())).into_iter().collect();
    rows.push(Row::Universe(universe));
    let of = |kind: &str| Find { scope: Some(universe_id.clone()), ..Find::all(kind) };
    gather(reader, of(kind::SOURCE), Row::Source, &mut rows).await?;
    gather(reader, of(kind::AXIOM), Row::Axiom, &mut rows).await?;
    gather(reader, of(kind::ENTITY), Row::Entity, &mut rows).await?;
    gather(reader, of(kind::FACT), Row::Fact, &mut rows).await?;
    gather(reader, of(kind::EVENT), Row::Event, &mut rows).await?;
    gather(reader, of(kind::RELATIONSHIP), Row::Relationship, &mut rows).await?;
    gather(reader, of(kind::STORY), Row::Story, &mut rows).await?;
    gather(reader, of(kind::DOCUMENT), Row::Document, &mut rows).await?;
    gather(reader, of(kind::SNIPPET), Row::Snippet, &mut rows).await?;
    gather(reader, of(kind::SCENE), Row::Scene, &mut rows).await?;
    for id in ids(&rows, |row| if let Row::Scene(scene) = row { Some(&scene.scene_id) } else { None }) {
        let inside = |kind: &str| Find { scope: Some(id.clone()), ..Find::all(kind) };
        gather(reader, inside(kind::TURN), Row::Turn, &mut rows).await?;
        gather(reader, inside(kind::RESOLUTION), Row::Resolution, &mut rows).await?;
        let proposals = Find {
            scope: Some(WORLD.to_owned()),
            field: Some(FieldRange::equal(field::SCENE, &FieldKey::text(&id))),
            order: FindOrder::Field,
            ..Find::all(kind::PROPOSAL)
        };
        gather(reader, proposals, Row::Proposal, &mut rows).await?;
    }
    for id in ids(&rows, |row| if let Row::Entity(entity) = row { Some(&entity.entity_id) } else { None }) {
        gather(reader, Find { scope: Some(id), ..Find::all(kind::MEMORY) }, Row::Memory, &mut rows).await?;
    }
    for key in rows.iter().map(Row::key).collect::<Vec<_>>() {
        let find = Find { touching: Some((key.id, ledger::Direction::Outgoing)), ..Find::all(kind::LINK) };
        gather(reader, find, Row::Link, &mut rows).await?;
    }
    Ok(World { format: FORMAT.to_owned(), universe_id, rows })
}

/// Records a universe that was exported. It must not be here yet.
pub async fn import(ledger: SharedLedger, ctx: &Context, world: World) -> Result<(), Error> {
    check(&world)?;
    let recorder: Recorder<Marks> = Recorder::new(ledger, "chancery/monitor");
    let view = View::live(recorder.ledger(), ctx);
    let keys: Vec<RecordKey> = world.rows.iter().map(Row::key).collect();
    for keys in keys.chunks(ROWS_AT_ONCE) {
        let found = view.versions(keys).await?.into_iter().flatten();
        if let Some(known) = found.map(|found| found.record.key).find(|key| key.kind != kind::MULTIVERSE) {
            let message = format!("{} {} is here already", known.kind, known.id);
            return Err(Error::constraint("file", message, "import a universe that is not here"));
        }
    }
    // The universe comes last, so that a half import is not seen and can be made again.
    let (last, first): (Vec<Row>, Vec<Row>) = world.rows.into_iter().partition(|row| matches!(row, Row::Universe(_)));
    for rows in first.chunks(ROWS_AT_ONCE).map(<[Row]>::to_vec).chain([last]) {
        let absent = |row: &Row| Expectation::Absent { key: row.key() };
        let expectations = rows.iter().filter(|row| !matches!(row, Row::Multiverse(_))).map(absent).collect();
        recorder.record_unless_done(ctx, vec![Fact::new(Happening::UniverseImported, rows)], expectations).await?;
    }
    Reader { view }.universe("file", &world.universe_id).await.map(drop)
}

/// Refuses a file of another format, one that holds two universes, and causes that form a cycle.
fn check(world: &World) -> Result<(), Error> {
    let refuse =
        |message: String| Err(Error::invalid("file", message, "give a file that chancery monitor export wrote"));
    if world.format != FORMAT {
        return refuse(format!("has the format {:?}, not {FORMAT}", world.format));
    }
    if let Some(row) = world.rows.iter().find(|row| !belongs(row, &world.universe_id)) {
        return refuse(format!("holds {:?}, which belongs to another universe", row.key().id));
    }
    let causes = world.rows.iter().filter_map(|row| match row {
        Row::Event(event) => Some((event.event_id.as_str(), event.causes_event_ids.as_slice())),
        _ => None,
    });
    let mut open: BTreeMap<&str, &[String]> = causes.collect();
    loop {
        let done: Vec<&str> = open
            .iter()
            .filter(|(_, to)| to.iter().all(|id| !open.contains_key(id.as_str())))
            .map(|(id, _)| *id)
            .collect();
        if done.is_empty() {
            break;
        }
        open.retain(|id, _| !done.contains(id));
    }
    match open.keys().next() {
        Some(id) => refuse(format!("has a cycle of causes through the event {id}")),
        None => Ok(()),
    }
}

fn belongs(row: &Row, universe_id: &str) -> bool {
    let record = row.record();
    match row {
        Row::Universe(universe) => universe.universe_id == universe_id,
        Row::Multiverse(_) | Row::Resolution(_) | Row::Access(_) => true,
        Row::Turn(turn) => turn.universe_id == universe_id,
        Row::Proposal(proposal) => proposal.universe_id == universe_id,
        Row::Memory(memory) => memory.universe_id == universe_id,
        _ => record.scope == universe_id,
    }
}

async fn gather<T: DeserializeOwned>(
    reader: &Reader<'_>,
    find: Find,
    wrap: fn(T) -> Row,
    rows: &mut Vec<Row>,
) -> Result<(), Error> {
    let mut find = Find { limit: ROWS_AT_ONCE, ..find };
    loop {
        let page = reader.view.find::<T>(find.clone()).await?;
        rows.extend(page.items.into_iter().map(Stored::into_row).map(wrap));
        match page.next {
            Some(next) => find.after = Some(next),
            None => return Ok(()),
        }
    }
}

fn ids(rows: &[Row], pick: impl Fn(&Row) -> Option<&String>) -> BTreeSet<String> {
    rows.iter().filter_map(pick).cloned().collect()
}
