use toml::Value;

use super::source::flattened;
use super::*;

fn sources(file: Option<&str>, environment: &[(&str, &str)], flags: &[(&'static str, &str)]) -> Result<Config, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chancery.toml");
    if let Some(text) = file {
        std::fs::write(&path, text).unwrap();
    }
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Sources {
        file: file.map(|_| path),
        environment: environment.iter().map(owned).collect(),
        flags: flags.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
    }
    .config()
    .map_err(|problem| problem.to_string())
}

#[test]
fn each_source_is_stronger_than_the_one_before() {
    let file = "user = \"file\"\nlog = \"file\"\nprofile = \"file\"\n[limits]\ncalls_max = 1\ndepth_max = 2\n";
    let environment = [("CHANCERY_LOG", "env"), ("CHANCERY_PROFILE", "env"), ("CHANCERY_LIMITS_CALLS_MAX", "7")];
    let config = sources(Some(file), &environment, &[("profile", "flag")]).unwrap();
    assert_eq!((config.user.as_str(), config.log.as_str(), config.profile.as_str()), ("file", "env", "flag"));
    assert_eq!((config.spine.limits.calls_max, config.spine.limits.depth_max), (7, 2));
}

#[test]
fn lists_come_with_commas() {
    let config = sources(None, &[("CHANCERY_ORIGINS", "https://a.example, vscode-webview://*")], &[]).unwrap();
    assert_eq!(config.spine.origins, ["https://a.example", "vscode-webview://*"]);
}

#[test]
fn limits_of_tools_are_named_by_the_operator() {
    let limits = |file, environment: &[_], flags: &[_]| {
        sources(file, environment, flags).map(|config| config.spine.limits.tools.into_iter().collect::<Vec<_>>())
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
    assert_eq!(
        sources(Some("lisen = \"x\""), &[], &[]).unwrap_err(),
        "there is no setting lisen; did you mean listen?"
    );
    assert!(sources(Some("[limits]\ncalls_max = \"many\""), &[], &[]).unwrap_err().starts_with("configuration: "));
    assert!(sources(Some("listen ="), &[], &[]).unwrap_err().starts_with("configuration file "));
}

#[test]
fn the_settings_are_exactly_the_fields() {
    let Value::Table(defaults) = Value::try_from(Config::default()).unwrap() else { panic!("a table") };
    let mut fields = flattened("", &defaults);
    let mut listed: Vec<String> = SETTINGS.iter().map(|setting| setting.name.to_owned()).collect();
    fields.sort();
    listed.sort();
    assert_eq!(fields, listed);
}

#[test]
fn the_reference_page_is_up_to_date() {
    let committed = include_str!("../../../../docs/configuration.md");
    assert_eq!(committed, page(), "run `cargo run -- config reference > docs/configuration.md`");
}
