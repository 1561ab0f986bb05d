use super::*;
use crate::domain::fixture::{edge, guards, plan, settled};
use crate::domain::row::Row;

/// Whether a path from `a` to `z` is found among what is stored and what a plan puts.
#[track_caller]
fn check(stored: &[&str], put: &[(&str, EdgeState)], expected: bool) {
    let mut plan = plan();
    for (text, state) in put {
        let edge = Relationship { state: *state, ..edge(text).into_row() };
        plan.put(Row::Relationship(edge), None);
    }
    let of = |from: &str, to: &str| Search {
        relationship_type: "PART_OF".to_owned(),
        from: vec![from.to_owned()],
        to: to.to_owned(),
        field: "id",
        guard: Guard::NoPath,
    };
    plan.search(of("a", "z"));
    let found = matches!(settled(plan, stored, &[]), Err(Error::Cycle { .. }));
    assert_eq!(found, expected, "{stored:?} {put:?}");
}

#[test]
fn a_path_is_found_among_what_is_stored_and_what_is_planned() {
    check(&["PART_OF a b", "PART_OF b z"], &[], true);
    check(&["PART_OF a b"], &[("PART_OF b z", EdgeState::Live)], true);
    check(&["PART_OF a b"], &[], false);
    check(&["PART_OF z a"], &[], false);
    // In a circle, and still it ends.
    check(&["PART_OF a b", "PART_OF b a"], &[], false);
}

#[test]
fn what_a_plan_hides_and_edges_of_other_types_lead_nowhere() {
    check(&["PART_OF a b", "PART_OF b z"], &[("PART_OF b z", EdgeState::Folded)], false);
    check(&["PART_OF a b", "REFERS_TO b z"], &[], false);
    check(&[], &[("PART_OF a b", EdgeState::Live), ("PART_OF b z", EdgeState::Hidden)], false);
}

#[test]
fn what_was_passed_is_guarded_until_the_commit() {
    let search = |guard| Search {
        relationship_type: "PART_OF".to_owned(),
        from: vec!["a".to_owned()],
        to: "z".to_owned(),
        field: "id",
        guard,
    };
    let check = |guard, expected: &[&str]| {
        let mut plan = plan();
        let search = search(guard);
        let mut reach = Reach::new(&plan, &search);
        while let Some(at) = reach.next(&search).unwrap() {
            reach.follow((at == "a").then(|| edge("PART_OF a b").into_row()));
        }
        let passed = reach.passed();
        plan.found_no_path(&search, passed);
        assert_eq!(guards(&plan), expected);
    };
    check(Guard::NoPath, &["no path from a to z"]);
    check(Guard::LinksUnchanged(7), &["links of a", "links of b"]);
}
