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

// R-802.
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
    let mut apart = around("Capability", "Capability");
    apart.target.state.model_id = "n".to_owned();
    let refused = show(create(Profile::Ameide, &apart, &command("Serving", Attributes::default())));
    assert_eq!(refused, "Element 'Target' belongs to model n, not to m");
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
        source: element("s", source, "Source"),
        target: element("t", target, "Target"),
        duplicates: Vec::new(),
        wholes: Vec::new(),
        leads_back: false,
    }
}

fn element(id: &str, label: &str, name: &str) -> Stored<Element> {
    let at = Timestamp(0);
    let state = Element {
        profile: None,
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
