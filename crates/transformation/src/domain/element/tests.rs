use serde_json::json;

use super::*;

const NOW: Timestamp = Timestamp(1_000_000);

// R-151, R-153, R-241
#[test]
fn a_name_is_unique_among_elements_of_a_type() {
    check_create("ApplicationComponent", "OrderService", None, "ElementCreated OrderService; MISSING_DESCRIPTION");
    check_create(
        "ApplicationComponent",
        "  order   SERVICE",
        None,
        "ElementCreated order   SERVICE; MISSING_DESCRIPTION",
    );
    check_create("ApplicationComponent", "Taken", None, "Element 'Taken' already exists in this model");
    check_create("ApplicationService", "Taken", None, "ElementCreated Taken; SAME_NAME_OTHER_TYPE MISSING_DESCRIPTION");
}

// R-157, R-164.
#[test]
fn a_parent_composes_or_aggregates_or_is_refused() {
    let parent = |label| Some(stored("p", label, "Parent", 4));
    check_create(
        "ApplicationComponent",
        "Part",
        parent("ApplicationComponent"),
        "ElementCreated Part, Composition p>new; MISSING_DESCRIPTION",
    );
    check_create(
        "BusinessActor",
        "Part",
        parent("BusinessCollaboration"),
        "ElementCreated Part, Aggregation p>new; MISSING_DESCRIPTION PARENT_BY_AGGREGATION",
    );
    check_create(
        "ApplicationComponent",
        "Part",
        parent("Capability"),
        "Cannot create 'Composition' from Capability to ApplicationComponent",
    );
    let mut elsewhere = stored("p", "Capability", "Parent", 1);
    elsewhere.state.model_id = "other".to_owned();
    check_create("Capability", "Part", Some(elsewhere), "Element 'Parent' belongs to model other, not to m");
}

// R-178, R-179.
#[test]
fn an_update_merges_and_grows_by_one_version() {
    let updated = update(&element_at(3), &[], &change(None, json!({"owner": "Ops", "gone": null}))).unwrap();
    assert_eq!(serde_json::Value::Object(updated.outcome.element.properties), json!({"kept": 1, "owner": "Ops"}));
    assert_eq!(updated.outcome.previous_version, 3);
    assert_eq!(updated.expectations, [Expectation::Version { key: Element::key_of("e"), version: 3 }]);
}

#[test]
fn an_update_refuses_what_makes_no_sense() {
    check_update(change(None, json!({})), &[], "name is missing, and so are description and properties");
    check_update(
        change(Some("Taken"), json!({})),
        &[stored("t", "Node", "Taken", 1)],
        "Element 'Taken' already exists in this model",
    );
    check_update(change(Some("Own"), json!({})), &[element_at(3)], "ok");
}

// R-188.
#[test]
fn a_stale_version_is_refused() {
    let stale = UpdateElement { expected_version: Some(2), ..change(Some("x"), json!({})) };
    check_update(stale, &[], "Element 'Own' is at version 3, not 2");
    let delete =
        DeleteElement { element: "e".to_owned(), cascade: true, even_if_published: false, expected_version: Some(9) };
    assert_eq!(
        super::delete(&element_at(3), &[], 7, &delete).unwrap_err().to_string(),
        "Element 'Own' is at version 3, not 9"
    );
}

// R-184, R-185, R-186.
#[test]
fn a_deletion_takes_its_relationships_along_or_is_refused() {
    let link = Relationship::plain("r", RelationshipType::Association, &element_at(3), &element_at(3));
    let command =
        |cascade| DeleteElement { element: "e".to_owned(), cascade, even_if_published: false, expected_version: None };
    let gone = delete(&element_at(3), std::slice::from_ref(&link), 7, &command(true)).unwrap();
    assert_eq!(gone.outcome.relationships, ["r"]);
    assert_eq!(
        gone.facts.iter().map(Fact::kind).collect::<Vec<_>>(),
        ["transformation.ElementRelationshipDeleted", "transformation.ElementDeleted"]
    );
    assert!(gone.expectations.contains(&Expectation::LinksUnchanged { id: "e".to_owned(), since: 7 }));
    let refused = delete(&element_at(3), &[link], 7, &command(false)).unwrap_err();
    assert_eq!(refused.to_string(), "Element 'Own' has 1 relationships");
    assert!(delete(&element_at(3), &[], 7, &command(false)).is_ok());
}

#[track_caller]
fn check_create(label: &str, name: &str, parent: Option<Stored<Element>>, expected: &str) {
    let around = Surroundings {
        repository_id: "default".to_owned(),
        model_id: "m".to_owned(),
        namesakes: if name == "Taken" { vec![stored("t", "ApplicationComponent", "Taken", 1)] } else { Vec::new() },
        key_holder: None,
        parent,
    };
    let command = CreateElement {
        chosen_id: false,
        profile: None,
        junction: None,
        id: "new".to_owned(),
        relationship_id: "link".to_owned(),
        now: NOW,
        r#type: ElementType::from_label(label).unwrap(),
        name: Name::new("name", name).unwrap(),
        key: None,
        description: None,
        properties: Properties::new(),
        model: None,
        parent: None,
    };
    let shown = match create(Profile::Ameide, &around, &command) {
        Err(error) => error.to_string(),
        Ok(decision) => {
            let Created { element, link } = &decision.outcome;
            let link = link.as_ref().map(|link| &link.relationship);
            let link =
                link.map(|link| format!(", {} {}>{}", link.r#type, link.source_id, link.target_id)).unwrap_or_default();
            let warnings: Vec<&str> = decision.notes.warnings.iter().map(|warning| warning.code).collect();
            format!("ElementCreated {}{link}; {}", element.name, warnings.join(" "))
        }
    };
    assert_eq!(shown, expected);
}

#[track_caller]
fn check_update(command: UpdateElement, namesakes: &[Stored<Element>], expected: &str) {
    let shown = update(&element_at(3), namesakes, &command).map_or_else(|error| error.to_string(), |_| "ok".to_owned());
    assert_eq!(shown, expected);
}

fn change(name: Option<&str>, properties: serde_json::Value) -> UpdateElement {
    UpdateElement {
        profile: None,
        element: "e".to_owned(),
        now: NOW,
        name: name.map(|name| Name::new("name", name).unwrap()),
        description: None,
        properties: properties.as_object().cloned(),
        expected_version: None,
    }
}

fn element_at(version: u64) -> Stored<Element> {
    let mut element = stored("e", "Node", "Own", version);
    element.state.properties = json!({"kept": 1, "gone": 2}).as_object().cloned().unwrap();
    element
}

fn stored(id: &str, label: &str, name: &str, version: u64) -> Stored<Element> {
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
        properties: Properties::new(),
        created_at: NOW,
        updated_at: NOW,
    };
    Stored { state, version, at: NOW }
}
