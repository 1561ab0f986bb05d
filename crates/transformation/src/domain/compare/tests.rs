use scope::Timestamp;

use super::*;
use crate::domain::properties::Properties;
use crate::metamodel::{ElementType, RelationshipType};

#[test]
fn an_element_comes_goes_or_changes() {
    let (one, other) = (element("Orders", None, 1), element("Orders", Some("d"), 2));
    check(elements(None, Some(&one)), "Added Capability 'Orders' -..e@1");
    check(elements(Some(&one), None), "Removed Capability 'Orders' e@1..-");
    check(elements(Some(&one), Some(&other)), "Changed Capability 'Orders': description e@1..e@2");
    let renamed = element("Sales", None, 3);
    check(elements(Some(&one), Some(&renamed)), "Changed Capability 'Orders', now 'Sales': name e@1..e@3");
}

#[test]
fn what_was_changed_back_does_not_differ() {
    check(elements(Some(&element("Orders", None, 1)), Some(&element("Orders", None, 3))), "-");
    check(elements(None, None), "-");
}

#[test]
fn a_relationship_reads_with_its_ends() {
    let link = relationship();
    let (a, b) = (Name::new("name", "A").unwrap(), Name::new("name", "B").unwrap());
    check(relationships(None, Some(&link), (Some(&a), Some(&b))), "Added Serving from 'A' to 'B' -..r@1");
    check(relationships(Some(&link), None, (Some(&a), None)), "Removed Serving from 'A' to b r@1..-");
    check(relationships(Some(&link), Some(&link), (None, None)), "-");
}

#[test]
fn a_summary_counts_what_there_is() {
    let added = elements(None, Some(&element("A", None, 1))).unwrap();
    let removed = Difference { change: Change::Removed, kind: "relationship", ..added.clone() };
    assert_eq!(summary(&[], false), "no difference");
    assert_eq!(summary(&[], true), "no difference on this page; more on the next page");
    assert_eq!(summary(&[added.clone(), added, removed], false), "elements: 2 added; relationships: 1 removed");
}

#[track_caller]
fn check(difference: Option<Difference>, expected: &str) {
    let side = |version: Option<String>| version.unwrap_or_else(|| "-".to_owned());
    let shown = difference.map_or_else(
        || "-".to_owned(),
        |found| {
            let (from, to) = (side(found.from_version_id), side(found.to_version_id));
            format!("{:?} {} {from}..{to}", found.change, found.text)
        },
    );
    assert_eq!(shown, expected);
}

fn element(name: &str, description: Option<&str>, version: u64) -> Stored<Element> {
    let state = Element {
        profile: None,
        junction: None,
        id: "e".to_owned(),
        repository_id: "r".to_owned(),
        model_id: "m".to_owned(),
        r#type: ElementType::CAPABILITY,
        name: Name::new("name", name).unwrap(),
        key: None,
        description: description.map(str::to_owned),
        properties: Properties::new(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    };
    Stored { state, version, at: Timestamp(0) }
}

fn relationship() -> Stored<Relationship> {
    let end = |id: &str| Element { id: id.to_owned(), ..element(id, None, 1).state };
    let state = Relationship::plain("r", RelationshipType::Serving, &end("a"), &end("b"));
    Stored { state, version: 1, at: Timestamp(0) }
}
