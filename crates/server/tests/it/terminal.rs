//! What a person types and reads, in the real binary: hints, settings, the audit, output that cannot be written.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::world::World;

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
    command.arg("--data").arg(data).args(arguments).stdin(Stdio::null());
    command
}

fn run(data: &Path, arguments: &[&str]) -> Output {
    command(data, arguments).output().unwrap()
}

#[track_caller]
fn prints(data: &Path, arguments: &[&str]) -> String {
    let output = run(data, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn refuses(data: &Path, arguments: &[&str]) -> String {
    let output = run(data, arguments);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn an_unknown_tool_names_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (given, meant) in [
        ("createElement", "transformation.createElement"),
        ("transformation.creatElement", "transformation.createElement"),
        ("creatElement", "transformation.createElement"),
        ("retrieve_entity", "retrieve_entities"),
    ] {
        let refusal = refuses(&data, &["call", given]);
        assert_eq!(refusal, format!("chancery: there is no tool {given}; did you mean {meant}?\n"));
    }
    let refusal = refuses(&data, &["call", "qqq"]);
    assert_eq!(refusal, "chancery: there is no tool qqq; `chancery tools` lists them\n");
}

// R-344: said on the log, and not done.
#[test]
fn what_is_not_there_is_refused_at_the_start_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (setting, expected) in [
        ("toolsets=reed", "toolsets: there is no toolset reed; did you mean read? there is "),
        (
            "capabilities=neotama",
            "capabilities: there is no neotama; did you mean neotoma? there is transformation, monitor, neotoma",
        ),
        ("limits.tools=ingst=5", "limits.tools: there is no tool ingst; did you mean ingest?"),
        ("listen=0.0.0.0:0", "0.0.0.0:0 can be reached from other machines"),
    ] {
        let refusal = refuses(&data, &["--set", setting, "serve"]);
        assert!(refusal.contains(expected) && refusal.lines().count() == 1, "{refusal}");
    }
    let refusal = refuses(&data, &["serve", "--listen", "192.0.2.1:8080"]);
    assert!(refusal.contains("issue a token with `chancery token issue`, or listen on 127.0.0.1:8080"), "{refusal}");
}

#[test]
fn a_client_gets_whole_paths_and_every_setting() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().canonicalize().unwrap().join("it's data");
    let chancery = |client: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
        command.current_dir(folder.path()).env("CHANCERY_ROLE", "viewer");
        command.args(["config", client, "--data", "it's data", "--log", "warn", "--set", "toolsets=read,write"]);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let wanted = |capability: &str| {
        let sets = ["--set", "log=warn", "--set", "role=viewer", "--set", "toolsets=read,write"];
        let arguments = ["serve", "--stdio", "--capability", capability, "--data", data.to_str().unwrap()];
        json!(arguments.iter().chain(&sets).collect::<Vec<_>>())
    };
    let json = |client: &str| -> Value { serde_json::from_str(&chancery(client)).unwrap() };
    for (client, place) in [
        ("claude-desktop", "mcpServers"),
        ("cursor", "mcpServers"),
        ("gemini", "mcpServers"),
        ("windsurf", "mcpServers"),
        ("zed", "context_servers"),
    ] {
        let printed = json(client);
        let server = &printed[place]["arch"];
        assert!(Path::new(server["command"].as_str().unwrap()).is_absolute());
        assert_eq!(server["args"], wanted("transformation"), "{client}");
        assert_eq!(printed[place]["neotoma"]["args"], wanted("neotoma"), "{client}");
    }
    let codex: toml::Table = chancery("codex").parse().unwrap();
    let codex = serde_json::to_value(codex).unwrap();
    assert_eq!(codex["mcp_servers"]["neotoma"]["args"], wanted("neotoma"));
    assert_eq!(json("vscode")["servers"]["arch"]["url"], "http://127.0.0.1:8080/transformation/mcp");
    let line = chancery("claude-code").lines().next().unwrap().to_owned();
    assert!(line.starts_with("claude mcp add arch -- "), "{line}");
    let quoted = data.to_str().unwrap().replace('\'', r"'\''");
    assert!(line.contains(&format!("--data '{quoted}' --set log=warn --set role=viewer")), "{line}");
}

#[test]
fn a_snippet_comes_with_the_user_id_that_its_owner_may_give() {
    let folder = tempfile::tempdir().unwrap();
    let uuid = "0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968";
    let note = |user: &str| {
        let command = &mut command(folder.path(), &["config", "cursor", "--set", &format!("user={user}")]);
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert!(note(uuid).contains(&format!("leave it out, or give {uuid}, which is yours")), "{}", note(uuid));
    assert_ne!(note("ann"), note("bob"));
}

#[test]
fn the_settings_in_force_are_shown_with_their_source_and_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chancery.toml");
    std::fs::write(&file, "user = \"ada\"\n").unwrap();
    let mut command = command(folder.path(), &["config", "show", "--set", "confirm=never"]);
    let output =
        command.env("CHANCERY_NEOTOMA_INTERPRETER_KEY", "hush").env("CHANCERY_ROLE", "agent").output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    for line in [
        format!("user = \"ada\"  # file {}", file.display()),
        "role = \"agent\"  # environment CHANCERY_ROLE".to_owned(),
        "confirm = \"never\"  # flag".to_owned(),
        "limits.calls_max = 512  # default".to_owned(),
        "neotoma.interpreter_key = (hidden)  # environment CHANCERY_NEOTOMA_INTERPRETER_KEY".to_owned(),
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    assert!(!shown.contains("hush"));
}

#[test]
fn the_audit_is_read_by_caller_tool_outcome_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    prints(data, &["call", "transformation.createElement", r#"{"type": "Node", "name": "host"}"#]);
    assert!(
        !run(data, &["call", "transformation.createElement", r#"{"type": "Nod", "name": "host"}"#]).status.success()
    );
    prints(data, &["call", "transformation.listModels", "--set", "user=ada"]);
    let targets = |filter: &[&str]| -> Vec<String> {
        let lines = prints(data, &[&["audit", "--json"], filter].concat());
        let row = |line: &str| serde_json::from_str::<Value>(line).unwrap()["target"].as_str().unwrap().to_owned();
        lines.lines().map(row).collect()
    };
    let (create, list) = ("transformation.createElement", "transformation.listModels");
    assert_eq!(targets(&[]), [list, create, create]);
    assert_eq!(targets(&["--tool", "createElement"]), [create, create]);
    assert_eq!(targets(&["--principal", "ada"]), [list]);
    assert_eq!(targets(&["--outcome", "refused", "--since", "1h"]), [create]);
    assert_eq!(targets(&["--since", "2999-01-01"]), [""; 0]);
    assert_eq!(targets(&["--limit", "1"]), [list]);
    let output = run(data, &["audit", "--limit", "1"]);
    let line = String::from_utf8(output.stdout).unwrap();
    assert!(line.contains("tools/call transformation.listModels  local|ada  cli"), "{line}");
    let moment = line.split(' ').next().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("older ones with --before {moment}\n"));
    assert_eq!(targets(&["--before", moment]), [create, create]);
    assert_eq!(targets(&["--before", moment, "--outcome", "ok"]), [create]);
}

#[test]
fn facts_of_every_capability_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let entity = r#"{"entities": [{"entity_type": "person", "name": "Ada"}]}"#;
    prints(folder.path(), &["call", "ingest", entity]);
    let facts = prints(folder.path(), &["facts"]);
    let kinds: Vec<Value> =
        facts.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone()).collect();
    assert!(kinds.iter().any(|kind| kind.as_str().unwrap().starts_with("io.ameide.neotoma.fact.")), "{kinds:?}");
}

#[test]
fn a_backup_into_a_folder_that_is_not_there_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nowhere/backup.db");
    let refusal = refuses(&folder.path().join("data"), &["backup", file.to_str().unwrap()]);
    let nowhere = folder.path().join("nowhere");
    assert_eq!(
        refusal,
        format!("chancery: the folder {} does not exist; make it, or name another\n", nowhere.display())
    );
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error_and_not_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in [["tools"].as_slice(), &["catalog"], &["config", "reference"], &["doctor"], &["baselines", "list"]]
    {
        let output = command(folder.path(), arguments).stdout(full()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(stderr.contains("cannot write to stdout") && !stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
    for (arguments, code) in [(["--log", "trace", "tools"].as_slice(), 0), (&["call", "nothing"], 1)] {
        let output = command(folder.path(), arguments).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_data_directory_that_others_can_read_is_closed_and_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    prints(&data, &["catalog"]);
    let open = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    open(&data, 0o755);
    open(&data.join("secret.key"), 0o644);
    let report = prints(&data, &["doctor", "--set", "listen=127.0.0.1:0"]);
    assert!(
        report.contains(&format!("ok    data: {} was open to others (mode 0755) and is closed now", data.display())),
        "{report}"
    );
    assert!(
        report.contains("secret.key was open to others (mode 0644) and is closed now; if somebody may have read it"),
        "{report}"
    );
    assert_eq!((mode(&data), mode(&data.join("secret.key"))), (0o700, 0o600));
    open(&data, 0o755);
    let output = run(&data, &["tools"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("was open to others (mode 0755)"));
    assert_eq!(mode(&data), 0o700);
}

#[test]
fn a_key_that_anybody_can_guess_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.key"), "0".repeat(64)).unwrap();
    let refusal = refuses(folder.path(), &["tools"]);
    assert!(refusal.contains("secret.key holds no secret, since anybody can guess it; move it away"), "{refusal}");
}

#[tokio::test]
async fn the_root_says_what_is_here() {
    let world = World::new().await;
    let root: Value = serde_json::from_str(&world.get("/").await).unwrap();
    assert_eq!((&root["name"], &root["version"]), (&json!("chancery"), &json!(env!("CARGO_PKG_VERSION"))));
    assert_eq!(root["endpoints"][1]["url"], "http://127.0.0.1:8080/monitor/mcp");
    assert_eq!(root["endpoints"][2]["url"], "http://127.0.0.1:8080/neotoma/mcp");
    let elsewhere: Value = serde_json::from_str(&world.get("/mcp").await).unwrap();
    assert_eq!(elsewhere["error"], "each capability has an endpoint of its own; use one of `endpoints`");
    assert_eq!(elsewhere["endpoints"], root["endpoints"]);
}
