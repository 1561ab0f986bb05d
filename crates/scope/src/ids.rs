//! Names of walls, and where new ids come from.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

/// Longest accepted tenant or repository id.
const ID_CHARS_MAX: usize = 128;

/// The id was empty, too long, or held something other than printable ASCII.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidId(pub String);

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an id is 1 to {ID_CHARS_MAX} printable ASCII characters without spaces, not {:?}", self.0)
    }
}

impl std::error::Error for InvalidId {}

/// Declares a checked, cheaply cloned id.
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks `text` and makes an id of it.
            pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidId> {
                let text = text.as_ref();
                let fits = (1..=ID_CHARS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
                if fits { Ok(Self(Arc::from(text))) } else { Err(InvalidId(text.to_owned())) }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;
            fn try_from(text: String) -> Result<Self, InvalidId> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0.as_ref().to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }
    };
}

id_type!(
    /// The owner of a row. Every key of every table starts with it.
    TenantId
);
id_type!(
    /// A body of work inside a tenant that is versioned and published together.
    RepositoryId
);

/// Where new ids come from. Injected, so that tests and replays are repeatable.
pub trait IdSource: Send + Sync {
    /// A new id, later than every id this source gave before.
    fn next(&self) -> String;
}

/// Time-ordered UUIDs (version 7).
#[derive(Debug, Default, Clone, Copy)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn next(&self) -> String {
        uuid::Uuid::now_v7().to_string()
    }
}

/// Ids that count upwards, shaped like UUIDs, for tests.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl IdSource for SequentialIds {
    fn next(&self) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        format!("00000000-0000-7000-8000-{number:012x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_refuse_what_could_break_a_key() {
        for bad in ["", "a b", "a\0b", "ümlaut", &"x".repeat(129)] {
            assert_eq!(TenantId::new(bad), Err(InvalidId(bad.to_owned())));
        }
        assert_eq!(TenantId::new("local").map(|id| id.to_string()), Ok("local".to_owned()));
    }

    #[test]
    fn sequential_ids_ascend_as_text() {
        let ids = SequentialIds::default();
        let (first, second) = (ids.next(), ids.next());
        assert!(first < second);
    }
}
