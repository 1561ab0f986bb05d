//! One test for each sort of contradiction: what it finds, and what it leaves alone.

use serde_json::json;

use super::*;

fn ids(found: &[Contradiction]) -> String {
    found.iter().map(|one| one.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn list(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn moment(text: &str) -> Option<Timestamp> {
    (!text.is_empty()).then(|| format!("{text}T00:00:00Z").parse().unwrap())
}

fn entity(tags: &str) -> Entity {
    Entity { entity_id: "e".to_owned(), name: "Boromir".to_owned(), state_tags: list(tags), ..Entity::default() }
}

fn fact(id: &str, statement: &str, entities: &str) -> Fact {
    Fact {
        fact_id: id.to_owned(),
        statement: statement.to_owned(),
        involved_entity_ids: list(entities),
        canon_level: CanonLevel::Canon,
        ..Fact::default()
    }
}

fn death(time: &str) -> Fact {
    let state_change = Some(tags::change("e", &list("dead"), &list("alive")).unwrap());
    Fact { state_change, time_ref: moment(time), ..fact("death", "Boromir is now dead", "e") }
}

#[test]
fn a_tag_contradicts_the_one_that_it_excludes() {
    let check = |tags: &str, add: &str, remove: &str, expected: &str| {
        let change = tags::change("e", &list(add), &list(remove)).unwrap();
        assert_eq!(ids(&state(&entity(tags), &change, [death("")].iter())), expected, "{tags} +{add} -{remove}");
    };
    check("dead", "alive", "", "death");
    check("alive", "dead", "", "e");
    check("alive", "dead", "alive", "");
    check("alive", "tired", "", "");
    check("hostile", "friendly", "", "e");
}

#[test]
fn a_statement_contradicts_its_denial_about_the_same_entities() {
    let facts = [
        fact("f1", "Frodo carries the Ring", "frodo ring"),
        Fact { canon_level: CanonLevel::Retconned, ..fact("f2", "Frodo carries the Ring", "frodo ring") },
    ];
    let check = |said: &str, entities: &str, expected: &str| {
        assert_eq!(ids(&statement(said, &list(entities), facts.iter())), expected, "{said}");
    };
    check("Frodo does not carry the Ring", "ring frodo", "f1");
    check("Frodo does not carry the Ring", "frodo", "");
    check("Frodo carries the Ring", "frodo ring", "");
}

#[test]
fn an_entity_is_in_one_place_at_a_time_and_no_ally_is_an_enemy() {
    let related = |id: &str, rel_type: &str, to: &str, time: &str| Relationship {
        relationship_id: id.to_owned(),
        from_entity_id: "e".to_owned(),
        to_entity_id: to.to_owned(),
        rel_type: rel_type.to_owned(),
        properties: at(time),
        canon_level: CanonLevel::Canon,
        ..Relationship::default()
    };
    let existing = [
        related("r1", "LOCATED_IN", "gondor", ""),
        related("r2", "LOCATED_IN", "rohan", "3019-01-01"),
        related("r3", "ALLY_OF", "faramir", ""),
    ];
    let check = |rel_type: &str, to: &str, time: &str, expected: &str| {
        let found = relationship(("e", to, rel_type, &at(time)), existing.iter());
        assert_eq!(ids(&found), expected, "{rel_type} {to} {time}");
    };
    check("LOCATED_IN", "mordor", "", "r1");
    check("LOCATED_IN", "gondor", "", "");
    check("LOCATED_IN", "mordor", "3019-01-01", "r2");
    check("LOCATED_IN", "mordor", "3019-02-02", "");
    check("ENEMY_OF", "faramir", "", "r3");
    check("ENEMY_OF", "sauron", "", "");
    check("KNOWS", "faramir", "", "");
}

fn at(time: &str) -> Map {
    match moment(time) {
        Some(moment) => Map::from_iter([("time_ref".to_owned(), json!(moment.to_string()))]),
        None => Map::new(),
    }
}

//
#[test]
fn a_cause_is_not_later_than_its_effect_and_no_retcon_helps() {
    let effect = Event { event_id: "effect".to_owned(), time_ref: moment("3019-03-01"), ..Event::default() };
    let check = |time: &str, expected: &str| assert_eq!(ids(&causes(moment(time), [&effect].into_iter())), expected);
    check("3019-03-02", "effect");
    check("3019-03-01", "");
    check("3019-02-28", "");
    check("", "");
    assert!(!causes(moment("3020-01-01"), [&effect].into_iter())[0].can_be_retconned);
}

#[test]
fn the_dead_do_not_act_after_their_death() {
    let check = |tags: &str, died: &str, acts: &str, expected: &str| {
        let (entity, death) = (entity(tags), death(died));
        assert_eq!(ids(&action(moment(acts), [&entity].into_iter(), [&death].into_iter())), expected);
    };
    check("dead", "3019-02-26", "3019-02-27", "death");
    check("dead", "3019-02-26", "3019-02-25", "");
    check("dead", "3019-02-26", "", "death");
    check("dead", "", "3019-02-27", "");
    check("alive", "3019-02-26", "3019-02-27", "");
}
