//! From the four sources to one configuration.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::{Config, SETTINGS};

/// The prefix of our variables in the environment.
const PREFIX: &str = "CHANCERY_";

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

/// What was given, weakest first.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file that was named, or else `chancery.toml` in the data directory if it is there.
    pub file: Option<PathBuf>,
    /// Variables of the environment.
    pub environment: Vec<(String, String)>,
    /// Settings given as flags.
    pub flags: Vec<(&'static str, String)>,
}

impl Sources {
    /// Puts the sources together.
    pub fn config(&self) -> Result<Config, Problem> {
        let mut whole = self.file.as_deref().map(read).transpose()?.unwrap_or_default();
        for name in flattened("", &whole) {
            known(&name)?;
        }
        for setting in SETTINGS {
            let variable = variable(setting.name);
            if let Some((_, text)) = self.environment.iter().find(|(name, _)| *name == variable) {
                put(&mut whole, setting.name, text);
            }
        }
        for (name, text) in &self.flags {
            put(&mut whole, name, text);
        }
        Config::deserialize(Value::Table(whole)).map_err(|error| Problem::Value(one_line(&error.to_string())))
    }
}

/// The name of a setting in the environment.
pub fn variable(setting: &str) -> String {
    format!("{PREFIX}{}", setting.replace('.', "_").to_uppercase())
}

fn read(path: &Path) -> Result<Table, Problem> {
    let problem = |reason: String| Problem::File { path: path.display().to_string(), reason: one_line(&reason) };
    let text = std::fs::read_to_string(path).map_err(|error| problem(error.to_string()))?;
    text.parse::<Table>().map_err(|error| problem(error.to_string()))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn known(name: &str) -> Result<(), Problem> {
    let default = Value::try_from(Config::default()).expect("the default configuration is plain data");
    // What stands in a table with names of the operator's choice is judged by its type.
    let is_entry = |setting: &super::Setting| {
        let inside = name.strip_prefix(setting.name).is_some_and(|rest| rest.starts_with('.'));
        inside && at(&default, setting.name).is_some_and(Value::is_table)
    };
    if SETTINGS.iter().any(|setting| setting.name == name || is_entry(setting)) {
        return Ok(());
    }
    let near = |setting: &&super::Setting| strsim::jaro_winkler(name, setting.name) > 0.8;
    let best = SETTINGS
        .iter()
        .filter(near)
        .max_by(|left, right| strsim::jaro_winkler(name, left.name).total_cmp(&strsim::jaro_winkler(name, right.name)));
    let hint = best.map(|setting| format!("; did you mean {}?", setting.name)).unwrap_or_default();
    Err(Problem::Unknown { name: name.to_owned(), hint })
}

/// The names in a table, with dots between the levels.
pub fn flattened(prefix: &str, table: &Table) -> Vec<String> {
    let name = |key: &String| if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
    let inner = |(key, value): (&String, &Value)| match value {
        Value::Table(table) if !table.is_empty() => flattened(&name(key), table),
        _ => vec![name(key)],
    };
    table.iter().flat_map(inner).collect()
}

/// Sets one setting from text; lists and `name=value` pairs are separated by commas.
fn put(whole: &mut Table, name: &str, text: &str) {
    let default = Value::try_from(Config::default()).expect("the default configuration is plain data");
    let value = match at(&default, name) {
        Some(Value::Array(_)) => {
            Value::Array(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect())
        }
        Some(Value::Table(_)) => {
            let pair = |item: &str| {
                let (name, number) = item.split_once('=').unwrap_or((item, ""));
                (name.trim().to_owned(), integer(number))
            };
            Value::Table(text.split(',').filter(|item| !item.trim().is_empty()).map(pair).collect())
        }
        Some(Value::Integer(_)) => integer(text),
        Some(Value::Boolean(_)) => text.trim().parse::<bool>().map_or_else(|_| Value::from(text), Value::Boolean),
        _ => Value::from(text),
    };
    match name.split_once('.') {
        None => {
            whole.insert(name.to_owned(), value);
        }
        Some((outer, inner)) => {
            let table = whole.entry(outer).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(table) = table {
                table.insert(inner.to_owned(), value);
            }
        }
    }
}

/// A number, or the text that is none, to be refused with the setting's name.
fn integer(text: &str) -> Value {
    text.trim().parse::<i64>().map_or_else(|_| Value::from(text), Value::Integer)
}

/// The value of a setting in a configuration.
pub fn at<'a>(whole: &'a Value, name: &str) -> Option<&'a Value> {
    name.split('.').try_fold(whole, |value, part| value.get(part))
}
