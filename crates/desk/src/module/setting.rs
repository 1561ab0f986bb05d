//! What an operator may set: names, meaning, defaults, and which values are refused.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::BoxError;

/// A setting as the reference shows it and as it is checked.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// As an operator writes it, such as `limits.calls_max`.
    pub name: &'static str,
    pub about: &'static str,
    pub rule: Rule,
    /// Not shown to whoever looks at a terminal.
    pub is_secret: bool,
}

/// Which values are good, beyond having the type of the default.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    Any,
    OneOf(&'static [&'static str]),
    /// A number from the first to the second.
    Between(u64, u64),
    /// What is wrong with a value and what to give instead.
    Check(fn(&Value) -> Result<(), String>),
}

impl Setting {
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, rule: Rule::Any, is_secret: false }
    }

    pub const fn one_of(self, words: &'static [&'static str]) -> Self {
        Self { rule: Rule::OneOf(words), ..self }
    }

    pub const fn between(self, least: u64, most: u64) -> Self {
        Self { rule: Rule::Between(least, most), ..self }
    }

    pub const fn checked(self, check: fn(&Value) -> Result<(), String>) -> Self {
        Self { rule: Rule::Check(check), ..self }
    }

    pub const fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// Refuses a value that does not have the type of the default or breaks the rule, with the fix.
    pub fn check(&self, default: &Value, given: &Value) -> Result<(), String> {
        let name = self.name;
        if let Some(wanted) = other_type(default, given) {
            let example =
                if self.is_secret || is_empty(default) { String::new() } else { format!(" such as {default}") };
            let given = if self.is_secret { "of another type".to_owned() } else { given.to_string() };
            return Err(format!("{name} is {given}; give {wanted}{example}"));
        }
        match self.rule {
            Rule::Any => Ok(()),
            Rule::OneOf(words) => match given.as_str() {
                Some(word) if !words.contains(&word) => {
                    let near = nearest(word, words.iter().copied());
                    let hint = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
                    Err(format!("{name} cannot be {given}; {hint}it is one of {}", words.join(", ")))
                }
                _ => Ok(()),
            },
            Rule::Between(least, most) => match given.as_u64() {
                Some(number) if (least..=most).contains(&number) => Ok(()),
                _ => Err(format!("{name} cannot be {given}; give a number from {least} to {most}")),
            },
            Rule::Check(check) => check(given).map_err(|reason| format!("{name}: {reason}")),
        }
    }
}

/// What to give instead, when a value is not of the type of the default.
fn other_type(default: &Value, given: &Value) -> Option<&'static str> {
    let (fits, wanted) = match default {
        Value::Bool(_) => (given.is_boolean(), "true or false"),
        Value::Number(_) => (given.is_u64(), "a whole number"),
        Value::Array(_) => {
            (given.as_array().is_some_and(|items| items.iter().all(Value::is_string)), "a list of texts")
        }
        Value::Object(_) => {
            (given.as_object().is_some_and(|pairs| pairs.values().all(Value::is_u64)), "names with whole numbers")
        }
        Value::String(_) | Value::Null => (given.is_string(), "a text"),
    };
    (!fits).then_some(wanted)
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::String(text) if text.is_empty())
        || matches!(value, Value::Array(items) if items.is_empty())
        || matches!(value, Value::Object(pairs) if pairs.is_empty())
}

/// The settings of a capability, with their defaults.
#[derive(Debug, Clone, Default)]
pub struct Section {
    pub settings: &'static [Setting],
    /// Under the names of the settings; a dot leads into an object.
    pub defaults: Map<String, Value>,
}

impl Section {
    /// Takes the defaults from a value that has a field for each setting.
    pub fn of(settings: &'static [Setting], defaults: &impl Serialize) -> Self {
        match serde_json::to_value(defaults) {
            Ok(Value::Object(defaults)) => Self { settings, defaults },
            _ => unreachable!("settings are a struct of plain data"),
        }
    }
}

/// What is set for one capability: the operator's choice, or else the default.
#[derive(Clone, Default)]
pub struct Settings(Map<String, Value>);

impl Settings {
    /// Takes what belongs to a section out of everything that was set.
    pub fn of(section: &Section, given: &Map<String, Value>) -> Self {
        let mut whole = section.defaults.clone();
        for setting in section.settings {
            if let Some(value) = lookup(given, setting.name) {
                insert(&mut whole, setting.name, value.clone());
            }
        }
        Self(whole)
    }

    /// As the struct that the defaults came from.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, BoxError> {
        Ok(serde_json::from_value(Value::Object(self.0.clone()))?)
    }
}

/// The value under a name with dots.
pub fn lookup<'a>(whole: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    match name.split_once('.') {
        None => whole.get(name),
        Some((outer, inner)) => lookup(whole.get(outer)?.as_object()?, inner),
    }
}

/// Puts a value under a name with dots.
pub fn insert(whole: &mut Map<String, Value>, name: &str, value: Value) {
    match name.split_once('.') {
        None => {
            whole.insert(name.to_owned(), value);
        }
        Some((outer, inner)) => {
            let object = whole.entry(outer).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(object) = object {
                insert(object, inner, value);
            }
        }
    }
}

/// The word that was probably meant.
pub fn nearest<'a>(given: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this, another word was meant by chance.
    const NEAR: f64 = 0.8;
    let given = given.to_lowercase();
    let likeness = |word: &str| strsim::jaro_winkler(&given, &word.to_lowercase());
    let scored = words.into_iter().map(|word| (likeness(word), word)).filter(|(score, _)| *score > NEAR);
    scored.max_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CALLS: Setting = Setting::new("limits.calls_max", "Calls at once.").between(1, 100);
    const FORMAT: Setting = Setting::new("format", "How lines look.").one_of(&["text", "json"]);
    const KEY: Setting = Setting::new("key", "A token.").secret();

    #[test]
    fn a_value_of_the_right_type_within_its_rule_is_good() {
        check(CALLS, json!(7), json!(100), "");
        check(FORMAT, json!("text"), json!("json"), "");
        check(Setting::new("hosts", ""), json!([]), json!(["a"]), "");
    }

    #[test]
    fn a_refusal_names_the_setting_and_the_fix() {
        check(CALLS, json!(7), json!("many"), "limits.calls_max is \"many\"; give a whole number such as 7");
        check(CALLS, json!(7), json!(0), "limits.calls_max cannot be 0; give a number from 1 to 100");
        check(CALLS, json!(7), json!(-1), "limits.calls_max is -1; give a whole number such as 7");
        check(
            FORMAT,
            json!("text"),
            json!("jsn"),
            "format cannot be \"jsn\"; did you mean json? it is one of text, json",
        );
        check(FORMAT, json!("text"), json!(true), "format is true; give a text such as \"text\"");
        check(KEY, json!(""), json!(5), "key is of another type; give a text");
    }

    #[track_caller]
    fn check(setting: Setting, default: Value, given: Value, expected: &str) {
        assert_eq!(setting.check(&default, &given).err().unwrap_or_default(), expected);
    }

    #[test]
    fn a_section_takes_what_is_its_own_and_its_defaults() {
        const OWN: &[Setting] = &[Setting::new("book.lines_max", ""), Setting::new("book.open", "")];
        let defaults = json!({ "book": { "lines_max": 3, "open": true } });
        let section = Section { settings: OWN, defaults: defaults.as_object().unwrap().clone() };
        let given = json!({ "book": { "lines_max": 9 }, "other": 1 });
        let settings = Settings::of(&section, given.as_object().unwrap());
        assert_eq!(settings.read::<Value>().unwrap(), json!({ "book": { "lines_max": 9, "open": true } }));
    }
}
