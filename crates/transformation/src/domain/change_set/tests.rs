use serde_json::json;

use super::*;

/// A change that deletes what `reference` names, under a key.
fn change(index: usize, key: &str, reference: &str) -> Change {
    let act = Act::Delete(Delete { reference: reference.to_owned(), expected_version: None });
    Change { index, key: (!key.is_empty()).then(|| key.to_owned()), act }
}

#[test]
fn changes_stay_in_order_but_each_follows_what_it_names() {
    check_order(&[("a", "x"), ("b", "y"), ("", "z")], "0 1 2");
    check_order(&[("", "$b"), ("b", "y"), ("", "$b")], "1 0 2");
    check_order(&[("a", "$b"), ("b", "$c"), ("c", "x")], "2 1 0");
    check_order(&[("a", "$lost")], "0");
}

#[test]
fn keys_that_are_unknown_or_doubled_or_lead_in_a_circle_are_refused_all_at_once() {
    check_order(
        &[("a", "$nope"), ("a", "x"), ("", "$aa")],
        "1 key 'a' is the key of changes[0] already; 0 id names $nope, and no change has this key; \
         2 id names $aa, and no change has this key",
    );
    check_order(
        &[("a", "$b"), ("b", "$a"), ("", "$a")],
        "0 id names $b, which in turn needs this change first; 1 id names $a, which in turn needs this change first",
    );
    check_order(&[("a", "$a")], "0 id names $a, which in turn needs this change first");
}

#[track_caller]
fn check_order(changes: &[(&str, &str)], expected: &str) {
    let changes: Vec<Change> =
        changes.iter().enumerate().map(|(index, (key, reference))| change(index, key, reference)).collect();
    let shown = match order(&changes, &BTreeSet::from(["lost".to_owned()])) {
        Ok(order) => order.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
        Err(refused) => {
            let lines = refused.iter().map(|refused| format!("{} {}", refused.index, refused.error));
            lines.collect::<Vec<_>>().join("; ")
        }
    };
    assert_eq!(shown, expected);
}

#[test]
fn a_key_is_bound_to_its_id_once_that_is_known() {
    let ids = BTreeMap::from([("a".to_owned(), "e1".to_owned())]);
    let reference = |change: Change| match change.act {
        Act::Delete(delete) => delete.reference,
        _ => unreachable!(),
    };
    assert_eq!(change(0, "", "$a").bound(&ids).map(reference).as_deref(), Some("e1"));
    assert_eq!(change(0, "", "a").bound(&ids).map(reference).as_deref(), Some("a"));
    assert!(change(0, "", "$b").bound(&ids).is_none());
}

#[test]
fn two_changes_of_one_thing_may_add_up_but_not_disagree() {
    let mut claims = Claims::default();
    let fields = |field: &str, value: Value| vec![(field.to_owned(), value)];
    claims.make(0, "new");
    assert!(claims.set(1, "e", fields("name", json!("A"))).is_ok());
    assert!(claims.set(2, "e", fields("description", json!("d"))).is_ok());
    assert!(claims.set(3, "e", fields("name", json!("A"))).is_ok());
    let refused = |outcome: Result<(), Error>| outcome.unwrap_err().to_string();
    assert_eq!(
        refused(claims.set(4, "e", fields("name", json!("B")))),
        "name disagrees with changes[3], which sets name of the same to something else"
    );
    assert_eq!(refused(claims.delete(5, &["e".to_owned()])), "id disagrees with changes[3], which changes it");
    assert_eq!(refused(claims.delete(5, &["new".to_owned()])), "id disagrees with changes[0], which makes it");
    let with_new = ["other".to_owned(), "new".to_owned()];
    assert_eq!(
        refused(claims.delete(5, &with_new)),
        "id disagrees with changes[0], which makes a relationship that goes with it"
    );
    assert!(claims.delete(6, &["gone".to_owned(), "r".to_owned()]).is_ok());
    assert_eq!(refused(claims.delete(7, &["gone".to_owned()])), "id disagrees with changes[6], which deletes it too");
    assert!(claims.delete(7, &["also".to_owned(), "r".to_owned()]).is_ok());
    assert_eq!(
        refused(claims.set(8, "gone", fields("name", json!("A")))),
        "id disagrees with changes[6], which deletes it"
    );
}
