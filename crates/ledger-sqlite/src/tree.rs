//! Trees: tiles, checkpoints and spans, written in a transaction of their own.

use ledger::tree::{Advance, Batch, Checkpoint, Grown, Growth, Numbered, Numbers, Span, Tile, TilePlace, Tree};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use scope::{TenantId, Timestamp};

use crate::audited;

/// Makes trees grow, or says that somebody was faster. Nothing is written before all of it is known to fit.
pub(crate) fn grow(connection: &Connection, batch: &Batch) -> rusqlite::Result<Grown> {
    if let Some(Advance { source, from, .. }) = &batch.advance
        && advanced(connection, source)? != *from
    {
        return Ok(Grown::Overtaken);
    }
    for growth in &batch.growths {
        if checkpoint(connection, &growth.tenant, growth.tree)?.map_or(0, |last| last.size) != growth.from {
            return Ok(Grown::Overtaken);
        }
    }
    for growth in &batch.growths {
        write(connection, growth)?;
    }
    if let Some(Advance { source, to, .. }) = &batch.advance {
        let mut statement = connection.prepare_cached(
            "INSERT INTO tree_sources (source, through) VALUES (?1, ?2)
             ON CONFLICT (source) DO UPDATE SET through = excluded.through",
        )?;
        statement.execute(params![source, to.cast_signed()])?;
    }
    Ok(Grown::Done)
}

fn write(connection: &Connection, growth: &Growth) -> rusqlite::Result<()> {
    let (tenant, tree) = (growth.tenant.as_str(), growth.tree.name());
    let mut statement = connection.prepare_cached(
        "INSERT INTO tree_tiles (tenant, tree, level, number, hashes) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (tenant, tree, level, number) DO UPDATE SET hashes = excluded.hashes",
    )?;
    for Tile { place, hashes } in &growth.tiles {
        statement.execute(params![tenant, tree, place.level, place.number.cast_signed(), hashes])?;
    }
    let Checkpoint { size, at, note } = &growth.checkpoint;
    let mut statement = connection
        .prepare_cached("INSERT INTO tree_checkpoints (tenant, tree, size, at, note) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    statement.execute(params![tenant, tree, size.cast_signed(), at.0, note])?;
    if growth.tree == Tree::Facts {
        let mut statement = connection.prepare_cached("UPDATE tenants SET sealed = ?2 WHERE tenant = ?1")?;
        statement.execute(params![tenant, size.cast_signed()])?;
    }
    let Some(Span { first_leaf, leaves, source, after, through }) = &growth.span else { return Ok(()) };
    let mut statement = connection.prepare_cached(
        "INSERT INTO tree_spans (tenant, first_leaf, leaves, source, after, through) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let [first_leaf, leaves, after, through] = [first_leaf, leaves, after, through].map(|number| number.cast_signed());
    statement.execute(params![tenant, first_leaf, leaves, source, after, through])?;
    Ok(())
}

/// The newest checkpoint of a tree.
pub(crate) fn checkpoint(
    connection: &Connection,
    tenant: &TenantId,
    tree: Tree,
) -> rusqlite::Result<Option<Checkpoint>> {
    let mut statement = connection.prepare_cached(
        "SELECT size, at, note FROM tree_checkpoints WHERE tenant = ?1 AND tree = ?2 ORDER BY size DESC LIMIT 1",
    )?;
    statement.query_row(params![tenant.as_str(), tree.name()], read_checkpoint).optional()
}

/// The checkpoints of a tree over more than so many leaves, by size.
pub(crate) fn checkpoints(
    connection: &Connection,
    tenant: &TenantId,
    tree: Tree,
    after: u64,
    most: usize,
) -> rusqlite::Result<Vec<Checkpoint>> {
    let mut statement = connection.prepare_cached(
        "SELECT size, at, note
           FROM tree_checkpoints
          WHERE tenant = ?1 AND tree = ?2 AND size > ?3
          ORDER BY size
          LIMIT ?4",
    )?;
    let asked = params![tenant.as_str(), tree.name(), bounded(after), bounded(most as u64)];
    statement.query_map(asked, read_checkpoint)?.collect()
}

fn read_checkpoint(row: &Row<'_>) -> rusqlite::Result<Checkpoint> {
    Ok(Checkpoint { size: number(row, 0)?, at: Timestamp(row.get(1)?), note: row.get(2)? })
}

/// The tiles at these places.
pub(crate) fn tiles(
    connection: &Connection,
    tenant: &TenantId,
    tree: Tree,
    places: &[TilePlace],
) -> rusqlite::Result<Vec<Option<Tile>>> {
    let mut statement = connection.prepare_cached(
        "SELECT hashes FROM tree_tiles WHERE tenant = ?1 AND tree = ?2 AND level = ?3 AND number = ?4",
    )?;
    let mut tile = |place: &TilePlace| {
        let asked = params![tenant.as_str(), tree.name(), place.level, bounded(place.number)];
        statement.query_row(asked, |row| Ok(Tile { place: *place, hashes: row.get(0)? })).optional()
    };
    places.iter().map(&mut tile).collect()
}

/// The spans that reach a leaf or lie behind it.
pub(crate) fn spans(
    connection: &Connection,
    tenant: &TenantId,
    from_leaf: u64,
    most: usize,
) -> rusqlite::Result<Vec<Span>> {
    // Spans follow one another without gaps, so at most one of those that begin before the leaf reaches it.
    let mut statement = connection.prepare_cached(
        "SELECT first_leaf, leaves, source, after, through
           FROM tree_spans
          WHERE tenant = :tenant AND first_leaf + leaves > :from
            AND first_leaf >= coalesce((SELECT max(first_leaf) FROM tree_spans
                                         WHERE tenant = :tenant AND first_leaf <= :from), 0)
          ORDER BY first_leaf
          LIMIT :most",
    )?;
    let asked =
        named_params! { ":tenant": tenant.as_str(), ":from": bounded(from_leaf), ":most": bounded(most as u64) };
    let read = |row: &Row<'_>| {
        Ok(Span {
            first_leaf: number(row, 0)?,
            leaves: number(row, 1)?,
            source: row.get(2)?,
            after: number(row, 3)?,
            through: number(row, 4)?,
        })
    };
    statement.query_map(asked, read)?.collect()
}

/// The highest number at or before another with which spans of a source end.
pub(crate) fn span_end(connection: &Connection, source: &str, through: u64) -> rusqlite::Result<u64> {
    let mut statement = connection
        .prepare_cached("SELECT coalesce(max(through), 0) FROM tree_spans WHERE source = ?1 AND through <= ?2")?;
    statement.query_row(params![source, bounded(through)], |row| number(row, 0))
}

/// Tenants with facts that are no leaves yet.
pub(crate) fn behind(connection: &Connection, most: usize) -> rusqlite::Result<Vec<TenantId>> {
    let mut statement = connection.prepare_cached(
        "SELECT tenant FROM tenants INDEXED BY tenants_behind WHERE head > sealed ORDER BY number LIMIT ?1",
    )?;
    let texts = statement.query_map([bounded(most as u64)], |row| row.get::<_, String>(0))?;
    texts.map(|text| Ok(TenantId::new(text?).expect("only valid tenants are written"))).collect()
}

/// Up to which number the audit records of a source are leaves.
pub(crate) fn advanced(connection: &Connection, source: &str) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached("SELECT through FROM tree_sources WHERE source = ?1")?;
    Ok(statement.query_row([source], |row| number(row, 0)).optional()?.unwrap_or(0))
}

/// The audit records of changes, by number.
pub(crate) fn audited(connection: &Connection, numbers: &Numbers) -> rusqlite::Result<Vec<Numbered>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, principal, correlation_id, body, at, seq, number, tenant
           FROM audit NOT INDEXED
          WHERE number > ?1 AND number <= ?2 AND (?3 IS NULL OR tenant = ?3)
          ORDER BY number
          LIMIT ?4",
    )?;
    let Numbers { tenant, after, through, most } = numbers;
    let tenant = tenant.as_ref().map(TenantId::as_str);
    let asked = params![bounded(*after), bounded(*through), tenant, bounded(*most as u64)];
    let read = |row: &Row<'_>| {
        Ok(Numbered {
            number: number(row, 6)?,
            tenant: TenantId::new(row.get_ref(7)?.as_str()?).expect("only valid tenants are written"),
            audited: audited::from_row(row)?,
        })
    };
    statement.query_map(asked, read)?.collect()
}

/// All trees with a leaf.
pub(crate) fn trees(connection: &Connection) -> rusqlite::Result<Vec<(TenantId, Tree)>> {
    let mut statement = connection
        .prepare_cached("SELECT tenant, tree FROM tree_checkpoints GROUP BY tenant, tree ORDER BY tenant, tree DESC")?;
    let read = |row: &Row<'_>| {
        let tree = Tree::named(row.get_ref(1)?.as_str()?);
        let tenant = TenantId::new(row.get_ref(0)?.as_str()?).expect("only valid tenants are written");
        Ok((tenant, tree.expect("only trees with a name are written")))
    };
    statement.query_map([], read)?.collect()
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}

fn bounded(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
