//! Types of relationships between entities: open words in upper case, with one spelling for each meaning.

pub const LOCATED_IN: &str = "LOCATED_IN";
pub const ALLY_OF: &str = "ALLY_OF";
pub const ENEMY_OF: &str = "ENEMY_OF";

/// Other words for the same.
const ALIASES: &[(&str, &str)] = &[
    ("ALLIED_WITH", ALLY_OF),
    ("ALLY", ALLY_OF),
    ("HOSTILE_TO", ENEMY_OF),
    ("ENEMY", ENEMY_OF),
    ("LOCATED_AT", LOCATED_IN),
    ("AT", LOCATED_IN),
    ("MEMBER", "MEMBER_OF"),
    ("BELONGS_TO", "MEMBER_OF"),
    ("OWNER_OF", "OWNS"),
];

/// What the graph itself is made of.
const RESERVED: &[&str] = &[
    "CONTAINS",
    "HAS_SOURCE",
    "HAS_AXIOM",
    "HAS_ENTITY",
    "HAS_STORY",
    "HAS_FACT",
    "PARENT_STORY",
    "HAS_SCENE",
    "NEXT",
    "HAS_THREAD",
    "ADVANCED_BY",
    "FORESHADOWS",
    "REVEALS",
    "HAS_PARTY",
    "ACTIVE_PC",
    "DERIVES_FROM",
    "INVOLVES",
    "SUPPORTED_BY",
    "CAUSES",
    "REPLACES",
];

const CHARS_MAX: usize = 64;

/// A type as it is stored, or what is wrong with it.
pub fn normalise(text: &str) -> Result<String, String> {
    let mut word = String::new();
    for letter in text.trim().chars() {
        match letter {
            '_' | '-' | ' ' => word.push('_'),
            _ => word.extend(letter.to_uppercase()),
        }
    }
    let fits = word.chars().count() <= CHARS_MAX
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_');
    if !fits {
        let shown = contract::excerpt(text, 80);
        return Err(format!(
            "is {shown:?}; give letters, digits and underscores such as MEMBER_OF, {CHARS_MAX} at most"
        ));
    }
    if RESERVED.contains(&word.as_str()) {
        return Err(format!("is {word}, which the graph keeps for its own structure; give another type such as KNOWS"));
    }
    Ok(ALIASES.iter().find(|(alias, _)| *alias == word).map_or(word, |(_, meant)| (*meant).to_owned()))
}

/// The type that cannot hold beside this one for the same two entities.
pub fn opposite(rel_type: &str) -> Option<&'static str> {
    match rel_type {
        ALLY_OF => Some(ENEMY_OF),
        ENEMY_OF => Some(ALLY_OF),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_one_spelling_and_structure_is_refused() {
        for (given, expected) in [
            ("ally_of", Ok("ALLY_OF")),
            ("allied with", Ok("ALLY_OF")),
            ("HOSTILE_TO", Ok("ENEMY_OF")),
            ("member-of", Ok("MEMBER_OF")),
            ("KNOWS", Ok("KNOWS")),
            ("causes", Err("is CAUSES, which the graph keeps for its own structure; give another type such as KNOWS")),
            ("", Err("is \"\"; give letters, digits and underscores such as MEMBER_OF, 64 at most")),
            ("liebt_ö", Err("is \"liebt_ö\"; give letters, digits and underscores such as MEMBER_OF, 64 at most")),
        ] {
            assert_eq!(normalise(given).as_deref().map_err(String::as_str), expected, "{given}");
        }
    }
}
