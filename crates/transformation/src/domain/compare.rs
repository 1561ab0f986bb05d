//! What differs between two states.

use super::decision::version_id;
use super::element::Element;
use super::relationship::Relationship;
use super::{Name, Stored};

/// What happened to something on the way from one state to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Changed,
    Removed,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub change: Change,
    /// `element` or `relationship`.
    pub kind: &'static str,
    pub id: String,
    pub repository_id: String,
    /// The difference in words.
    pub text: String,
    pub fields: Vec<&'static str>,
    pub from_version_id: Option<String>,
    pub to_version_id: Option<String>,
}

/// How an element differs. One that was changed and changed back does not.
pub fn elements(from: Option<&Stored<Element>>, to: Option<&Stored<Element>>) -> Option<Difference> {
    let (change, fields) = match (from, to) {
        (None, None) => return None,
        (None, Some(_)) => (Change::Added, Vec::new()),
        (Some(_), None) => (Change::Removed, Vec::new()),
        (Some(from), Some(to)) => (Change::Changed, fields(from, to)),
    };
    if change == Change::Changed && fields.is_empty() {
        return None;
    }
    let shown = from.or(to)?;
    let mut text = format!("{} '{}'", shown.r#type, shown.name);
    if let (Some(from), Some(to)) = (from, to) {
        if from.name != to.name {
            text = format!("{text}, now '{}'", to.name);
        }
        text = format!("{text}: {}", fields.join(", "));
    }
    let version = |stored: &Stored<Element>| version_id(&stored.id, stored.version);
    Some(Difference {
        change,
        kind: "element",
        id: shown.id.clone(),
        repository_id: shown.repository_id.clone(),
        text,
        fields,
        from_version_id: from.map(version),
        to_version_id: to.map(version),
    })
}

fn fields(from: &Element, to: &Element) -> Vec<&'static str> {
    let differs = [
        ("name", from.name != to.name),
        ("description", from.description != to.description),
        ("properties", from.properties != to.properties),
        ("key", from.key != to.key),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect()
}

/// How a relationship differs: it never changes, so it comes or goes. `ends` are what its source and target are called.
pub fn relationships(
    from: Option<&Stored<Relationship>>,
    to: Option<&Stored<Relationship>>,
    ends: (Option<&Name>, Option<&Name>),
) -> Option<Difference> {
    let change = match (from, to) {
        (None, Some(_)) => Change::Added,
        (Some(_), None) => Change::Removed,
        _ => return None,
    };
    let shown = from.or(to)?;
    let called = |name: Option<&Name>, id: &str| name.map_or_else(|| id.to_owned(), |name| format!("'{name}'"));
    let (source, target) = (called(ends.0, &shown.source_id), called(ends.1, &shown.target_id));
    let version = |stored: &Stored<Relationship>| version_id(&stored.id, stored.version);
    Some(Difference {
        change,
        kind: "relationship",
        id: shown.id.clone(),
        repository_id: shown.repository_id.clone(),
        text: format!("{} from {source} to {target}", shown.r#type),
        fields: Vec::new(),
        from_version_id: from.map(version),
        to_version_id: to.map(version),
    })
}

/// The differences in one line.
pub fn summary(differences: &[Difference], more: bool) -> String {
    let count = |kind: &str, change: Change| {
        differences.iter().filter(|difference| difference.kind == kind && difference.change == change).count()
    };
    let mut parts = Vec::new();
    for kind in ["element", "relationship"] {
        let counted = [(Change::Added, "added"), (Change::Changed, "changed"), (Change::Removed, "removed")]
            .map(|(change, word)| (count(kind, change), word));
        let words: Vec<String> =
            counted.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        if !words.is_empty() {
            parts.push(format!("{kind}s: {}", words.join(", ")));
        }
    }
    let mut text = parts.join("; ");
    if text.is_empty() {
        text = if more { "no difference on this page" } else { "no difference" }.to_owned();
    }
    if more { format!("{text}; more on the next page") } else { text }
}

#[cfg(test)]
mod tests;
