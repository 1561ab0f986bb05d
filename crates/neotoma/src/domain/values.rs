//! Fields by name, wherever they are: in a payload, or in the state of an entity.

use serde_json::Value;

use super::Map;

/// Named values, read in place. Reading a state this way saves copying it into a snapshot first.
pub trait Values {
    /// The value of a field; of a state, only one that was not cleared.
    fn value_of(&self, field: &str) -> Option<&Value>;

    /// All of them with their names; those of a state are sorted by name.
    fn all(&self) -> impl Iterator<Item = (&str, &Value)>;
}

impl Values for Map {
    fn value_of(&self, field: &str) -> Option<&Value> {
        self.get(field)
    }

    fn all(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.iter().map(|(name, value)| (name.as_str(), value))
    }
}
