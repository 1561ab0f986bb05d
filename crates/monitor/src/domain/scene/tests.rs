//! The life of a scene, step by step.

use super::*;

fn scene(status: SceneStatus) -> Scene {
    Scene {
        scene_id: "s".to_owned(),
        story_id: "st".to_owned(),
        universe_id: "u".to_owned(),
        title: "The gate".to_owned(),
        purpose: "Open it".to_owned(),
        status,
        order: None,
        location_ref: None,
        participating_entities: Vec::new(),
        canonical_outcomes: Vec::new(),
        summary: String::new(),
        gm_notes: String::new(),
        turn_count: 0,
        last_turn_at: None,
        proposal_count: 0,
        canonization: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        completed_at: None,
    }
}

fn said(speaker: Speaker, entity_id: Option<&str>) -> Said {
    let (turn_id, text) = ("t".to_owned(), "Mellon".to_owned());
    Said { turn_id, speaker, entity_id: entity_id.map(str::to_owned), text, resolution_ref: None }
}

//
#[test]
fn turns_have_numbers_and_times_that_strictly_increase() {
    let (one, first) = append(&scene(SceneStatus::Active), said(Speaker::Gm, None), Timestamp(10)).unwrap();
    let (two, second) = append(&one, said(Speaker::User, None), Timestamp(10)).unwrap();
    let (_, third) = append(&two, said(Speaker::Entity, Some("e")), Timestamp(3)).unwrap();
    let turns = [first, second, third].map(|turn| (turn.number, turn.timestamp.0));
    assert_eq!(turns, [(1, 10), (2, 11), (3, 12)]);
}

//
#[test]
fn only_an_active_scene_takes_turns_and_an_entity_that_speaks_is_named() {
    for (status, said, expected) in [
        (SceneStatus::Active, said(Speaker::Entity, None), "entity_id is required when speaker is entity"),
        (SceneStatus::Active, said(Speaker::Gm, Some("e")), "entity_id is given although speaker is gm"),
        (SceneStatus::Completed, said(Speaker::Gm, None), "the scene is completed; its canon stands"),
        (SceneStatus::Finalizing, said(Speaker::Gm, None), "scene_id names a scene that is being canonized"),
    ] {
        let refused = append(&scene(status), said, Timestamp(1)).map(drop).map_err(|error| error.to_string());
        assert_eq!(refused, Err(expected.to_owned()));
    }
}

#[test]
fn a_summary_is_made_of_what_became_canon_where_there_is_none() {
    let statements = ["The gate is open".to_owned(), "It sings!".to_owned()];
    let made = summary(&scene(SceneStatus::Finalizing), &statements);
    assert_eq!(made, "The gate. Open it. The gate is open. It sings!");
    let told = Scene { summary: "They went in.".to_owned(), ..scene(SceneStatus::Finalizing) };
    assert_eq!(summary(&told, &statements), "They went in.");
    let long = vec!["x".repeat(500); 9];
    assert_eq!(summary(&scene(SceneStatus::Finalizing), &long).chars().count(), 2000);
}
