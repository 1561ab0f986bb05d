//! `chancery baselines` and `chancery diff`, as a person types them.

use std::path::Path;
use std::process::Command;

/// What a command printed; its complaint when it failed.
fn chancery(data: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_chancery")).arg("--data").arg(data).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn a_person_publishes_a_baseline_and_sees_what_changed_since() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| chancery(folder.path(), arguments);
    assert!(run(&["baselines", "list"]).unwrap().starts_with("no baselines yet"));
    let create = r#"{"type": "Node", "name": "Host"}"#;
    run(&["call", "transformation.createElement", create]).unwrap();
    run(&["call", "transformation.createBaseline", r#"{"name": "Release 1", "key": "rel-1"}"#]).unwrap();
    assert!(run(&["baselines", "submit", "rel-1"]).unwrap().contains("is submitted"));
    let own = run(&["baselines", "approve", "rel-1", "--reason", "good"]).unwrap_err();
    assert!(own.contains("was made by you (PERMISSION_DENIED)"), "{own}");
    let approve = ["--set", "user=reviewer", "baselines", "approve", "rel-1", "--reason", "good"];
    assert!(run(&approve).unwrap().contains("is approved"));
    assert!(run(&["baselines", "promote", "rel-1"]).unwrap().contains("is promoted"));
    let twice = run(&["baselines", "promote", "rel-1"]).unwrap_err();
    assert!(twice.contains("it is promoted (BASELINE_STATE)"), "{twice}");
    let shown = run(&["baselines", "show", "Release 1"]).unwrap();
    assert!(shown.contains("because    good") && shown.contains("Node 'Host'"), "{shown}");
    run(&["call", "transformation.updateElement", r#"{"id": "Host", "name": "Server"}"#]).unwrap();
    let changed = "~ Node 'Host', now 'Server': name\n0 added, 1 changed, 0 removed\n";
    assert_eq!(run(&["diff", "published"]).unwrap(), changed);
    assert_eq!(run(&["diff", "rel-1", "head"]).unwrap(), changed);
    assert_eq!(run(&["diff", "@2", "rel-1"]).unwrap(), "+ Node 'Host'\n1 added, 0 changed, 0 removed\n");
    let raw: serde_json::Value = serde_json::from_str(&run(&["diff", "published", "--json"]).unwrap()).unwrap();
    assert_eq!(raw["changes"][0]["fields"], serde_json::json!(["name"]));
    let unknown = run(&["diff", "nothing"]).unwrap_err();
    assert!(unknown.contains("Baseline 'nothing' not found (BASELINE_NOT_FOUND)"), "{unknown}");
    run(&["call", "transformation.createBaseline", r#"{"name": "Release 2"}"#]).unwrap();
    assert!(run(&["baselines", "reject", "Release 2", "--reason", "early"]).unwrap_err().contains("it is draft"));
    run(&["baselines", "promote", "Release 2"]).unwrap();
    assert!(run(&["baselines", "rollback", "Release 1"]).unwrap().contains("is promoted"));
    assert_eq!(run(&["diff", "rel-1", "published"]).unwrap(), "0 added, 0 changed, 0 removed\n");
    let listed = run(&["baselines", "list"]).unwrap();
    assert_eq!(listed.lines().filter(|line| line.starts_with("superseded")).count(), 2, "{listed}");
}
