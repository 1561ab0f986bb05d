use super::*;
use crate::domain::Name;
use crate::domain::baseline::{BaselineMention, Status};
use crate::metamodel::ElementType;

// R-804 (transformation): the published codes, each with a field and a fix.
#[test]
fn every_refusal_has_its_code_field_and_hint() {
    let mention = || Mention { id: "e".to_owned(), name: "E".to_owned(), r#type: ElementType::CAPABILITY.into() };
    let text = || "x".to_owned();
    check(Error::invalid("name", text(), "y"), "VALIDATION_ERROR name");
    check(Error::argument("page_token", "x", "y"), "INVALID_ARGUMENT page_token");
    check(Error::NoSuchElementType { field: "type".to_owned(), value: text() }, "INVALID_ELEMENT_TYPE type");
    check(Error::NoSuchRelationshipType { field: "type".to_owned(), value: text() }, "INVALID_RELATIONSHIP type");
    check(
        Error::OtherModel { field: "target_id", element: mention(), model_id: text(), expected: text() },
        "INVALID_RELATIONSHIP target_id",
    );
    check(
        Error::Cycle { relationship: RelationshipType::Composition, from: mention(), to: mention() },
        "CYCLE target_id",
    );
    let mixed = Error::JunctionMixed {
        field: "source_id",
        junction: mention(),
        existing: RelationshipType::Flow,
        relationship: RelationshipType::Serving,
    };
    check(mixed, "JUNCTION_MIXED source_id");
    let (of, permitted) = (RelationshipType::Flow, Vec::new());
    check(
        Error::JunctionPath { relationship: of, from: mention(), to: mention(), permitted },
        "JUNCTION_INVALID_PATH type",
    );
    check(
        Error::NoSuchElement { field: "source_id", reference: text(), model_id: None, similar: Vec::new() },
        "ELEMENT_NOT_FOUND source_id",
    );
    check(Error::Ambiguous { field: "id", reference: text(), candidates: Vec::new() }, "NEEDS_DISAMBIGUATION id");
    check(
        Error::NoSuchModel { reference: text(), models: Vec::new(), active: None, began: None },
        "MODEL_NOT_FOUND model_id",
    );
    check(Error::NoDefaultModel, "NO_DEFAULT_MODEL model_id");
    let name = Name::new("name", "x").unwrap();
    check(
        Error::DuplicateName {
            field: "name".to_owned(),
            name,
            model_id: text(),
            existing: mention(),
            alternatives: Vec::new(),
        },
        "DUPLICATE_NAME name",
    );
    check(Error::DuplicateKey { key: text(), existing: mention() }, "DUPLICATE_NAME key");
    check(Error::RelationshipsExist { element: mention(), relationships: Vec::new() }, "RELATIONSHIPS_EXIST cascade");
    check(Error::StaleVersion { element: mention(), expected: 1, actual: 2 }, "VERSION_CONFLICT expected_version");
    let baseline = || BaselineMention { id: text(), name: text(), status: Status::Draft };
    for (refusal, expected) in [
        (BaselineRefusal::NothingPublished { field: text() }, "NO_PUBLISHED_BASELINE x"),
        (BaselineRefusal::NotFound { field: text(), reference: text(), known: Vec::new() }, "BASELINE_NOT_FOUND x"),
        (BaselineRefusal::Status { baseline: baseline(), step: "s", hint: "h" }, "BASELINE_STATE baseline_id"),
        (BaselineRefusal::NotYours { step: "s" }, "PERMISSION_DENIED baseline_id"),
        (BaselineRefusal::Exists { field: "key", value: text(), existing: baseline() }, "DUPLICATE_NAME key"),
        (
            BaselineRefusal::OtherModel { model_id: text(), baseline_id: text(), expected: text() },
            "OUTSIDE_BASELINE model_id",
        ),
        (
            BaselineRefusal::Pinned { element: mention(), baselines: vec![baseline()], hint: text() },
            "PINNED_BY_BASELINE id",
        ),
    ] {
        check(refusal.into(), expected);
    }
    check(desk::Failure::Contended.into(), "VERSION_CONFLICT -");
}

#[track_caller]
fn check(error: Error, expected: &str) {
    let error = CallError::from(error);
    assert_eq!(format!("{} {}", error.code, error.field.as_deref().unwrap_or("-")), expected);
    assert!(error.suggestions["hint"].is_string(), "{expected}");
}
