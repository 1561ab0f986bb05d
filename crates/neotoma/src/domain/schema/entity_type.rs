//! The many ways to write an entity type, folded onto one.

use super::{builtin, builtin_types};

/// Longest type name, in characters.
const TYPE_CHARS_MAX: usize = 64;

/// A word that would read as a member of every object in the languages of many clients.
const RESERVED: &str = "constructor";

/// Plurals that no rule gives.
const IRREGULAR: [(&str, &str); 3] = [("people", "person"), ("persons", "person"), ("facturas", "factura")];

/// A text that cannot name an entity type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an entity type has to match ^[a-z][a-z0-9_]{{0,63}}$ and not be a word that every object has")]
pub struct BadType;

/// The entity type that `given` means.
///
/// A known type stays as it is. Otherwise case, spaces, hyphens, aliases and plurals are folded away when that leads to
/// a known type. What leads nowhere is a new type, and then has to be well formed as it stands.
pub fn entity_type(given: &str, known: impl Fn(&str) -> bool) -> Result<String, BadType> {
    entity_type_among(given, |name| known(name).then(|| name.to_owned()))
}

/// Like [`entity_type`], for a user with types of their own: `own` says which of them goes by a name or an alias. A
/// user's alias wins over a built-in one.
pub fn entity_type_among(given: &str, own: impl Fn(&str) -> Option<String>) -> Result<String, BadType> {
    if given.trim().len() > 4 * TYPE_CHARS_MAX {
        return Err(BadType);
    }
    let known = |name: &str| builtin(name).map(|_| name.to_owned()).or_else(|| own(name));
    let meant = spellings(given).into_iter().find_map(|name| known(&name).or_else(|| aliased(&name)));
    match meant {
        Some(name) => Ok(name),
        None if is_entity_type(given) => Ok(given.to_owned()),
        None => Err(BadType),
    }
}

/// The well-formed type names that `given` may be another spelling of, the most literal first.
pub fn spellings(given: &str) -> Vec<String> {
    let folded = fold(given);
    let singulars = singulars(&folded);
    std::iter::once(folded).chain(singulars).filter(|name| is_entity_type(name)).collect()
}

/// A type name without regard to case, spaces and hyphens.
pub fn fold(given: &str) -> String {
    given.trim().to_lowercase().replace([' ', '-'], "_")
}

/// Whether `name` is a well-formed entity type.
pub fn is_entity_type(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= TYPE_CHARS_MAX
        && name != RESERVED
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
