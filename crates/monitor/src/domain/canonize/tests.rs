//! Scenes with their proposals, and what becomes of them.

use serde_json::{Value, json};

use super::*;
use crate::domain::narrative::Evidence;
use crate::domain::node::TagChange;
use crate::domain::words::{Authority, CanonLevel, EntityClass, EntityType, ProposalStatus, ProposalType};

/// A proposal of a source that is sure; its id tells when it was filed.
fn proposal(id: &str, kind: ProposalType, content: Value) -> Proposal {
    let Value::Object(content) = content else { unreachable!("a content is an object") };
    Proposal {
        proposal_id: id.to_owned(),
        scene_id: "s".to_owned(),
        universe_id: "u".to_owned(),
        turn_id: None,
        r#type: kind,
        content,
        evidence: vec![Evidence { r#type: EvidenceKind::Turn, ref_id: "t".to_owned() }],
        confidence: 1.0,
        authority: Authority::Source,
        by_gm: false,
        status: ProposalStatus::Pending,
        reason: None,
        rationale: None,
        score: None,
        canonical_id: None,
        retconned: Vec::new(),
        proposer_id: "narrator-1".to_owned(),
        proposer_type: "Narrator".to_owned(),
        created_at: Timestamp(0),
        evaluated_at: None,
    }
}

fn unsure(proposal: Proposal) -> Proposal {
    Proposal { confidence: 0.1, authority: Authority::System, ..proposal }
}

fn by_gm(proposal: Proposal) -> Proposal {
    Proposal { by_gm: true, authority: Authority::Gm, confidence: 0.1, ..proposal }
}

fn entity(id: &str, tags: &[&str]) -> Entity {
    Entity {
        entity_id: id.to_owned(),
        universe_id: "u".to_owned(),
        name: id.to_owned(),
        entity_class: EntityClass::Concreta,
        entity_type: EntityType::Character,
        state_tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        canon_level: CanonLevel::Canon,
        ..Entity::default()
    }
}

fn canon() -> Canon {
    let entities = [entity("frodo", &["alive"]), entity("boromir", &["dead"])];
    let died =
        TagChange { entity_id: "boromir".to_owned(), add: vec!["dead".to_owned()], remove: vec!["alive".to_owned()] };
    let death = Fact {
        fact_id: "death".to_owned(),
        universe_id: "u".to_owned(),
        statement: "boromir is now dead".to_owned(),
        involved_entity_ids: vec!["boromir".to_owned()],
        canon_level: CanonLevel::Canon,
        state_change: Some(died),
        ..Fact::default()
    };
    Canon {
        entities: entities.into_iter().map(|entity| (entity.entity_id.clone(), entity)).collect(),
        facts: BTreeMap::from([("death".to_owned(), death)]),
        evidence: BTreeMap::from([((EvidenceKind::Turn, "t".to_owned()), Some(Speaker::User))]),
        ..Canon::default()
    }
}

fn decide(proposals: &[Proposal]) -> Vec<Ruling> {
    let mut number = 0;
    let mut next_id = || {
        number += 1;
        format!("n{number}")
    };
    rule(&Policy::default(), proposals, canon(), Timestamp(9), &mut next_id)
}

/// The decisions in their order: id and reason.
#[track_caller]
fn check(proposals: &[Proposal], expected: &str) {
    let rulings = decide(proposals);
    let shown: Vec<String> = rulings
        .iter()
        .map(|ruling| format!("{}:{}", ruling.proposal.proposal_id, ruling.verdict.reason.as_str()))
        .collect();
    assert_eq!(shown.join(" "), expected);
    for ruling in rulings {
        let accepted = ruling.verdict.is_accepted();
        assert_eq!((accepted, accepted), (!ruling.rows.is_empty(), ruling.proposal.canonical_id.is_some()));
    }
}

fn fact(id: &str, statement: &str, entities: &[&str]) -> Proposal {
    proposal(id, ProposalType::Fact, json!({"statement": statement, "involved_entity_ids": entities}))
}

fn new_entity(id: &str, name: &str) -> Proposal {
    proposal(
        id,
        ProposalType::Entity,
        json!({"name": name, "entity_type": "character", "local_ref": format!("ref-{name}")}),
    )
}

#[test]
fn entities_come_first_and_relationships_last() {
    let relation = json!({"from": "gollum", "to": "frodo", "rel_type": "KNOWS"});
    let state = json!({"entity_id": "frodo", "add": ["tired"]});
    check(
        &[
            proposal("1", ProposalType::Relationship, relation),
            proposal("2", ProposalType::StateChange, state),
            fact("3", "Gollum follows Frodo", &["ref-gollum", "frodo"]),
            new_entity("4", "gollum"),
        ],
        "4:score 3:score 2:score 1:score",
    );
}

#[test]
fn an_entity_is_accepted_when_something_accepted_needs_it() {
    let gollum = || unsure(new_entity("1", "gollum"));
    check(&[gollum()], "1:below_threshold");
    check(&[gollum(), fact("2", "Gollum follows", &["gollum"])], "1:needed 2:score");
    check(&[gollum(), fact("2", "Gollum follows", &["1"])], "1:needed 2:score");
    check(&[gollum(), unsure(fact("2", "Gollum follows", &["gollum"]))], "1:below_threshold 2:below_threshold");
    let bare = Proposal { evidence: Vec::new(), ..gollum() };
    check(&[bare, fact("2", "Gollum follows", &["gollum"])], "1:no_evidence 2:missing_reference");
}

#[test]
fn what_derives_needs_its_archetype() {
    let archetype = json!({"name": "wraith", "entity_type": "character", "entity_class": "EntityAxiomatica"});
    let instance = json!({"name": "witch-king", "entity_type": "character", "derives_from": "wraith"});
    let pair = |instance: Value| {
        [proposal("1", ProposalType::Entity, instance), unsure(proposal("2", ProposalType::Entity, archetype.clone()))]
    };
    check(&pair(instance), "2:needed 1:score");
    let other = json!({"name": "barad-dur", "entity_type": "location", "derives_from": "wraith"});
    check(&pair(other), "2:below_threshold 1:invalid_content");
}

//
#[test]
fn a_contradiction_is_rejected_unless_a_game_master_vouches_for_it() {
    let rise = || proposal("1", ProposalType::StateChange, json!({"entity_id": "boromir", "add": ["alive"]}));
    check(&[rise()], "1:contradicts_canon");
    let unvouched = Proposal { authority: Authority::Gm, ..rise() };
    check(&[unvouched], "1:contradicts_canon");
    let rulings = decide(&[by_gm(rise())]);
    assert_eq!(rulings[0].retconned, ["death"]);
    let rows = &rulings[0].rows;
    let old = rows.iter().find_map(|row| if let Row::Fact(fact) = row { Some(fact) } else { None });
    assert_eq!(
        old.map(|fact| (fact.canon_level, fact.replaced_by.as_deref())),
        Some((CanonLevel::Retconned, Some("n1")))
    );
    let new = rows.iter().rev().find_map(|row| if let Row::Fact(fact) = row { Some(fact) } else { None });
    assert_eq!(new.and_then(|fact| fact.replaces.as_deref()), Some("death"));
    assert!(rows.iter().any(|row| matches!(row, Row::Link(link) if link.id() == "REPLACES/n1/death")));
    let after = rows.iter().find_map(|row| if let Row::Entity(entity) = row { Some(&entity.state_tags) } else { None });
    assert_eq!(after, Some(&vec!["alive".to_owned()]));
}

#[test]
fn the_second_of_two_that_contradict_each_other_is_rejected() {
    let pair = [fact("1", "Frodo fears the Ring", &["frodo"]), fact("2", "Frodo does not fear the Ring", &["frodo"])];
    check(&pair, "1:score 2:contradicts_canon");
    let [first, second] = pair;
    let earlier = Proposal { created_at: Timestamp(-1), ..second };
    check(&[first, earlier], "2:score 1:contradicts_canon");
}

//
#[test]
fn a_circle_of_causes_is_invalid_and_effects_come_before_their_causes() {
    let event = |id: &str, title: &str, causes: &[&str]| {
        let content = json!({"title": title, "description": "d", "local_ref": title, "causes_event_ids": causes});
        proposal(id, ProposalType::Event, content)
    };
    check(&[event("1", "a", &["b"]), event("2", "b", &[])], "2:score 1:score");
    check(&[event("1", "a", &["b"]), event("2", "b", &["a"])], "1:invalid_content 2:invalid_content");
    check(&[event("1", "a", &["nothing"])], "1:missing_reference");
}

#[test]
fn the_dead_do_not_act_unless_the_game_master_says_so() {
    let act = || {
        let content =
            json!({"statement": "Boromir blows his horn", "fact_type": "occurrence", "entity_ids": ["boromir"]});
        proposal("1", ProposalType::Fact, content)
    };
    check(&[act()], "1:contradicts_canon");
    check(&[by_gm(act())], "1:gm");
    check(&[fact("1", "Boromir is remembered", &["boromir"])], "1:score");
}

#[test]
fn a_named_fact_is_replaced_by_the_game_master_alone() {
    let replace = |id: &str| {
        let content = json!({"statement": "Boromir fell at Amon Hen", "entity_ids": ["boromir"], "replaces": id});
        proposal("1", ProposalType::Fact, content)
    };
    check(&[replace("death")], "1:contradicts_canon");
    check(&[by_gm(replace("death"))], "1:gm");
    check(&[by_gm(replace("nothing"))], "1:missing_reference");
}

#[test]
fn a_relationship_ends_only_where_there_is_one() {
    let relate = |id: &str, remove: bool| {
        let content = json!({"from": "frodo", "to": "boromir", "rel_type": "ALLY_OF", "remove": remove});
        proposal(id, ProposalType::Relationship, content)
    };
    check(&[relate("1", true)], "1:missing_reference");
    check(&[relate("1", false), relate("2", true)], "1:score 2:score");
    let enemy = json!({"from": "frodo", "to": "boromir", "rel_type": "ENEMY_OF"});
    check(&[relate("1", false), proposal("2", ProposalType::Relationship, enemy)], "1:score 2:contradicts_canon");
}

//
#[test]
fn what_becomes_canon_keeps_the_evidence_that_resolves() {
    let mut shaky = fact("1", "Frodo sleeps", &["frodo"]);
    shaky.evidence.push(Evidence { r#type: EvidenceKind::Source, ref_id: "nowhere".to_owned() });
    let rulings = decide(&[shaky]);
    let Row::Fact(fact) = &rulings[0].rows[0] else { panic!("a fact comes first") };
    assert_eq!(fact.evidence_refs, ["turn:t", "scene:s"]);
    assert!(rulings[0].rows.iter().any(|row| matches!(row, Row::Link(link) if link.id() == "SUPPORTED_BY/n1/s")));
}

//
#[test]
fn what_was_decided_before_is_not_decided_again_and_can_be_named() {
    let done = Proposal {
        status: ProposalStatus::Accepted,
        canonical_id: Some("frodo".to_owned()),
        ..new_entity("1", "the ring-bearer")
    };
    let rejected = Proposal { status: ProposalStatus::Rejected, ..new_entity("2", "nobody") };
    let open = [fact("3", "He walks", &["the ring-bearer"]), fact("4", "Nobody walks", &["nobody"])];
    check(&[done, rejected, open[0].clone(), open[1].clone()], "3:score 4:missing_reference");
}

#[test]
fn what_canonkeeper_accepts_needs_no_score_but_everything_else() {
    let mut next_id = || "n1".to_owned();
    let mut accept = |proposal: Proposal| {
        let ruling = accept(&Policy::default(), &[proposal], canon(), Timestamp(9), ("1", &mut next_id));
        ruling.map(|ruling| ruling.verdict.reason)
    };
    use crate::domain::policy::Reason;
    assert_eq!(accept(unsure(fact("1", "Frodo sleeps", &["frodo"]))), Some(Reason::Decided));
    assert_eq!(accept(unsure(new_entity("1", "gollum"))), Some(Reason::Decided));
    assert_eq!(accept(fact("1", "Sam sleeps", &["sam"])), Some(Reason::MissingReference));
    let bare = Proposal { evidence: Vec::new(), ..fact("1", "Frodo sleeps", &["frodo"]) };
    assert_eq!(accept(bare), Some(Reason::NoEvidence));
    assert_eq!(accept(fact("2", "Frodo sleeps", &["frodo"])), None);
}

#[test]
fn what_canonkeeper_writes_at_a_low_score_is_kept_as_proposed() {
    let level = |proposal: Proposal| {
        let ruling = direct(&Policy::default(), &proposal, canon(), Timestamp(9), &mut || "n1".to_owned())?;
        ruling.rows.iter().find_map(|row| if let Row::Fact(fact) = row { Some(fact.canon_level) } else { None })
    };
    assert_eq!(level(fact("1", "Frodo sleeps", &["frodo"])), Some(CanonLevel::Canon));
    assert_eq!(level(unsure(fact("1", "Frodo sleeps", &["frodo"]))), Some(CanonLevel::Proposed));
    assert_eq!(level(fact("1", "Sam sleeps", &["sam"])), None);
}
