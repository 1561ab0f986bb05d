//! What is committed is what the protos say.

use std::fs;
use std::path::{Path, PathBuf};

use codegen::{Contract, Generated, Stamp, catalog, generate, options};
use serde_json::{Map, Value};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn generated() -> Generated {
    let root = repository();
    let contract = Contract {
        proto_root: root.join("proto"),
        include_roots: Vec::new(),
        out_dir: root.join("crates/contract/src/gen"),
        catalog_path: Some(root.join("gen/mcp/mcp-tool-catalog.json")),
        docs_dir: Some(root.join("docs/tools")),
        runtime_path: "crate".to_owned(),
        expose_annotation: options::EXPOSE.to_owned(),
    };
    let stamp = Stamp { version: "2026-01-01T00:00:00Z".to_owned(), git_sha: "0000000".to_owned() };
    generate(&contract, &stamp).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn committed_catalog() -> Value {
    let text =
        fs::read_to_string(repository().join("gen/mcp/mcp-tool-catalog.json")).expect("the catalog is committed");
    serde_json::from_str(&text).expect("the catalog is JSON")
}

fn tools(catalog: &Value) -> Vec<Value> {
    let capabilities = catalog["capabilities"].as_array().expect("a list");
    capabilities.iter().flat_map(|capability| capability["tools"].as_array().expect("a list")).cloned().collect()
}

// R-003, R-363, R-402, R-410, R-478, R-481, R-507, R-510, R-511, R-811
#[test]
fn every_generated_file_is_committed_as_it_is_generated() {
    for file in generated().files {
        let present = fs::read_to_string(&file.path).unwrap_or_default();
        let same = catalog::without_stamp(&present) == catalog::without_stamp(&file.text);
        assert!(same, "{} differs: run cargo xtask codegen", file.path.display());
    }
}

// R-811
#[test]
fn generating_twice_gives_the_same_bytes() {
    assert_eq!(generated().files, generated().files);
}

#[test]
fn the_catalog_fits_its_published_schema() {
    let schema = fs::read_to_string(repository().join("gen/mcp/mcp-tool-catalog.v1.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&committed_catalog())
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, [""; 0]);
}

// R-364, R-403
#[test]
fn the_catalog_holds_every_annotated_method_and_no_other() {
    let folders =
        ["transformation/core/v1", "neotoma/v1"].map(|of| repository().join("proto/ameide_core_proto").join(of));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let protos: Vec<String> = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let names = protos.iter().flat_map(|text| text.split("tool_name: \"").skip(1));
    let mut annotated: Vec<&str> = names.filter_map(|rest| rest.split('"').next()).collect();
    let catalog = tools(&committed_catalog());
    let mut listed: Vec<&str> = catalog.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    annotated.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, annotated);
}

// R-367
#[test]
fn list_elements_is_a_safe_query() {
    let catalog = tools(&committed_catalog());
    let tool = catalog.iter().find(|tool| tool["name"] == "transformation.listElements").unwrap();
    assert_eq!(
        tool["hints"].to_string(),
        r#"{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#
    );
    assert_eq!(
        (&tool["rpc"], &tool["cqrs_side"]),
        (&"ArchiMateQueryService.ListArchimateElements".into(), &"query".into())
    );
}

// R-378
#[test]
fn every_example_fits_the_published_schema() {
    for tool in tools(&committed_catalog()) {
        let validator = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        for example in tool["examples"].as_array().unwrap() {
            assert!(validator.is_valid(&example["input"]), "{}: {example}", tool["name"]);
        }
    }
}

// R-372, R-373, R-809
#[test]
fn input_schemas_stay_in_the_portable_subset() {
    const KEYWORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "enum",
        "items",
        "minLength",
        "maxLength",
        "pattern",
        "minimum",
        "maximum",
        "description",
        "additionalProperties",
        "format",
        "default",
    ];
    fn walk(schema: &Map<String, Value>) {
        for keyword in schema.keys() {
            assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword}");
        }
        if let Some(format) = schema.get("format") {
            assert_eq!(schema["type"], "string", "{format}");
        }
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        properties.chain(schema.get("items")).for_each(|inner| walk(inner.as_object().unwrap()));
    }
    tools(&committed_catalog()).iter().for_each(|tool| walk(tool["inputSchema"].as_object().unwrap()));
}

// R-377
#[test]
fn the_page_documents_what_goes_beyond_the_portable_subset() {
    let page = fs::read_to_string(repository().join("docs/tools/transformation.md")).unwrap();
    assert!(page.contains("beyond the portable schema subset they use `additionalProperties`, `default`, `format`"));
}
