use serde_json::{Value, json};

use super::*;
use crate::MODULES;

fn gather(file: Option<&str>, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Gathered, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chancery.toml");
    if let Some(text) = file {
        std::fs::write(&path, text).unwrap();
    }
    let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let sources = Sources {
        file: file.map(|_| path),
        environment: owned(environment),
        flags: owned(flags),
        modules: MODULES.to_vec(),
    };
    sources.gather().map_err(|problem| problem.to_string())
}

fn config(file: Option<&str>, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, String> {
    gather(file, environment, flags).map(|gathered| gathered.config)
}

#[test]
fn each_source_is_stronger_than_the_one_before() {
    let file = "user = \"file\"\nlog = \"warn\"\nprofile = \"ameide\"\n[limits]\ncalls_max = 1\ndepth_max = 5\n";
    let environment = [("CHANCERY_LOG", "debug"), ("CHANCERY_PROFILE", "ameide"), ("CHANCERY_LIMITS_CALLS_MAX", "7")];
    let gathered = gather(Some(file), &environment, &[("profile", "archimate-3.2-strict")]).unwrap();
    let config = &gathered.config;
    assert_eq!((config.user.as_str(), config.log.as_str()), ("file", "debug"));
    assert_eq!((config.spine.limits.calls_max, config.spine.limits.depth_max), (7, 5));
    assert_eq!(gathered.effective("profile"), (json!("archimate-3.2-strict"), Origin::Flag));
    assert_eq!(gathered.effective("log").1, Origin::Environment("CHANCERY_LOG".to_owned()));
    assert!(matches!(gathered.effective("user").1, Origin::File(_)));
    assert_eq!(gathered.effective("confirm"), (json!("ask"), Origin::Default));
}

#[test]
fn lists_come_with_commas() {
    let config = config(None, &[("CHANCERY_ORIGINS", "https://a.example, vscode-webview://*")], &[]).unwrap();
    assert_eq!(config.spine.origins, ["https://a.example", "vscode-webview://*"]);
}

#[test]
fn limits_of_tools_are_named_by_the_operator() {
    let limits = |file, environment: &[_], flags: &[_]| {
        config(file, environment, flags).map(|config| config.spine.limits.tools.into_iter().collect::<Vec<_>>())
    };
    let expected = Ok(vec![("ingest".to_owned(), 5), ("transformation.listModels".to_owned(), 0)]);
    let file = "[limits.tools]\ningest = 5\n\"transformation.listModels\" = 0\n";
    assert_eq!(limits(Some(file), &[], &[]), expected);
    let text = "ingest=5, transformation.listModels = 0";
    assert_eq!(limits(None, &[("CHANCERY_LIMITS_TOOLS", text)], &[]), expected);
    assert_eq!(limits(None, &[], &[("limits.tools", text)]), expected);
    assert!(limits(Some("[limits.tools]\ningest = \"often\""), &[], &[]).is_err());
    assert!(limits(None, &[("CHANCERY_LIMITS_TOOLS", "ingest")], &[]).is_err());
}

#[test]
fn a_misspelt_setting_is_refused_with_the_nearest() {
    let refused = |file| config(Some(file), &[], &[]).unwrap_err();
    assert_eq!(refused("lisen = \"x\""), "there is no setting lisen; did you mean listen?");
    assert_eq!(
        refused("[neotoma]\nfile_bytes = 1"),
        "there is no setting neotoma.file_bytes; did you mean neotoma.file_bytes_max?"
    );
    assert!(refused("listen =").starts_with("configuration file "));
    let flag = config(None, &[], &[("colour", "red")]).unwrap_err();
    assert_eq!(flag, "there is no setting colour; see `chancery config reference`");
}

#[test]
fn a_misspelt_variable_is_refused_and_a_strange_one_named() {
    let refused = config(None, &[("CHANCERY_ROL", "viewer")], &[]).unwrap_err();
    assert_eq!(refused, "there is no setting CHANCERY_ROL; did you mean CHANCERY_ROLE?");
    // As an orchestrator sets them for a service of this name.
    let strange = [("CHANCERY_PORT_8080_TCP_ADDR", "10.0.0.1"), ("CHANCERY_CONFIG", "x"), ("HOME", "/root")];
    assert_eq!(gather(None, &strange, &[]).unwrap().strange_variables, ["CHANCERY_PORT_8080_TCP_ADDR"]);
}

//
#[test]
fn beyond_loopback_callers_must_have_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let serve = |flags: &[(&str, &str)]| {
        let flags: Vec<_> = [("data", data)].into_iter().chain(flags.iter().copied()).collect();
        config(None, &[], &flags).and_then(|config| may_serve(&config))
    };
    for local in ["127.0.0.1:9000", "[::1]:0"] {
        assert_eq!(serve(&[("listen", local)]), Ok(()));
        assert_eq!(serve(&[("listen", local), ("open", "true")]), Ok(()));
    }
    let issuer = ("auth.issuers", "https://id.example.org");
    for foreign in ["0.0.0.0:8080", "192.0.2.1:0", "[::]:8080"] {
        let refused = serve(&[("listen", foreign)]).unwrap_err();
        assert!(refused.contains("can be reached from other machines, and nobody else has a token yet"), "{refused}");
        let refused = serve(&[("listen", foreign), ("open", "true"), issuer]).unwrap_err();
        assert!(refused.contains("open lets everybody in"), "{refused}");
        assert_eq!(serve(&[("listen", foreign), issuer]), Ok(()));
    }
    let grant = gate::issued::Grant {
        subject: "ann".to_owned(),
        kind: PrincipalKind::User,
        tenant: scope::Scope::local().tenant,
        roles: Default::default(),
        scopes: Default::default(),
        agents: Default::default(),
        endpoints: Default::default(),
        issued: scope::Timestamp(0),
        expires: scope::Timestamp(1),
        definition: None,
    };
    gate::issued::Issued::at(folder.path()).issue(grant).unwrap();
    assert_eq!(serve(&[("listen", "0.0.0.0:8080")]), Ok(()));
    refuses("listen", "localhost", "is not an address with a port; give one such as 127.0.0.1:8080");
}

#[test]
fn production_refuses_what_is_unsafe() {
    let production = |more: &[(&str, &str)]| {
        let config = config(None, &[("PRODUCTION", "true")], more).unwrap();
        assert!(config.production);
        may_serve(&config)
    };
    assert!(production(&[]).unwrap_err().contains("give their address as public_url"));
    let https = ("public_url", "https://mcp.example.org");
    assert_eq!(production(&[https]), Ok(()));
    assert!(production(&[https, ("open", "true")]).unwrap_err().contains("leave one of them out"));
    assert!(
        production(&[https, ("auth.role", "admin")]).unwrap_err().contains("makes everybody whose token names no role")
    );
    assert_eq!(production(&[https, ("auth.role", "viewer")]), Ok(()));
    // Whoever can read the key is the server.
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key.pem");
    std::fs::write(&key, "").unwrap();
    let set_mode = |mode| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let files = [https, ("tls.certificate", "certificate.pem"), ("tls.key", key.to_str().unwrap())];
    set_mode(0o644);
    assert!(production(&files).unwrap_err().contains("take their rights away: chmod 600"));
    set_mode(0o600);
    assert_eq!(production(&files), Ok(()));
}

#[test]
fn a_certificate_goes_with_its_key_and_with_https() {
    let serve = |more: &[(&str, &str)]| may_serve(&config(None, &[], more).unwrap());
    let [certificate, key] = [("tls.certificate", "c.pem"), ("tls.key", "k.pem")];
    assert!(serve(&[certificate]).unwrap_err().contains("certificate and key go together"));
    assert!(serve(&[key]).unwrap_err().contains("certificate and key go together"));
    let plain = ("public_url", "http://mcp.example.org");
    assert!(serve(&[certificate, key, plain]).unwrap_err().contains("start it with https://"));
    assert_eq!(serve(&[certificate, key]), Ok(()));
    assert_eq!(config(None, &[], &[certificate, key]).unwrap().public_base(), "https://127.0.0.1:8080");
}

#[test]
fn stdio_is_for_ones_own_machine_unless_it_is_asked_for() {
    let serve = |environment: &[(&str, &str)], more: &[(&str, &str)]| {
        may_serve_stdio(&config(None, environment, more).unwrap())
    };
    let production = [("PRODUCTION", "true")];
    assert_eq!(serve(&[], &[]), Ok(()));
    assert!(serve(&production, &[]).unwrap_err().contains("serve over HTTP, or set stdio_in_production"));
    assert_eq!(serve(&production, &[("stdio_in_production", "true")]), Ok(()));
}

#[test]
fn every_setting_is_checked_with_the_fix() {
    refuses("data", "", "data: is empty; give a folder");
    refuses("user", "", "user: \"\" is no name; give one such as owner");
    refuses("user", "owner/agent", "without / and |");
    accepts("user", "Zoë van der Berg");
    refuses("public_url", "javascript:alert(1)", "is no address to start links with; give one such as https://");
    refuses("public_url", "https://me@example.org", "is no address to start links with");
    accepts("public_url", "https://mcp.example.org/chancery");
    refuses("log", "nonsense=", "\"nonsense=\" has no level; give one of off, error, warn");
    refuses("log", "nonsense", "\"nonsense\" has no level");
    accepts("log", "info,spine=debug");
    refuses("log_format", "xml", "log_format cannot be \"xml\"; it is one of text, json");
    refuses("role", "amdin", "did you mean admin? it is one of admin, architect, viewer, agent");
    refuses("auth.issuers", "http://id.example.org", "http://id.example.org is plain http to another machine");
    refuses("auth.issuers", "id.example.org", "is not an http or https URL");
    accepts("auth.issuers", "https://id.example.org/realms/team,http://127.0.0.1:9000");
    refuses("auth.jwks_url", "file:///keys", "is not a URL");
    refuses("auth.tenant", "a b", "an id is 1 to 128 printable ASCII characters");
    refuses("auth.role", "root", "it is one of");
    refuses("auth.scopes", "mcp:tools", "is no pair; give one such as api://chancery/tools=mcp:tools");
    refuses("proxies", "10.0.0.0/8", "is not an address; give one such as 10.0.0.7");
    refuses("hosts", "*", "\"*\" lets every page that points its name here call; name the hosts");
    refuses("hosts", "https://mcp.example.org", "is not a host name; give one such as mcp.example.org");
    accepts("hosts", "mcp.example.org,mcp.example.org:8443");
    refuses("origins", "https://*", "\"https://*\" lets every page call; name the hosts");
    refuses("origins", "*", "is not an origin; give scheme and host");
    refuses("origins", "https://app.example.org/path", "leave out everything after the host");
    accepts("origins", "https://app.example.org:8443,vscode-webview://*");
    refuses("profile", "archimate", "it is one of ameide, archimate-3.2-strict");
    refuses("governance.approvals_low", "0", "governance.approvals_low cannot be 0; give a number from 1 to 100");
    refuses("governance.self_approval", "yes", "governance.self_approval is \"yes\"; give true or false such as false");
    refuses("neotoma.upload_roots", "uploads", "depends on where chancery is started; give the whole path");
    refuses("neotoma.interpreter_url", "http://127.0.0.1:1/v1", "name the model with neotoma.interpreter_model");
    for limit in ["body_bytes_max", "depth_max", "call_timeout_ms", "calls_max", "connections_max", "read_timeout_ms"] {
        refuses(&format!("limits.{limit}"), "0", &format!("limits.{limit} cannot be 0; give a number from "));
    }
    for limit in ["sessions_max", "session_idle_s", "subscriptions_max"] {
        refuses(&format!("limits.{limit}"), "0", &format!("limits.{limit} cannot be 0; give a number from 1 to "));
    }
    // As many permits as this are more than the runtime can count.
    refuses("limits.calls_max", "9223372036854775807", "give a number from 1 to 1000000");
    refuses("limits.calls_max", "many", "limits.calls_max is \"many\"; give a whole number such as 512");
}

#[track_caller]
fn refuses(name: &str, value: &str, expected: &str) {
    let refusal = config(None, &[], &[(name, value)]).unwrap_err();
    assert!(refusal.starts_with("configuration: ") && refusal.contains(expected), "{refusal}");
}

#[track_caller]
fn accepts(name: &str, value: &str) {
    config(None, &[], &[(name, value)]).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_use_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chancery.toml");
    let outcome = |text: &str, mode| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let sources = Sources { file: Some(path.clone()), modules: MODULES.to_vec(), ..Sources::default() };
        sources.gather().map(drop).map_err(|problem| problem.to_string())
    };
    let (plain, secret) = ("user = \"ada\"", "[neotoma]\ninterpreter_key = \"hush\"");
    assert_eq!((outcome(plain, 0o644), outcome(secret, 0o600)), (Ok(()), Ok(())));
    assert!(outcome(plain, 0o666).unwrap_err().contains("others can change it"));
    let refused = outcome(secret, 0o644).unwrap_err();
    assert!(
        refused.contains("others can read neotoma.interpreter_key, which is a secret; run `chmod 600 "),
        "{refused}"
    );
    assert!(!refused.contains("hush"));
}

#[test]
fn the_settings_are_exactly_the_fields_and_no_name_is_taken_twice() {
    fn flattened(prefix: &str, value: &Value) -> Vec<String> {
        match value {
            Value::Object(pairs) if !pairs.is_empty() => {
                let name = |key: &str| if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
                pairs.iter().flat_map(|(key, value)| flattened(&name(key), value)).collect()
            }
            _ => vec![prefix.to_owned()],
        }
    }
    let mut fields = flattened("", &serde_json::to_value(Config::default()).unwrap());
    for module in MODULES {
        fields.extend(flattened("", &Value::Object(module.settings().defaults)));
    }
    let mut listed: Vec<String> = Known::of(MODULES).all().map(|(setting, _)| setting.name.to_owned()).collect();
    fields.sort();
    listed.sort();
    assert_eq!(fields, listed);
    listed.dedup();
    assert_eq!(listed.len(), fields.len());
}

#[test]
fn every_default_is_good() {
    for (setting, default) in Known::of(MODULES).all() {
        assert_eq!(setting.check(default, default), Ok(()));
    }
}

#[test]
fn the_reference_page_is_up_to_date() {
    let committed = include_str!("../../../../docs/configuration.md");
    assert_eq!(committed, page(&Known::of(MODULES)), "run `cargo run -- config reference > docs/configuration.md`");
}
