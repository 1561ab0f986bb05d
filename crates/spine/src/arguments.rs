//! Arguments against a tool's schema: read kindly, refused with the fix.
//!
//! [`repair`] first puts right what is certain: an object sent as JSON text is unwrapped, an enum word in another spelling
//! becomes the published one, `null` for an optional argument means absent, and defaults are filled in. What then does not
//! fit is explained by [`explain`], which names the nearest valid name or value, and [`correction`] says how the arguments
//! were probably meant, which [`edits`] tells without repeating them. [`near`] compares words, [`synonyms`] and [`date`] know other ways to say the same.
//!
//! Callers decide how much there is to look at, so all of this takes time in proportion to what they sent: an explanation
//! names a few dozen mistakes, long words are compared with nothing, and only arguments of a usual size are corrected.

mod correction;
mod date;
mod edits;
mod explain;
pub mod near;
mod repair;
mod schema;
pub mod synonyms;

use std::collections::BTreeMap;

use contract::{CallError, Correction, Manifest, Misfit, Violation, ViolationKind};
use jsonschema::Validator;
use scope::Timestamp;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// How much of a name that a caller made up is repeated.
const NAME_CHARS_MAX: usize = 100;
/// Arguments with more values or bytes than this are not corrected: the call would come back as a whole.
const CORRECTED_MAX: Size = Size { values: 1_000, bytes: 16 * 1024 };
/// Arguments with more values or bytes than this are better not looked at on the executor.
const LIGHT_MAX: Size = Size { values: 4_000, bytes: 256 * 1024 };

/// A tool's schema, ready to use.
pub struct Checker {
    schema: Map<String, Value>,
    validator: Validator,
    /// The capability's name, which words may carry in front.
    capability: String,
}

/// The schemas of a capability's tools, compiled once and shared by its endpoint and its dry runs.
pub struct Checkers(BTreeMap<String, Checker>);

impl Checkers {
    /// Fails on a schema that is not one.
    pub fn new(manifest: &Manifest) -> Result<Self, String> {
        let compile = |tool: &contract::Tool| {
            let checker = Checker::new(&tool.checked_schema(), &manifest.name)
                .map_err(|error| format!("schema of {}: {error}", tool.name))?;
            Ok((tool.name.clone(), checker))
        };
        manifest.tools.iter().map(compile).collect::<Result<_, String>>().map(Self)
    }

    /// Arguments as the tool would get them. `tool` is a canonical name.
    pub fn check(&self, tool: &str, arguments: Map<String, Value>) -> Result<Checked, Misfit> {
        self.check_until(tool, arguments, &CancellationToken::new())
    }

    /// The same, given up soon after the caller is gone: what it returns then means nothing.
    pub fn check_until(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        cancelled: &CancellationToken,
    ) -> Result<Checked, Misfit> {
        match self.0.get(tool) {
            Some(checker) => checker.check(arguments, cancelled),
            None => Ok(Checked { arguments, unwrapped: 0 }),
        }
    }
}

/// Arguments that fit, and what had to be put right on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    pub arguments: Map<String, Value>,
    /// How many values arrived as JSON text.
    pub unwrapped: usize,
}

impl Checker {
    /// Compiles a schema. The catalog's schemas are checked when they are generated, so this fails only for hand-made ones.
    pub fn new(schema: &Map<String, Value>, capability: &str) -> Result<Self, String> {
        let mut schema = schema.clone();
        schema::tighten(&mut schema);
        let validator = jsonschema::options()
            .with_format("date-time", is_moment)
            .should_validate_formats(true)
            .build(&Value::Object(schema.clone()))
            .map_err(|error| error.to_string())?;
        Ok(Self { schema, validator, capability: capability.to_owned() })
    }

    /// Puts right what is certain, then validates.
    pub fn check(&self, mut arguments: Map<String, Value>, cancelled: &CancellationToken) -> Result<Checked, Misfit> {
        let mut repair = repair::Repair::new(&self.capability, cancelled);
        repair.object(&self.schema, &mut arguments);
        let unwrapped = repair.unwrapped;
        let whole = Value::Object(arguments);
        if !self.validator.is_valid(&whole) {
            return Err(self.misfit(whole, unwrapped, cancelled));
        }
        if let Some(path) = path_to_nul(&whole, cancelled) {
            return Err(Misfit { violations: vec![holds_nul(&path)], open: vec![path], ..Misfit::default() });
        }
        let Value::Object(arguments) = whole else { unreachable!("made from an object above") };
        Ok(Checked { arguments, unwrapped })
    }

    /// What is wrong, and the arguments as they were probably meant.
    fn misfit(&self, whole: Value, unwrapped: usize, cancelled: &CancellationToken) -> Misfit {
        let violations = most_helpful_first(self.violations(&whole, cancelled));
        let Value::Object(mut corrected) = whole else { unreachable!("arguments are an object") };
        if !is_within(&corrected, CORRECTED_MAX) {
            // The empty path is the whole, which stays as it is.
            return Misfit { violations, open: vec![String::new()], ..Misfit::default() };
        }
        let mut given = corrected.clone();
        correction::leave_defaults_out(&self.schema, &mut given);
        let mut open = correction::correct(&self.schema, &mut corrected);
        repair::Repair::new(&self.capability, cancelled).object(&self.schema, &mut corrected);
        let whole = Value::Object(corrected);
        if !self.validator.is_valid(&whole) {
            open.extend(self.violations(&whole, cancelled).into_iter().map(|violation| violation.path));
        }
        open.extend(path_to_nul(&whole, cancelled));
        let Value::Object(mut corrected) = whole else { unreachable!("made from an object above") };
        correction::leave_defaults_out(&self.schema, &mut corrected);
        // What arrived as text has no places inside it that an edit could name.
        let edits = if open.is_empty() && unwrapped == 0 { edits::between(&given, &corrected) } else { None };
        Misfit { violations, corrected, open, edits: edits.unwrap_or_default() }
    }

    fn violations(&self, whole: &Value, cancelled: &CancellationToken) -> Vec<Violation> {
        explain::violations(&self.schema, &self.validator, whole, cancelled)
    }
}

/// How much there is to look at.
#[derive(Clone, Copy)]
struct Size {
    values: usize,
    bytes: usize,
}

/// True when arguments are looked at so fast that nobody waits for it.
pub fn are_light(arguments: &Map<String, Value>) -> bool {
    is_within(arguments, LIGHT_MAX)
}

fn is_within(arguments: &Map<String, Value>, mut room: Size) -> bool {
    arguments.iter().all(|(name, value)| room.takes(name.len()) && room.takes_value(value))
}

impl Size {
    fn takes(&mut self, bytes: usize) -> bool {
        let left = self.values.checked_sub(1).zip(self.bytes.checked_sub(bytes));
        left.inspect(|&(values, bytes)| *self = Self { values, bytes }).is_some()
    }

    fn takes_value(&mut self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.takes(text.len()),
            Value::Array(items) => self.takes(0) && items.iter().all(|item| self.takes_value(item)),
            Value::Object(entries) => {
                self.takes(0) && entries.iter().all(|(name, value)| self.takes(name.len()) && self.takes_value(value))
            }
            _ => self.takes(8),
        }
    }
}

/// The arguments of a call, kept for a refusal that knows what they were meant to be.
pub struct Kept(Option<Map<String, Value>>);

impl Kept {
    /// Nothing is kept of arguments that are too large to be given back.
    pub fn of(arguments: &Map<String, Value>) -> Self {
        Self(is_within(arguments, CORRECTED_MAX).then(|| arguments.clone()))
    }

    /// Completes the corrections of a refusal to a call that can be sent.
    pub fn completed(self, refusal: CallError) -> CallError {
        const CORRECTED: &str = "corrected_arguments";
        let Some(arguments) = self.0 else { return refusal };
        if refusal.corrections.is_empty() || refusal.suggestions.contains_key(CORRECTED) {
            return refusal;
        }
        let mut whole = Value::Object(arguments);
        if refusal.corrections.iter().all(|correction| put_right(&mut whole, correction).is_some()) {
            return refusal.suggest(CORRECTED, whole);
        }
        refusal
    }
}

/// Nothing when an argument is not there.
fn put_right(whole: &mut Value, correction: &Correction) -> Option<()> {
    match correction {
        Correction::Set(path, value) => *argument(whole, path)? = value.clone(),
        Correction::Swap(one, other) => {
            let value = argument(whole, one)?.clone();
            let other = std::mem::replace(argument(whole, other)?, value);
            *argument(whole, one)? = other;
        }
    }
    Some(())
}

fn argument<'a>(whole: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    whole.pointer_mut(&format!("/{}", path.replace('.', "/")))
}

/// A misspelt name explains a missing one, so it comes first.
fn most_helpful_first(mut violations: Vec<Violation>) -> Vec<Violation> {
    violations.sort_by_key(|violation| match &violation.kind {
        ViolationKind::Wrapper { .. } => 0,
        ViolationKind::Unknown { nearest, .. } if !nearest.is_empty() => 0,
        ViolationKind::Missing { .. } => 1,
        ViolationKind::NotOneOf { .. } => 2,
        ViolationKind::WrongType { .. } | ViolationKind::Other { .. } => 3,
        ViolationKind::Unknown { .. } => 4,
    });
    violations
}

fn holds_nul(path: &str) -> Violation {
    let reason = "contains a NUL or half a character, which no text may hold".to_owned();
    Violation {
        path: path.to_owned(),
        kind: ViolationKind::Other { reason, fix: "leave that character out".to_owned() },
    }
}

fn path_to_nul(value: &Value, cancelled: &CancellationToken) -> Option<String> {
    match value {
        Value::String(text) => text.contains('\0').then(String::new),
        _ if cancelled.is_cancelled() => None,
        Value::Array(items) => items.iter().find_map(|item| path_to_nul(item, cancelled)),
        Value::Object(map) => map.iter().find_map(|(name, inner)| {
            if name.contains('\0') {
                return Some(String::new());
            }
            path_to_nul(inner, cancelled).map(|path| joined(name, &path))
        }),
        _ => None,
    }
}

/// A date and a time with an offset.
fn is_moment(text: &str) -> bool {
    text.len() <= 64 && text.parse::<Timestamp>().is_ok()
}

fn joined(at: &str, name: &str) -> String {
    let name = contract::excerpt(name, NAME_CHARS_MAX);
    match (at.is_empty(), name.is_empty()) {
        (true, _) => name,
        (_, true) => at.to_owned(),
        _ => format!("{at}.{name}"),
    }
}

#[cfg(test)]
mod tests;
