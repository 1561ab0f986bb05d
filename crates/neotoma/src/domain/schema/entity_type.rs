//! The many ways to write an entity type, folded onto one.

use super::{builtin, builtin_types};

/// Longest type name, in characters.
const TYPE_CHARS_MAX: usize = 64;

/// Plurals that no rule gives.
const IRREGULAR: [(&str, &str); 3] = [("people", "person"), ("persons", "person"), ("facturas", "factura")];

/// A text that cannot name an entity type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an entity type has to match ^[a-z][a-z0-9_]{{0,63}}$")]
pub struct BadType;

/// The entity type that `given` means.
///
/// A known type stays as it is. Otherwise case, spaces, hyphens, aliases and plurals are folded away when that leads to
/// a known type. What leads nowhere is a new type, and then has to be well formed as it stands.
pub fn entity_type(given: &str, known: impl Fn(&str) -> bool) -> Result<String, BadType> {
    let is_known = |name: &str| is_entity_type(name) && (builtin(name).is_some() || known(name));
    let written = given.trim();
    if written.len() > 4 * TYPE_CHARS_MAX {
        return Err(BadType);
    }
    let folded = written.to_lowercase().replace([' ', '-'], "_");
    let meant = std::iter::once(folded.clone())
        .chain(singulars(&folded))
        .find_map(|name| if is_known(&name) { Some(name) } else { aliased(&name) });
    match meant {
        Some(name) => Ok(name),
        None if is_entity_type(given) => Ok(given.to_owned()),
        None => Err(BadType),
    }
}

/// Whether `name` is a well-formed entity type.
pub fn is_entity_type(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= TYPE_CHARS_MAX
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

/// The built-in type that goes by this other name.
fn aliased(name: &str) -> Option<String> {
    let by_alias =
        |r#type: &&str| builtin(r#type).is_some_and(|schema| schema.aliases.iter().any(|alias| alias == name));
    builtin_types().find(by_alias).map(str::to_owned)
}

/// What `plural` may be the plural of.
fn singulars(plural: &str) -> Vec<String> {
    let irregular = IRREGULAR.iter().filter(|(many, _)| *many == plural).map(|(_, one)| (*one).to_owned());
    let endings = [("ies", "y"), ("es", ""), ("s", "")];
    let regular = endings.iter().filter_map(|(many, one)| Some(format!("{}{one}", plural.strip_suffix(many)?)));
    irregular.chain(regular).collect()
}
