//! From the four sources to one configuration, every value of it checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use desk::Module;
use desk::module::{insert, lookup, nearest};
use serde_json::{Map, Value};

use super::{Config, Known};

/// The prefix of our variables in the environment.
const PREFIX: &str = "CHANCERY_";
/// Variables of ours that are no settings.
const OTHER_VARIABLES: [&str; 2] = ["CHANCERY_CONFIG", TOKEN];
/// The token of a client over stdio.
pub const TOKEN: &str = "CHANCERY_TOKEN";

/// Variables without our prefix that set something of ours.
const ALIASES: [(&str, &str); 1] = [("PRODUCTION", "production")];

/// Why the configuration cannot be used; one line with the fix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("configuration file {path}: {reason}")]
    File { path: String, reason: String },
    #[error("there is no setting {name}{hint}")]
    Unknown { name: String, hint: String },
    #[error("configuration: {0}")]
    Value(String),
}

/// Where a value comes from, weakest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(PathBuf),
    Environment(String),
    Flag,
}

/// What was given, weakest first.
#[derive(Clone, Default)]
pub struct Sources {
    /// The file that was named, or else `chancery.toml` in the data directory if it is there.
    pub file: Option<PathBuf>,
    /// Variables of the environment.
    pub environment: Vec<(String, String)>,
    /// Settings given as flags.
    pub flags: Vec<(String, String)>,
    /// What is mounted and brings settings.
    pub modules: Vec<&'static dyn Module>,
}

/// The sources put together.
pub struct Gathered {
    pub config: Config,
    pub known: Known,
    /// What was given, under the names of the settings.
    values: Map<String, Value>,
    origins: BTreeMap<&'static str, Origin>,
    /// Variables that look like ours and are not.
    pub strange_variables: Vec<String>,
}

impl Gathered {
    /// The value in force, and where it comes from.
    pub fn effective(&self, name: &str) -> (Value, Origin) {
        let given = lookup(&self.values, name).cloned().zip(self.origins.get(name).cloned());
        given.unwrap_or_else(|| {
            let default = self.known.find(name).map(|(_, default)| default.clone());
            (default.unwrap_or_default(), Origin::Default)
        })
    }
}

impl Sources {
    /// Puts the sources together.
    pub fn gather(&self) -> Result<Gathered, Problem> {
        let known = Known::of(&self.modules);
        let (mut values, mut origins) = (Map::new(), BTreeMap::new());
        if let Some(path) = &self.file {
            let file = read(path)?;
            for name in names(&known, "", &file) {
                let (setting, _) = known.find(&name).ok_or_else(|| unknown(&known, &name))?;
                insert(&mut values, setting.name, lookup(&file, setting.name).cloned().unwrap_or_default());
                origins.insert(setting.name, Origin::File(path.clone()));
            }
            private(&known, path, &values)?;
        }
        let strange_variables = self.strange_variables(&known)?;
        for (setting, default) in known.all() {
            let own = variable(setting.name);
            let others = ALIASES.iter().filter(|(_, name)| *name == setting.name).map(|(alias, _)| *alias);
            let given = |wanted: &str| self.environment.iter().find(|(name, _)| name == wanted);
            let found = std::iter::once(own.as_str()).chain(others).find_map(given);
            if let Some((variable, text)) = found.cloned() {
                insert(&mut values, setting.name, parsed(default, &text));
                origins.insert(setting.name, Origin::Environment(variable));
            }
        }
        for (name, text) in &self.flags {
            let (setting, default) = known.find(name).ok_or_else(|| unknown(&known, name))?;
            insert(&mut values, setting.name, parsed(default, text));
            origins.insert(setting.name, Origin::Flag);
        }
        for (setting, default) in known.all() {
            if let Some(value) = lookup(&values, setting.name) {
                setting.check(default, value).map_err(Problem::Value)?;
            }
        }
        let unfit = |failure: desk::module::BoxError| Problem::Value(one_line(&failure.to_string()));
        for (module, settings) in known.parts(&values) {
            module.check(&settings).map_err(unfit)?;
        }
        let config = Config { modules: values.clone(), ..known.own(&values).read().map_err(unfit)? };
        Ok(Gathered { config, known, values, origins, strange_variables })
    }

    /// Refuses a variable that is probably a misspelt setting, and returns those that are nothing at all.
    fn strange_variables(&self, known: &Known) -> Result<Vec<String>, Problem> {
        let ours: Vec<String> =
            known.all().map(|(setting, _)| variable(setting.name)).chain(OTHER_VARIABLES.map(str::to_owned)).collect();
        let mut strange = Vec::new();
        for (name, _) in &self.environment {
            let Some(rest) = name.strip_prefix(PREFIX).filter(|_| !ours.contains(name)) else { continue };
            let short = ours.iter().filter_map(|name| name.strip_prefix(PREFIX));
            match nearest(rest, short) {
                Some(near) => {
                    let hint = format!("; did you mean {PREFIX}{near}?");
                    return Err(Problem::Unknown { name: name.clone(), hint });
                }
                None => strange.push(name.clone()),
            }
        }
        Ok(strange)
    }
}

/// The name of a setting in the environment.
pub fn variable(setting: &str) -> String {
    format!("{PREFIX}{}", setting.replace('.', "_").to_uppercase())
}

fn read(path: &Path) -> Result<Map<String, Value>, Problem> {
    let problem = |reason: String| Problem::File { path: path.display().to_string(), reason: one_line(&reason) };
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    toml::from_str(&text).map_err(|error| problem(error.to_string()))
}

/// Refuses a file that others can change, or from which they can read a secret.
#[cfg(unix)]
fn private(known: &Known, path: &Path, values: &Map<String, Value>) -> Result<(), Problem> {
    use std::os::unix::fs::PermissionsExt as _;
    let problem = |reason: String| Problem::File { path: path.display().to_string(), reason };
    let mode = std::fs::metadata(path).map_err(|error| problem(error.to_string()))?.permissions().mode();
    let secret = known.all().find(|(setting, _)| setting.is_secret && lookup(values, setting.name).is_some());
    match secret {
        _ if mode & 0o022 != 0 => Err(problem(format!(
            "others can change it, and with it what callers may do; run `chmod go-w {}`",
            path.display()
        ))),
        Some((setting, _)) if mode & 0o044 != 0 => Err(problem(format!(
            "others can read {}, which is a secret; run `chmod 600 {}`",
            setting.name,
            path.display()
        ))),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn private(_: &Known, _: &Path, _: &Map<String, Value>) -> Result<(), Problem> {
    Ok(())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unknown(known: &Known, name: &str) -> Problem {
    let near = nearest(name, known.all().map(|(setting, _)| setting.name));
    let hint = match near {
        Some(near) => format!("; did you mean {near}?"),
        None => "; see `chancery config reference`".to_owned(),
    };
    Problem::Unknown { name: name.to_owned(), hint }
}

/// The names in a file, with dots between the levels. A setting may be a table itself.
fn names(known: &Known, prefix: &str, table: &Map<String, Value>) -> Vec<String> {
    let inner = |(key, value): (&String, &Value)| {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(table) if known.find(&name).is_none() => names(known, &name, table),
            _ => vec![name],
        }
    };
    table.iter().flat_map(inner).collect()
}

/// The value that a text stands for; lists and `name=value` pairs are separated by commas. What does not fit the type of the
/// default stays text, to be refused with the setting's name.
fn parsed(default: &Value, text: &str) -> Value {
    let number = |text: &str| text.trim().parse::<i64>().map_or_else(|_| Value::from(text), Value::from);
    let items = || text.split(',').map(str::trim).filter(|item| !item.is_empty());
    match default {
        Value::Array(_) => items().map(Value::from).collect(),
        Value::Object(_) => {
            let pair = |item: &str| {
                let (name, limit) = item.split_once('=').unwrap_or((item, ""));
                (name.trim().to_owned(), number(limit))
            };
            Value::Object(items().map(pair).collect())
        }
        Value::Number(_) => number(text),
        Value::Bool(_) => text.trim().parse::<bool>().map_or_else(|_| Value::from(text), Value::from),
        Value::String(_) | Value::Null => Value::from(text),
    }
}
