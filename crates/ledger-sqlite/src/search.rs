//! Search: which versions hold the words, newest first, and then the best of them.
//!
//! The index holds the words of every version, so a search at a past point sees what was there. Scores come
//! from [`ledger::words`] and depend on nothing but the candidates: FTS5's own ranking would change with
//! every later write, also of other tenants.

use std::collections::BTreeMap;

use ledger::words::Query;
use ledger::{ReadError, Search, SearchHit, Seq};
use rusqlite::{Connection, params};
use scope::TenantId;

use crate::change::tenant_row;
use crate::effect::marked_word;
use crate::readers::failed;
use crate::{point, record};

/// The best matches at `at`.
pub(crate) fn search(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    search: &Search,
) -> Result<Vec<SearchHit>, ReadError> {
    point::check(connection, tenant, at)?;
    best(connection, tenant, at, search).map_err(failed)
}

/// What is weighed, by its id.
type Candidates = BTreeMap<String, Candidate>;

/// A version that holds the words.
struct Candidate {
    slot: i64,
    text: String,
    is_wanted: bool,
}

fn best(connection: &Connection, tenant: &TenantId, at: Seq, search: &Search) -> rusqlite::Result<Vec<SearchHit>> {
    let query = Query::new(search);
    let Some(row) = tenant_row(connection, tenant)?.filter(|_| !query.words.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut candidates = Candidates::new();
    for words in look_ups(&query, row.number) {
        collect(connection, tenant, at, search, &words, query.candidates_max(), &mut candidates)?;
    }
    let scores = query.scores(candidates.values().map(|candidate| candidate.text.as_str()));
    let wanted = scores.into_iter().zip(candidates.values()).filter(|(_, candidate)| candidate.is_wanted);
    let mut ranked: Vec<(f64, i64)> = wanted.map(|(score, candidate)| (score, candidate.slot)).collect();
    // Stable, so that equal scores stay in the order of ids.
    ranked.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    ranked.truncate(search.limit);
    let slots: Vec<i64> = ranked.iter().map(|(_, slot)| *slot).collect();
    let versions = record::in_slots(connection, &slots)?;
    Ok(ranked.into_iter().zip(versions).map(|((score, _), version)| SearchHit { version, score }).collect())
}

/// What is asked of the index: one text for all words together, or one for each.
fn look_ups(query: &Query, tenant_number: i64) -> Vec<String> {
    let last = query.words.len() - 1;
    let word = |(index, word): (usize, &String)| {
        let star = if query.prefix && index == last { " *" } else { "" };
        format!("\"{}\"{star}", marked_word(tenant_number, word))
    };
    let words: Vec<String> = query.words.iter().enumerate().map(word).collect();
    if query.all_words { vec![words.join(" AND ")] } else { words }
}

fn collect(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    search: &Search,
    words: &str,
    most: usize,
    candidates: &mut Candidates,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT v.id, v.slot, v.text, ?7 IS NULL OR v.type = ?7
           FROM search s
          CROSS JOIN record_versions v ON v.slot = s.rowid
          WHERE s.search MATCH ?1 AND v.tenant = ?2 AND v.kind = ?3
            AND v.from_seq <= ?4 AND (v.to_seq IS NULL OR v.to_seq > ?4)
            AND (?5 IS NULL OR v.scope = ?5)
          ORDER BY s.rowid DESC
          LIMIT ?6",
    )?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let (at, kind, scope) = (at.cast_signed(), &search.kind, &search.scope);
    let mut rows = statement.query(params![words, tenant.as_str(), kind, at, scope, most, search.r#type])?;
    while let Some(row) = rows.next()? {
        candidates.insert(row.get(0)?, Candidate { slot: row.get(1)?, text: row.get(2)?, is_wanted: row.get(3)? });
    }
    Ok(())
}
