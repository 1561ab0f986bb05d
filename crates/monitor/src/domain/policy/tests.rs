//! The policy, cell by cell.

use super::*;

const ALL: [Authority; 4] = [Authority::Source, Authority::Gm, Authority::Player, Authority::System];

fn case(authority: Authority, confidence: f64) -> Case {
    Case { authority, confidence, has_evidence: true, ..Case::default() }
}

fn contradiction(can_be_retconned: bool) -> Vec<Contradiction> {
    vec![Contradiction { id: "f1".to_owned(), why: "it says otherwise".to_owned(), can_be_retconned }]
}

fn decide(case: &Case) -> &'static str {
    judge(&Policy::default(), case).reason.as_str()
}

// authority x confidence, with evidence and without contradiction.
#[test]
fn confidence_counts_by_the_weight_of_its_authority() {
    for (authority, confidence, expected) in [
        (Authority::Source, 0.49, "below_threshold"),
        (Authority::Source, 0.5, "score"),
        (Authority::Source, 1.0, "score"),
        (Authority::Gm, 0.49, "below_threshold"),
        (Authority::Gm, 0.5, "score"),
        (Authority::Gm, 1.0, "score"),
        (Authority::Player, 0.71, "below_threshold"),
        (Authority::Player, 5.0 / 7.0, "score"),
        (Authority::Player, 1.0, "score"),
        (Authority::System, 0.99, "below_threshold"),
        (Authority::System, 1.0, "score"),
    ] {
        assert_eq!(decide(&case(authority, confidence)), expected, "{authority} {confidence}");
    }
}

// a voucher lifts the game master, at any confidence, and nobody else.
#[test]
fn only_the_game_master_is_lifted_by_a_voucher() {
    for (authority, expected) in [
        (Authority::Source, "below_threshold"),
        (Authority::Gm, "gm"),
        (Authority::Player, "below_threshold"),
        (Authority::System, "below_threshold"),
    ] {
        assert_eq!(decide(&Case { is_vouched: true, ..case(authority, 0.0) }), expected, "{authority}");
    }
}

// without evidence nothing is accepted, whoever says it and however sure.
#[test]
fn without_evidence_nothing_is_accepted() {
    for authority in ALL {
        for is_vouched in [false, true] {
            let bare = Case { has_evidence: false, is_vouched, ..case(authority, 1.0) };
            assert_eq!(decide(&bare), "no_evidence", "{authority}");
        }
    }
}

// a contradiction is rejected for all but the vouched game master, at every confidence.
#[test]
fn a_contradiction_is_for_the_game_master_alone() {
    for authority in ALL {
        for confidence in [0.0, 0.5, 1.0] {
            for is_vouched in [false, true] {
                let against = Case { contradictions: contradiction(true), is_vouched, ..case(authority, confidence) };
                let expected = if authority == Authority::Gm && is_vouched { "gm" } else { "contradicts_canon" };
                assert_eq!(decide(&against), expected, "{authority} {confidence} {is_vouched}");
            }
        }
    }
}

#[test]
fn what_no_retcon_can_put_right_is_rejected_for_everybody() {
    for authority in ALL {
        let impossible = Case { contradictions: contradiction(false), is_vouched: true, ..case(authority, 1.0) };
        assert_eq!(decide(&impossible), "contradicts_canon", "{authority}");
    }
}

// the first step that fails gives the reason.
#[test]
fn the_steps_are_taken_in_order() {
    let mut worst = Case {
        invalid: Some("statement is missing".to_owned()),
        missing: vec!["entity e1".to_owned()],
        has_evidence: false,
        contradictions: contradiction(true),
        ..case(Authority::System, 0.0)
    };
    let mut reasons = vec![decide(&worst)];
    worst.invalid = None;
    reasons.push(decide(&worst));
    worst.missing.clear();
    reasons.push(decide(&worst));
    worst.has_evidence = true;
    reasons.push(decide(&worst));
    worst.contradictions.clear();
    reasons.push(decide(&worst));
    let expected = ["invalid_content", "missing_reference", "no_evidence", "contradicts_canon", "below_threshold"];
    assert_eq!(reasons, expected);
}

#[test]
fn an_entity_that_is_needed_is_accepted_at_any_score_but_not_without_evidence() {
    let policy = Policy::default();
    assert_eq!(judge_needed(&policy, &case(Authority::System, 0.1)).reason, Reason::Needed);
    let bare = Case { has_evidence: false, ..case(Authority::System, 0.1) };
    assert_eq!(judge_needed(&policy, &bare).reason, Reason::NoEvidence);
    assert_eq!(judge_needed(&policy, &case(Authority::Source, 1.0)).reason, Reason::Score);
}

#[test]
fn the_rationale_repeats_the_weights_and_the_threshold_that_were_set() {
    let strict = Policy { weight_player: 60, threshold: 75, ..Policy::default() };
    let verdict = judge(&strict, &case(Authority::Player, 0.9));
    let expected =
        "rejected (below_threshold): score 0.54 = confidence 0.9 x weight 0.6 of player is below the threshold 0.75";
    assert_eq!(verdict.rationale, expected);
    let retcon = Case { contradictions: contradiction(true), is_vouched: true, ..case(Authority::Gm, 0.2) };
    let expected = "accepted (gm): a game master vouches for it and retcons f1 (it says otherwise)";
    assert_eq!(judge(&strict, &retcon).rationale, expected);
    let missing = Case { missing: vec!["entity e1".to_owned()], ..case(Authority::Gm, 1.0) };
    assert_eq!(judge(&strict, &missing).rationale, "rejected (missing_reference): there is no entity e1");
}
