//! The layers that element types belong to.

use std::fmt;

/// A layer of the metamodel, in the order in which answers list them: the four of the specification first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    Strategy,
    Business,
    Application,
    Technology,
    Motivation,
    Physical,
    Implementation,
    Other,
}

impl Layer {
    pub const ALL: [Self; 8] = [
        Self::Strategy,
        Self::Business,
        Self::Application,
        Self::Technology,
        Self::Motivation,
        Self::Physical,
        Self::Implementation,
        Self::Other,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Self::Strategy => "strategy",
            Self::Business => "business",
            Self::Application => "application",
            Self::Technology => "technology",
            Self::Motivation => "motivation",
            Self::Physical => "physical",
            Self::Implementation => "implementation",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
