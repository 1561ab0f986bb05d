use scope::Timestamp;

use super::*;
use crate::metamodel::ElementType;

// R-172, R-239.
#[test]
fn only_permitted_pairs_are_joined() {
    check("Realization", "ApplicationComponent", "ApplicationService", "ok");
    check("Serving", "ApplicationService", "BusinessProcess", "ok");
    check(
        "Realization",
        "Capability",
        "ApplicationComponent",
        "Cannot create 'Realization' from Capability to ApplicationComponent",
    );
    check("Realization", "Capability", "ValueStream", "ok METAMODEL_EXTENSION");
}

// R-802 (table).
#[test]
fn the_strict_profile_has_no_extension() {
    let around = around("Capability", "ValueStream");
    let refused = show(create(Profile::Strict, &around, &command("Realization", Attributes::default())));
    assert_eq!(refused, "Cannot create 'Realization' from Capability to ValueStream");
}

// R-139: what discovery lists is accepted, and nothing else.
#[test]
fn writes_accept_exactly_what_the_table_permits() {
    for of in RelationshipType::ALL {
        for source in ElementType::all() {
            for target in ElementType::all() {
                let accepted = create(
                    Profile::Ameide,
                    &around(source.label(), target.label()),
                    &command(of.label(), Attributes::default()),
                )
                .is_ok();
                assert_eq!(accepted, Profile::Ameide.permits(of, source, target), "{of} {source} {target}");
            }
        }
    }
}

// Rules 3.3.
#[test]
fn attributes_belong_to_one_type_each() {
    let access = Attributes { access_type: Some("Read".to_owned()), ..Attributes::default() };
    let strength = Attributes { strength: Some("+".to_owned()), ..Attributes::default() };
    let directed = Attributes { directed: Some(true), ..Attributes::default() };
    check_attributes("Access", "DataObject", &access, "ok");
    check_attributes("Serving", "ApplicationService", &access, "access_type belongs to Access only, not to Serving");
    check_attributes("Influence", "Goal", &strength, "ok");
    check_attributes("Association", "Goal", &strength, "strength belongs to Influence only, not to Association");
    check_attributes("Association", "Goal", &directed, "ok");
    check_attributes("Influence", "Goal", &directed, "directed belongs to Association only, not to Influence");
}

// Rules 3.4.
#[test]
fn circles_are_refused_where_they_make_no_sense() {
    let circle = |of: &str| {
        let around = Surroundings { leads_back: true, ..around("Capability", "Capability") };
        show(create(Profile::Ameide, &around, &command(of, Attributes::default())))
    };
    assert_eq!(circle("Composition"), "'Composition' from Source to Target would close a circle");
    assert_eq!(circle("Specialization"), "'Specialization' from Source to Target would close a circle");
    assert_eq!(circle("Serving"), "ok");
    let mut itself = around("Capability", "Capability");
    itself.target = itself.source.clone();
    let refused = show(create(Profile::Ameide, &itself, &command("Aggregation", Attributes::default())));
    assert_eq!(refused, "'Aggregation' from Source to Source would close a circle");
}

// Rules 3.4.
#[test]
fn a_race_towards_a_circle_is_caught_at_the_commit() {
    let decision =
        create(Profile::Ameide, &around("Capability", "Capability"), &command("Aggregation", Attributes::default()))
            .unwrap();
    let path = Expectation::NoPath {
        kind: kind::RELATIONSHIP.to_owned(),
        types: vec!["Composition".to_owned(), "Aggregation".to_owned()],
        from: "t".to_owned(),
        to: "s".to_owned(),
    };
    assert!(decision.expectations.contains(&path));
}

// Rules 3.4.
#[test]
fn repetitions_and_second_wholes_are_warned_about() {
    let repeated = Surroundings { duplicates: vec!["r1".to_owned()], ..around("Capability", "Capability") };
    assert_eq!(
        show(create(Profile::Ameide, &repeated, &command("Serving", Attributes::default()))),
        "ok DUPLICATE_RELATIONSHIP"
    );
    let shared = Surroundings { wholes: vec!["w".to_owned()], ..around("Capability", "Capability") };
    assert_eq!(
        show(create(Profile::Ameide, &shared, &command("Composition", Attributes::default()))),
        "ok SECOND_WHOLE"
    );
    assert_eq!(show(create(Profile::Ameide, &shared, &command("Aggregation", Attributes::default()))), "ok");
}

#[test]
fn both_ends_are_in_one_model() {
    let mut elsewhere = element("t", "Capability", "Target");
    elsewhere.state.model_id = "n".to_owned();
    let apart = Surroundings { target: End::Element(elsewhere), ..around("Capability", "Capability") };
    let refused = show(create(Profile::Ameide, &apart, &command("Serving", Attributes::default())));
    assert_eq!(refused, "Element 'Target' belongs to model n, not to m");
}

// Rules 3.2.
#[test]
fn all_that_meets_at_a_junction_has_one_type() {
    let meets = |target_type| Junctions { target_type, ..Junctions::default() };
    let into = |junctions| Surroundings { junctions, ..around("BusinessProcess", "Junction") };
    let of =
        |around: &Surroundings, of: &str| show(create(Profile::Strict, around, &command(of, Attributes::default())));
    assert_eq!(of(&into(meets(None)), "Triggering"), "ok");
    assert_eq!(of(&into(meets(Some(RelationshipType::Triggering))), "Triggering"), "ok");
    let mixed = of(&into(meets(Some(RelationshipType::Flow))), "Triggering");
    assert_eq!(mixed, "Junction Target joins Flow already, so it cannot join Triggering");
    let collected = Surroundings { junctions: meets(Some(RelationshipType::Flow)), ..around("Grouping", "Junction") };
    assert_eq!(of(&collected, "Aggregation"), "ok", "a Grouping only collects the junction");
}

// Rules 3.2.
#[test]
fn every_way_through_a_junction_is_permitted_from_end_to_end() {
    let mention = |label: &str| element("x", label, "X").mention();
    let through = |sources: &[&str], target: &str| {
        let sources = sources.iter().map(|label| mention(label)).collect();
        let junctions = Junctions { sources, ids: vec!["s".to_owned()], since: 4, ..Junctions::default() };
        Surroundings { junctions, ..around("Junction", target) }
    };
    let of = |around: &Surroundings| create(Profile::Strict, around, &command("Realization", Attributes::default()));
    let good = of(&through(&["ApplicationComponent", "ApplicationFunction"], "ApplicationService")).unwrap();
    let unchanged = Expectation::LinksUnchanged { id: "s".to_owned(), since: 4 };
    assert!(good.expectations.contains(&unchanged), "a leg that comes meanwhile is seen");
    let bad = show(of(&through(&["ApplicationComponent", "Goal"], "ApplicationService")));
    assert_eq!(bad, "Through the junction, 'Realization' would lead from Goal 'X' to ApplicationService 'Target'");
}

// Rules 1.3, 1.4, 3.1.
#[test]
fn a_relationship_may_be_the_end_of_an_association() {
    let link = |id: &str, source: &str, target: &str| {
        let (source, target) = (element(source, "Node", "A"), element(target, "Node", "B"));
        let state = Relationship::plain(id, RelationshipType::Serving, &source, &target);
        End::Relationship(Stored { state, version: 1, at: Timestamp(0) })
    };
    let of =
        |around: &Surroundings, of: &str| show(create(Profile::Strict, around, &command(of, Attributes::default())));
    let to = |target| Surroundings { target, ..around("Goal", "Goal") };
    assert_eq!(of(&to(link("r1", "a", "b")), "Association"), "ok");
    assert_eq!(of(&to(link("r1", "a", "b")), "Serving"), "Cannot create 'Serving' from Goal to Relationship");
    let own = "target_id is a relationship that touches the other end already";
    assert_eq!(of(&to(link("r1", "s", "b")), "Association"), own);
    let from = Surroundings { source: link("r1", "a", "b"), ..around("Goal", "Goal") };
    assert_eq!(of(&from, "Association"), "ok");
    let both = Surroundings { target: link("r2", "a", "b"), ..from };
    assert_eq!(of(&both, "Association"), "Cannot create 'Association' from Relationship to Relationship");
    let held = Surroundings { target: link("r1", "a", "b"), ..around("Plateau", "Goal") };
    assert_eq!(of(&held, "Aggregation"), "ok");
}

#[track_caller]
fn check(of: &str, source: &str, target: &str, expected: &str) {
    assert_eq!(show(create(Profile::Ameide, &around(source, target), &command(of, Attributes::default()))), expected);
}

#[track_caller]
fn check_attributes(of: &str, target: &str, attributes: &Attributes, expected: &str) {
    let around = around("ApplicationComponent", target);
    assert_eq!(show(create(Profile::Ameide, &around, &command(of, attributes.clone()))), expected);
}

fn show(outcome: Result<Decision<Link>, Error>) -> String {
    match outcome {
        Err(error) => error.to_string(),
        Ok(decision) => {
            let codes = decision.notes.warnings.iter().map(|warning| format!(" {}", warning.code));
            format!("ok{}", codes.collect::<String>())
        }
    }
}

fn command(of: &str, attributes: Attributes) -> CreateRelationship {
    CreateRelationship {
        id: "r".to_owned(),
        r#type: RelationshipType::from_label(of).unwrap(),
        source: "s".to_owned(),
        target: "t".to_owned(),
        name: None,
        description: None,
        attributes,
    }
}

fn around(source: &str, target: &str) -> Surroundings {
    Surroundings {
        source: End::Element(element("s", source, "Source")),
        target: End::Element(element("t", target, "Target")),
        duplicates: Vec::new(),
        wholes: Vec::new(),
        leads_back: false,
        junctions: Junctions::default(),
    }
}

fn element(id: &str, label: &str, name: &str) -> Stored<Element> {
    let at = Timestamp(0);
    let state = Element {
        profile: None,
        junction: None,
        id: id.to_owned(),
        repository_id: "default".to_owned(),
        model_id: "m".to_owned(),
        r#type: ElementType::from_label(label).unwrap(),
        name: Name::new("name", name).unwrap(),
        key: None,
        description: None,
        properties: serde_json::Map::new(),
        created_at: at,
        updated_at: at,
    };
    Stored { state, version: 1, at }
}
