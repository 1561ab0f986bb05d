//! A contract of somebody else, whose code refers to this platform's crate.

use std::fs;

use codegen::{Contract, Stamp, generate, options};

const PROTO: &str = r#"syntax = "proto3";
package outside.v1;
import "ameide/mcp/annotations.proto";
option (ameide.mcp.capability) = { name: "outside" title: "Outside" };
service EchoQueryService {
  // Say it again.
  rpc Echo(EchoRequest) returns (EchoResponse) {
    option (ameide.mcp.expose) = {
      tool_name: "outside.echo"
      hints: { read_only: true destructive: false idempotent: true }
    };
  }
  rpc InternalMigrate(EchoRequest) returns (EchoResponse);
}
service HousekeepingService {
  rpc Sweep(EchoRequest) returns (EchoResponse);
}
enum Tone { TONE_UNSPECIFIED = 0; LOUD = 1; }
message EchoRequest { string text = 1; Tone tone = 2; }
message EchoResponse { string text = 1; }
"#;

fn outside(expose_annotation: &str, proto: &str) -> Result<Vec<(String, String)>, Vec<codegen::Problem>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("outside.proto"), proto).expect("the folder can be written");
    let contract = Contract {
        proto_root: folder.path().to_owned(),
        include_roots: vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto").into()],
        out_dir: "out".into(),
        catalog_path: Some("catalog/tools.json".into()),
        docs_dir: None,
        runtime_path: "::contract".to_owned(),
        expose_annotation: expose_annotation.to_owned(),
    };
    let stamp = Stamp { version: "2026-01-01T00:00:00Z".to_owned(), git_sha: "0000000".to_owned() };
    let files = generate(&contract, &stamp)?.files.into_iter();
    Ok(files.map(|file| (file.path.display().to_string(), file.text)).collect())
}

#[track_caller]
fn text<'a>(files: &'a [(String, String)], path: &str) -> &'a str {
    &files.iter().find(|(name, _)| name == path).unwrap_or_else(|| panic!("no {path}")).1
}

// R-415
#[test]
fn files_go_where_the_contract_says() {
    let files = outside(options::EXPOSE, PROTO).unwrap();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "out/mod.rs",
            "out/outside.rs",
            "out/outside/grpc.rs",
            "out/outside.json",
            "catalog/tools.json",
            "catalog/mcp-tool-catalog.v1.json",
            "out/stamp.json"
        ]
    );
}

#[test]
fn code_refers_to_the_runtime_by_its_path() {
    let files = outside(options::EXPOSE, PROTO).unwrap();
    for path in ["out/outside.rs", "out/outside/grpc.rs"] {
        let code = text(&files, path);
        assert!(code.contains("::contract::") && !code.contains("crate::"), "{path}");
    }
}

// R-381
#[test]
fn a_method_without_annotation_is_unreachable() {
    let files = outside(options::EXPOSE, PROTO).unwrap();
    let code = text(&files, "out/outside.rs");
    assert!(code.contains("self.echo_query.echo("), "the annotated method is dispatched");
    assert!(!code.contains("self.echo_query.internal_migrate("), "the other one is not");
    assert!(code.contains("pub struct Services<A> {"), "a service without tools is not held at all");
    let catalog: serde_json::Value = serde_json::from_str(text(&files, "catalog/tools.json")).unwrap();
    assert_eq!(catalog["capabilities"][0]["tools"].as_array().map(Vec::len), Some(1));
}

// R-364, R-369, R-415
#[test]
fn another_annotation_can_be_named() {
    let own = PROTO.replace(
        "import \"ameide/mcp/annotations.proto\";",
        concat!(
            "import \"ameide/mcp/annotations.proto\"; import \"google/protobuf/descriptor.proto\";\n",
            "extend google.protobuf.MethodOptions { ameide.mcp.Expose expose = 60000; }"
        ),
    );
    let own = own.replace("(ameide.mcp.expose)", "(outside.v1.expose)");
    let tools = |annotation| {
        let files = outside(annotation, &own).unwrap();
        let catalog: serde_json::Value = serde_json::from_str(text(&files, "catalog/tools.json")).unwrap();
        catalog["capabilities"][0]["tools"].as_array().map(Vec::len)
    };
    assert_eq!((tools("outside.v1.expose"), tools(options::EXPOSE)), (Some(1), Some(0)));
}

#[test]
fn a_contract_with_faults_generates_nothing_and_reports_all() {
    let spoiled = PROTO.replace("outside.echo", "Outside.Echo").replace("  // Say it again.\n", "");
    let problems = outside(options::EXPOSE, &spoiled).unwrap_err();
    let lines: Vec<usize> = problems.iter().map(|problem| problem.place.line).collect();
    assert_eq!(lines, [6, 6]);
}

// R-366, R-810: what the options of a method say stands in the catalog.
#[test]
fn the_catalog_says_what_the_options_say() {
    let stated = concat!(
        "hints: { read_only: true destructive: false idempotent: true open_world: true }\n",
        "      toolset: \"read\" scopes: [\"outside:read\"] risk: HIGH\n",
        "      examples: { description: \"Hello\" input: \"{}\" }",
    );
    let proto = PROTO.replace("hints: { read_only: true destructive: false idempotent: true }", stated);
    let files = outside(options::EXPOSE, &proto).unwrap();
    let catalog: serde_json::Value = serde_json::from_str(text(&files, "catalog/tools.json")).unwrap();
    let tool = &catalog["capabilities"][0]["tools"][0];
    let hints = serde_json::json!({
        "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true,
    });
    assert_eq!(tool["hints"], hints);
    assert_eq!((&tool["name"], &tool["description"]), (&"outside.echo".into(), &"Say it again.".into()));
    assert_eq!(
        (tool["toolset"].as_str(), tool["scopes"][0].as_str(), tool["risk"].as_str()),
        (Some("read"), Some("outside:read"), Some("HIGH"))
    );
    assert_eq!(tool["examples"], serde_json::json!([{ "description": "Hello", "input": {} }]));
}
