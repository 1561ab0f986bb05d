//! What is committed is what the protos say.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

// R-811: what is generated, and that a machine on which no proto compiler is found can do it.
#[test]
fn all_of_it_is_generated_without_an_installed_compiler() {
    let files = generated().files;
    let text = |path: &str| {
        let path = repository().join(path);
        &files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {}", path.display())).text
    };
    let code = text("crates/contract/src/gen/transformation.rs");
    for part in ["pub struct ListArchimateElementsRequest", "pub trait ArchiMateQueryService", "pub struct Services<"] {
        assert!(code.contains(part), "{part}");
    }
    assert!(text("crates/contract/src/gen/transformation/grpc.rs").contains("ArchiMateQueryServiceServer"));
    assert!(text("gen/mcp/mcp-tool-catalog.json").contains("transformation.listElements"));
    assert!(text("docs/tools/transformation.md").contains("## transformation.listElements"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = |folder: &Path, program: &str| folder.join(program).exists();
    let without_compiler = std::env::split_paths(&path).filter(|folder| !has(folder, "protoc") && !has(folder, "buf"));
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "every_generated_file_is_committed_as_it_is_generated"])
        .env("PATH", std::env::join_paths(without_compiler).unwrap())
        .env_remove("PROTOC")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&alone.stdout);
    assert!(alone.status.success() && said.contains("1 passed"), "{said}");
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

// R-403
#[test]
fn the_catalog_holds_every_annotated_method_and_no_other() {
    let folders = ["transformation/core/v1", "neotoma/v1", "monitor/v1"]
        .map(|of| repository().join("proto/ameide_core_proto").join(of));
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

// R-369
#[test]
fn packages_and_options_have_the_names_of_the_specification() {
    let catalog = committed_catalog();
    let packages: Vec<&Value> =
        catalog["capabilities"].as_array().unwrap().iter().map(|capability| &capability["proto_package"]).collect();
    assert!(packages.contains(&&"ameide_core_proto.transformation.core.v1".into()), "{packages:?}");
    let annotations = fs::read_to_string(repository().join("proto/ameide/mcp/annotations.proto")).unwrap();
    assert!(annotations.contains("\npackage ameide.mcp;\n") && annotations.contains("  Expose expose = "));
    assert_eq!(options::EXPOSE, "ameide.mcp.expose");
}

/// The tool calls that the pages show: tool and arguments.
fn shown_calls() -> Vec<(String, Value)> {
    let pages = fs::read_dir(repository().join("docs")).expect("there are pages");
    let pages = pages.map(|file| file.expect("a page").path());
    let pages = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let text: String =
        pages.chain([repository().join("README.md")]).map(|path| fs::read_to_string(path).expect("a page")).collect();
    let calls = text.split("chancery call ").skip(1).filter_map(|rest| {
        let (tool, rest) = rest.lines().next()?.split_once(" '")?;
        Some((tool.to_owned(), serde_json::from_str(rest.rsplit_once('\'')?.0).expect("arguments")))
    });
    calls.collect()
}

// R-378
#[test]
fn every_call_that_a_page_shows_fits_the_published_schema_but_for_the_one_that_is_refused_there() {
    let catalog = tools(&committed_catalog());
    let mut refused = Vec::new();
    for (name, arguments) in shown_calls() {
        let tool = catalog.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("there is no {name}"));
        if !jsonschema::validator_for(&tool["inputSchema"]).unwrap().is_valid(&arguments) {
            refused.push(arguments["type"].clone());
        }
    }
    assert_eq!(refused, ["AppComponent"]);
    assert!(shown_calls().len() > refused.len());
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

// R-372, R-373, R-476, R-809
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
        if schema.get("type").is_some_and(|of| of == "object") {
            // What names its members is closed, what names none is an open map.
            assert_eq!(schema["additionalProperties"], !schema.contains_key("properties"), "{schema:?}");
        }
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        properties.chain(schema.get("items")).for_each(|inner| walk(inner.as_object().unwrap()));
    }
    /// Levels of objects below an object.
    fn depth(schema: &Map<String, Value>) -> usize {
        let inner = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let inner = inner.map(|inner| inner.get("items").unwrap_or(inner).as_object().unwrap());
        let objects = inner.filter(|inner| inner.get("type").is_some_and(|of| of == "object"));
        objects.map(|inner| 1 + depth(inner)).max().unwrap_or_default()
    }
    for tool in tools(&committed_catalog()) {
        let schema = tool["inputSchema"].as_object().unwrap();
        assert_eq!(schema["type"], "object", "{}", tool["name"]);
        walk(schema);
        assert!(depth(schema) <= 2, "{}", tool["name"]);
    }
}

// R-377
#[test]
fn the_page_documents_what_goes_beyond_the_portable_subset() {
    const PORTABLE: &[&str] = &[
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
        "exclusiveMinimum",
        "exclusiveMaximum",
        "description",
        "title",
    ];
    fn used(schema: &Map<String, Value>, found: &mut BTreeSet<String>) {
        found.extend(schema.keys().filter(|keyword| !PORTABLE.contains(&keyword.as_str())).cloned());
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        properties.chain(schema.get("items")).for_each(|inner| used(inner.as_object().unwrap(), found));
    }
    for capability in committed_catalog()["capabilities"].as_array().unwrap() {
        let mut beyond = BTreeSet::new();
        for tool in capability["tools"].as_array().unwrap() {
            used(tool["inputSchema"].as_object().unwrap(), &mut beyond);
        }
        let beyond: Vec<String> = beyond.into_iter().map(|keyword| format!("`{keyword}`")).collect();
        let page = format!("docs/tools/{}.md", capability["name"].as_str().unwrap());
        let page = fs::read_to_string(repository().join(page)).unwrap();
        assert!(page.contains(&format!("beyond the portable schema subset they use {}.", beyond.join(", "))));
    }
}
