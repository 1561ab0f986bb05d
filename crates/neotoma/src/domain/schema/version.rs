//! Versions of schemas: what changed decides which number grows.

use super::Schema;

impl Schema {
    /// `definition` with the version that follows this schema.
    ///
    /// Removing a field, changing a field's type or changing the identity rules is a major version; every other change
    /// is a minor one; no change keeps the version. What follows an inferred schema is `1.0`, because someone said it.
    pub fn successor(&self, definition: Schema) -> Schema {
        let (major, minor) = self.numbers();
        let schema_version = if self.is_inferred() {
            "1.0".to_owned()
        } else if self.breaks(&definition) {
            format!("{}.0", major + 1)
        } else if self.differs(&definition) {
            format!("{major}.{}", minor + 1)
        } else {
            self.schema_version.clone()
        };
        Schema { schema_version, ..definition }
    }

    /// True when data that fits this schema may not fit `definition`, or be identified otherwise by it.
    fn breaks(&self, definition: &Schema) -> bool {
        self.identity != definition.identity
            || self
                .fields
                .iter()
                .any(|(name, field)| definition.fields.get(name).is_none_or(|other| other.r#type != field.r#type))
    }

    fn differs(&self, definition: &Schema) -> bool {
        let alike = Schema {
            schema_version: self.schema_version.clone(),
            scope: self.scope,
            active: self.active,
            ..definition.clone()
        };
        *self != alike
    }

    fn numbers(&self) -> (u64, u64) {
        let (major, minor) = self.schema_version.split_once('.').unwrap_or((&self.schema_version, "0"));
        (major.parse().unwrap_or(1), minor.parse().unwrap_or(0))
    }
}
