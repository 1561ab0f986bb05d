use scope::{Principal, PrincipalKind};

use super::draft::{CreateBaseline, Holders, Surroundings, create};
use super::life::{Act, Publication, approve, promote, reject, rollback, submit};
use super::members::{MEMBERS_MAX, refuse_too_many};
use super::pin::refuse_pinned;
use super::*;
use crate::Error;
use crate::domain::model::Repository;
use crate::domain::policy::Governance;
use crate::domain::{Decision, Stored};

// R-217: which step leads from which status.
#[test]
fn every_step_starts_where_it_may() {
    use Status::{Approved, Draft, Promoted, Rejected, Submitted, Superseded};
    check("submit", &[Draft]);
    check("approve", &[Submitted]);
    check("reject", &[Submitted, Approved]);
    check("promote", &[Draft, Submitted, Approved]);
    check("rollback", &[Superseded]);
    assert!(Status::ALL.into_iter().filter(|status| status.is_open()).eq([Draft, Submitted, Approved]));
    assert!(Status::ALL.into_iter().filter(|status| status.was_published()).eq([Promoted, Superseded]));
    assert!(!Rejected.is_open());
}

#[track_caller]
fn check(step: &str, permitted: &[Status]) {
    let act = person();
    for status in Status::ALL {
        let baseline = baseline(status);
        let outcome = match step {
            "submit" => submit(&baseline, &act),
            "approve" => approve(&lenient(), &baseline, &act),
            "reject" => reject(&baseline, &act),
            "promote" => promote(&lenient(), &baseline, &nothing_published(), &act),
            _ => rollback(&lenient(), &baseline, around(Holders::default()), &nothing_published(), &command(), &act),
        };
        assert_eq!(outcome.is_ok(), permitted.contains(&status), "{step} from {status:?}");
    }
}

// R-213
#[test]
fn promotion_takes_the_place_of_what_was_published() {
    let before =
        Stored { state: Baseline { id: "old".to_owned(), ..state(Status::Promoted) }, ..baseline(Status::Promoted) };
    let published = Publication { baseline: Some(before), ..nothing_published() };
    let decision = promote(&Governance::default(), &baseline(Status::Draft), &published, &person()).unwrap();
    assert_eq!(
        kinds(&decision),
        "BaselineSubmittedForApproval BaselineApproved BaselinePromoted BaselineSuperseded RepositoryPublished"
    );
    let Step { baseline, version, pending } = decision.outcome;
    assert_eq!((version, pending, baseline.supersedes.as_deref()), (4, false, Some("old")));
    assert_eq!(decision.expectations.len(), 3, "the baseline, the repository and what was published stay as they are");
}

// R-296
#[test]
fn an_agent_submits_and_decides_nothing() {
    let mut act = person();
    act.by.kind = PrincipalKind::Agent;
    let asked = promote(&Governance::default(), &baseline(Status::Draft), &nothing_published(), &act).unwrap();
    assert_eq!((kinds(&asked).as_str(), asked.outcome.pending), ("BaselineSubmittedForApproval", true));
    let again = promote(&Governance::default(), &baseline(Status::Approved), &nothing_published(), &act).unwrap();
    assert_eq!((kinds(&again).as_str(), again.outcome.pending), ("", true));
    for refused in [approve(&lenient(), &baseline(Status::Submitted), &act), reject(&baseline(Status::Submitted), &act)]
    {
        assert!(refused.unwrap_err().to_string().starts_with("You may not"));
    }
}

#[test]
fn a_name_or_key_is_taken_once() {
    let taken = Some(state(Status::Rejected).mention());
    let refusal = |holders| create(around(holders), &command()).unwrap_err().to_string();
    let name = Holders { name: taken.clone(), key: None };
    assert_eq!(refusal(name), "A baseline with name 'Release' exists already");
    let key = Holders { name: None, key: taken };
    assert_eq!(refusal(key), "A baseline with key 'rel' exists already");
}

#[test]
fn a_part_has_a_bound() {
    assert!(refuse_too_many("element_ids", MEMBERS_MAX).is_ok());
    let refusal = refuse_too_many("element_ids", MEMBERS_MAX + 1).unwrap_err();
    assert_eq!(refusal.to_string(), "element_ids makes a part of more than 10000 elements and relationships");
}

#[test]
fn the_published_baseline_gives_way_and_open_ones_do_not() {
    let element = crate::domain::element::Element {
        profile: None,
        junction: None,
        id: "e".to_owned(),
        repository_id: "r".to_owned(),
        model_id: "m".to_owned(),
        r#type: crate::metamodel::ElementType::CAPABILITY,
        name: Name::new("name", "E").unwrap(),
        key: None,
        description: None,
        properties: Default::default(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    };
    let held = |status: Status, even: bool| refuse_pinned(&element, &[state(status).mention()], even).is_err();
    assert!(held(Status::Promoted, false) && !held(Status::Promoted, true));
    assert!(held(Status::Draft, true) && held(Status::Submitted, true) && held(Status::Approved, true));
    assert!(refuse_pinned(&element, &[], false).is_ok());
}

// A steward commits a draft of their own; what was submitted needs somebody else, and as many as policy says.
#[test]
fn publication_obeys_self_approval_and_the_number_of_approvals() {
    let (own, other) = (Act { by: Principal::local("p"), ..person() }, Act { by: Principal::local("q"), ..person() });
    let by_author = |state: Status| {
        let mut baseline = baseline(state);
        baseline.state.created_by = own.by.id();
        baseline
    };
    let review = Governance::default();
    let draft = promote(&review, &by_author(Status::Draft), &nothing_published(), &own).unwrap();
    assert_eq!(draft.outcome.baseline.status, Status::Promoted);
    let asked = promote(&review, &by_author(Status::Submitted), &nothing_published(), &own).unwrap();
    assert_eq!((kinds(&asked).as_str(), asked.outcome.pending), ("", true));
    let refusal = approve(&review, &by_author(Status::Submitted), &own).unwrap_err();
    assert_eq!(refusal.to_string(), "Baseline 'Release' was made by you");
    assert!(approve(&lenient(), &by_author(Status::Submitted), &own).is_ok());

    let two = Governance { approvals_high: 2, ..Governance::default() };
    let waiting = promote(&two, &by_author(Status::Draft), &nothing_published(), &own).unwrap();
    assert_eq!((waiting.outcome.baseline.status, waiting.outcome.pending), (Status::Submitted, true));
    assert!(waiting.outcome.baseline.approvals.is_empty());
    let first = approve(&two, &by_author(Status::Submitted), &other).unwrap().outcome;
    assert_eq!((first.baseline.status, first.pending), (Status::Submitted, true));
    let first = Stored { state: first.baseline, version: 2, at: Timestamp(0) };
    let again = approve(&two, &first, &other).unwrap_err();
    assert_eq!(again.to_string(), "You approved baseline 'Release' already");
    let third = Act { by: Principal::local("r"), ..person() };
    assert_eq!(promote(&two, &first, &nothing_published(), &third).unwrap().outcome.baseline.status, Status::Promoted);
    let back = rollback(
        &two,
        &by_author(Status::Superseded),
        around(Holders::default()),
        &nothing_published(),
        &command(),
        &other,
    );
    let back = back.unwrap().outcome;
    assert_eq!((back.baseline.status, back.pending), (Status::Submitted, true));
}

fn lenient() -> Governance {
    Governance { self_approval: true, ..Governance::default() }
}

fn kinds(decision: &Decision<Step>) -> String {
    let kinds = decision.facts.iter().map(|fact| fact.kind().trim_start_matches("transformation."));
    kinds.collect::<Vec<_>>().join(" ")
}

fn person() -> Act {
    Act { by: Principal::local("p"), now: Timestamp(1), rationale: Some("because".to_owned()) }
}

fn nothing_published() -> Publication {
    let repository = Repository {
        id: "r".to_owned(),
        organization_id: "o".to_owned(),
        name: "r".to_owned(),
        active_model_id: None,
        published_baseline_id: None,
    };
    Publication { repository: Stored { state: repository, version: 1, at: Timestamp(0) }, baseline: None }
}

fn command() -> CreateBaseline {
    CreateBaseline {
        id: "b".to_owned(),
        by: "p".to_owned(),
        now: Timestamp(0),
        name: Name::new("name", "Release").unwrap(),
        key: Some("rel".to_owned()),
        description: None,
    }
}

fn around(holders: Holders) -> Surroundings {
    Surroundings { repository_id: "r".to_owned(), model_id: "m".to_owned(), sequence: 3, members: None, holders }
}

fn state(status: Status) -> Baseline {
    let created = create(around(Holders::default()), &command()).map(|decision| decision.outcome.baseline);
    Baseline { status, ..created.map_err(|error: Error| error.to_string()).unwrap() }
}

fn baseline(status: Status) -> Stored<Baseline> {
    Stored { state: state(status), version: 1, at: Timestamp(0) }
}
