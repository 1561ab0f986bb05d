//! State tags: free words in lower case, of which some exclude each other.

use super::node::{Entity, TagChange};

/// Of each group an entity has one tag at most.
const EXCLUSIVE: &[&[&str]] =
    &[&["alive", "dead"], &["conscious", "unconscious"], &["hostile", "friendly", "neutral"], &["hidden", "revealed"]];

/// The tag of who acts no more.
pub const DEAD: &str = "dead";

const TAG_CHARS_MAX: usize = 64;
/// Tags that an entity can have, and that one change can name.
pub const TAGS_MAX: usize = 100;

/// Tags as they are stored: trimmed, in lower case, sorted, each once.
pub fn normalise(tags: &[String]) -> Result<Vec<String>, String> {
    let mut tags: Vec<String> = tags.iter().map(|tag| tag.trim().to_lowercase()).collect();
    if tags.len() > TAGS_MAX {
        return Err(format!("has {} tags; give {TAGS_MAX} at most", tags.len()));
    }
    if let Some(odd) = tags.iter().find(|tag| tag.is_empty() || tag.chars().count() > TAG_CHARS_MAX) {
        return Err(format!("has the tag {:?}; a tag has 1 to {TAG_CHARS_MAX} characters", contract::excerpt(odd, 80)));
    }
    tags.sort_unstable();
    if let Some(twice) = tags.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("names {:?} twice; name each tag once", twice[0]));
    }
    Ok(tags)
}

/// Two of these tags that exclude each other.
pub fn clash(tags: &[String]) -> Option<(&str, &str)> {
    tags.iter().find_map(|one| {
        let other = tags.iter().find(|other| one < *other && exclude(one, other))?;
        Some((one.as_str(), other.as_str()))
    })
}

/// A change of tags as it is stored, or what is wrong with it: the field and the reason.
pub fn change(entity_id: &str, add: &[String], remove: &[String]) -> Result<TagChange, (&'static str, String)> {
    let add = normalise(add).map_err(|reason| ("add", reason))?;
    let remove = normalise(remove).map_err(|reason| ("remove", reason))?;
    if add.is_empty() && remove.is_empty() {
        return Err(("add", "and remove are both empty; name at least one tag".to_owned()));
    }
    if let Some(both) = add.iter().find(|tag| remove.contains(tag)) {
        return Err(("remove", format!("names {both:?}, which add names too; name it in one of them")));
    }
    if let Some((one, other)) = clash(&add) {
        return Err(("add", format!("names {one:?} and {other:?}, which exclude each other; name one of them")));
    }
    Ok(TagChange { entity_id: entity_id.to_owned(), add, remove })
}

/// The tags of an entity that a change would leave beside one that excludes them.
pub fn excluded<'a>(entity: &'a Entity, change: &TagChange) -> Vec<&'a str> {
    let stays = |tag: &&String| !change.remove.contains(tag);
    let excluded = |tag: &&String| change.add.iter().any(|added| exclude(tag, added));
    entity.state_tags.iter().filter(stays).filter(excluded).map(String::as_str).collect()
}

/// The tags after a change. What the added ones exclude is gone.
pub fn apply(tags: &[String], change: &TagChange) -> Vec<String> {
    let goes = |tag: &String| change.remove.contains(tag) || change.add.iter().any(|added| exclude(tag, added));
    let mut after: Vec<String> = tags.iter().filter(|tag| !goes(tag)).chain(&change.add).cloned().collect();
    after.sort_unstable();
    after.dedup();
    after
}

/// The tags once a change is taken back.
pub fn revert(tags: &[String], change: &TagChange) -> Vec<String> {
    let back = TagChange { entity_id: String::new(), add: Vec::new(), remove: change.add.clone() };
    let mut after = apply(tags, &back);
    for tag in &change.remove {
        if !after.contains(tag) && !after.iter().any(|other| exclude(tag, other)) {
            after.push(tag.clone());
        }
    }
    after.sort_unstable();
    after
}

/// A change in words, as its documenting fact states it.
pub fn statement(name: &str, change: &TagChange) -> String {
    let named = |verb: &str, tags: &[String]| (!tags.is_empty()).then(|| format!("{verb} {}", tags.join(", ")));
    let parts: Vec<String> =
        [named("is now", &change.add), named("is no longer", &change.remove)].into_iter().flatten().collect();
    format!("{name} {}", parts.join(" and "))
}

fn exclude(one: &str, other: &str) -> bool {
    one != other && EXCLUSIVE.iter().any(|group| group.contains(&one) && group.contains(&other))
}

/// The tags that cannot stand beside this one.
pub fn excluded_by(tag: &str) -> impl Iterator<Item = &'static str> {
    EXCLUSIVE.iter().filter(move |group| group.contains(&tag)).flat_map(|group| group.iter()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(before: &str, add: &str, remove: &str, after: &str) {
        let change = change("e", &list(add), &list(remove)).unwrap();
        assert_eq!(apply(&list(before), &change).join(" "), after);
    }

    #[test]
    fn a_change_adds_removes_and_pushes_out_what_is_excluded() {
        check("alive tired", "dead", "", "dead tired");
        check("alive", "at_gate", "alive", "at_gate");
        check("hostile", "friendly", "", "friendly");
    }

    #[test]
    fn a_change_that_contradicts_itself_is_refused() {
        let refused = |add: &str, remove: &str| change("e", &list(add), &list(remove)).unwrap_err();
        assert_eq!(refused("", "").0, "add");
        assert_eq!(refused("dead", "dead").0, "remove");
        assert_eq!(
            refused("dead alive", "").1,
            "names \"alive\" and \"dead\", which exclude each other; name one of them"
        );
        assert_eq!(refused("a a", "").1, "names \"a\" twice; name each tag once");
        assert_eq!(refused(&"x".repeat(65), "").0, "add");
    }

    #[test]
    fn a_change_that_is_taken_back_leaves_what_was_there() {
        let died = change("e", &list("dead"), &list("alive")).unwrap();
        assert_eq!(revert(&list("dead tired"), &died).join(" "), "alive tired");
        assert_eq!(revert(&list("alive"), &died).join(" "), "alive");
    }

    #[test]
    fn a_change_reads_as_a_sentence() {
        let died = change("e", &list("dead"), &list("alive hidden")).unwrap();
        assert_eq!(statement("Boromir", &died), "Boromir is now dead and is no longer alive, hidden");
    }
}
