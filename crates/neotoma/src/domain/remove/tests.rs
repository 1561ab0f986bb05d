use serde_json::json;

use super::*;
use crate::domain::fixture::{edge, entity, named, observation, plan, settled};
use crate::domain::relation::builtin_relation;
use crate::domain::relationship::EdgeState;

fn deleted(id: &str) -> Stored<Entity> {
    let marker = crate::domain::Observation {
        marker: Some(Marker::Deleted),
        source_priority: CORRECTION_PRIORITY,
        ..observation(id, 2, json!({}))
    };
    entity(id, &[observation(id, 1, json!({ "name": "Ann" })), marker])
}

/// Marks the contact `a`, which has these edges.
#[track_caller]
fn check(contact: Stored<Entity>, marker: Marker, edges: Vec<Stored<Relationship>>, expected: &[&str]) {
    let mut plan = plan();
    plan.hold(contact);
    let marked = mark_entity(&mut plan, said("a", marker, Speaker::Person), None, Edges::new(edges, 7));
    assert_eq!(marked.id, "a");
    assert_eq!(settled(plan, &[], &[]).unwrap(), expected);
}

#[test]
fn an_entity_is_hidden_and_shown_by_markers_and_its_edges_with_it() {
    let hidden = Relationship { state: EdgeState::Hidden, ..edge("REFERS_TO a b").into_row() };
    let hidden = crate::domain::fixture::stored(hidden.key(), hidden);
    check(
        named("a", "Ann"),
        Marker::Deleted,
        vec![edge("REFERS_TO a b")],
        &[
            "observation of a: Deleted",
            "content",
            "source internal",
            "edge REFERS_TO a b Hidden",
            r#"entity a "Ann" deleted"#,
        ],
    );
    check(
        deleted("a"),
        Marker::Restored,
        vec![hidden],
        &["observation of a: Restored", "content", "source internal", "edge REFERS_TO a b Live", r#"entity a "Ann""#],
    );
}

#[test]
fn what_is_marked_already_is_told_by_its_marker() {
    let by = |entity: Stored<Entity>, marker| entity_marked(&entity.row, marker).map(|marked| marked.by);
    assert_eq!(by(deleted("a"), Marker::Deleted), Some("a@2".to_owned()));
    assert_eq!(by(deleted("a"), Marker::Restored), None);
    assert_eq!(by(named("a", "Ann"), Marker::Restored), Some(String::new()));
    assert_eq!(edge_marked(&edge("REFERS_TO a b").row, Marker::Deleted), None);
}

/// Marks the edge from `a` to `b`, over what else is stored.
fn marked(of: &str, marker: Marker, state: EdgeState, stored: &[&str]) -> Result<Vec<String>, Error> {
    let mut plan = plan();
    plan.hold(named("a", "Ann"));
    plan.hold(named("b", "Bea"));
    let mut found = edge(&format!("{of} a b"));
    found.row.state = state;
    if state == EdgeState::Deleted {
        mark(&mut found.row, Marker::Deleted, plan.now);
    }
    let row = found.row.clone();
    mark_edge(&mut plan, &row, marker, builtin_relation(of).as_ref(), Edges::new(vec![found], 7))?;
    settled(plan, stored, &[])
}

#[test]
fn an_edge_comes_back_unless_it_would_close_a_circle_now() {
    let check = |of, marker, state, stored: &[&str], expected: &str| {
        let shown = match marked(of, marker, state, stored) {
            Ok(rows) => rows.join("; "),
            Err(refusal) => refusal.to_string(),
        };
        assert_eq!(shown, expected);
    };
    check("PART_OF", Marker::Deleted, EdgeState::Live, &[], "edge PART_OF a b Deleted");
    check("PART_OF", Marker::Restored, EdgeState::Deleted, &[], "edge PART_OF a b Live");
    let cycle = "The relationship would close a cycle";
    check("PART_OF", Marker::Restored, EdgeState::Deleted, &["PART_OF b a"], cycle);
    check("REFERS_TO", Marker::Restored, EdgeState::Deleted, &["REFERS_TO b a"], "edge REFERS_TO a b Live");
}
