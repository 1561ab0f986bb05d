//! Tool names with dots, for clients that refuse dots, and names that are nearly right.
//!
//! The canonical name is `capability.operation`. The large model interfaces take only letters, digits, `_` and `-`, and one
//! refused name may cost a client all its tools. So lists show `capability_operation`, except to clients that are known
//! to take dots. Both forms can always be called.

use crate::arguments::near;
use crate::config::ToolNames;

/// Clients known to take dots, by the start of the name they give themselves, in lower case.
const TAKES_DOTS: &[&str] = &["mcp-inspector", "inspector-client", "chancery"];
/// How many tools are named in place of one that does not exist.
const NEAREST_MAX: usize = 3;
/// Longest name that is compared.
const NAME_BYTES_MAX: usize = 128;

/// The name to list for a client.
pub fn listed(canonical: &str, mode: ToolNames, client: Option<&str>) -> String {
    let dots = match mode {
        ToolNames::Dot => true,
        ToolNames::Underscore => false,
        ToolNames::Auto => client.is_some_and(takes_dots),
    };
    if dots { canonical.to_owned() } else { without_dots(canonical) }
}

/// True when a name is either form of a canonical one. Asked for every tool in every call, so nothing is made for it.
pub fn names(canonical: &str, name: &str) -> bool {
    let without_dot = |byte: u8| if byte == b'.' { b'_' } else { byte };
    canonical == name || canonical.bytes().map(without_dot).eq(name.bytes())
}

/// The form without dots.
pub fn without_dots(canonical: &str) -> String {
    canonical.replace('.', "_")
}

fn takes_dots(client: &str) -> bool {
    let client = client.to_lowercase();
    TAKES_DOTS.iter().any(|name| client.starts_with(name))
}

/// The tools that a name may have meant, best first, in the form it was given in: other casing and separators, the
/// capability left out or another prefix, one word for another, one for many.
pub fn nearest<'a>(given: &str, tools: impl Iterator<Item = &'a str>) -> Vec<String> {
    if given.len() > NAME_BYTES_MAX {
        return Vec::new();
    }
    let wanted = Meaning::of(given);
    let scored = tools.filter_map(|tool| {
        let operation = tool.rsplit('.').next().unwrap_or(tool);
        let words = wanted.closeness(&Meaning::of(operation));
        let spelled = near::nearest(given.rsplit(['.', '/', ':']).next().unwrap_or(given), [operation]).len();
        let score = words.max(60 * u32::try_from(spelled).unwrap_or(0));
        (score >= 50).then_some((score, tool))
    });
    let mut scored: Vec<(u32, &str)> = scored.collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let shown = |tool: &str| if given.contains('.') { tool.to_owned() } else { without_dots(tool) };
    scored.into_iter().take(NEAREST_MAX).map(|(_, tool)| shown(tool)).collect()
}

/// The words of a name, each as the plainest of its kind and in the singular.
struct Meaning(Vec<String>);

/// Words that name the same thing in tool names.
const ALIKE: &[(&str, &[&str])] = &[
    ("read", &["get", "fetch", "retrieve", "list", "show", "find", "search", "query", "lookup", "view", "all", "load"]),
    ("create", &["add", "new", "make", "insert", "write"]),
    ("update", &["edit", "modify", "change", "set", "patch"]),
    ("delete", &["remove", "erase", "destroy", "drop"]),
    ("ingest", &["store", "import", "save", "observe"]),
    ("relationship", &["relation", "link", "edge", "connection"]),
    ("merge", &["combine", "join", "dedupe"]),
    ("restore", &["undelete", "recover"]),
];

impl Meaning {
    fn of(name: &str) -> Self {
        Self(near::words(name).into_iter().map(|word| plainest(singular(word))).collect())
    }

    /// How much of the meaning is shared, up to 100. Words before it, such as a server's name, do not count.
    fn closeness(&self, other: &Self) -> u32 {
        let (given, tool) = (&self.0, &other.0);
        if tool.is_empty() || given.is_empty() {
            return 0;
        }
        if given.ends_with(tool) {
            return 100;
        }
        let shared = tool.iter().filter(|word| given.contains(word)).count();
        let count = tool.len().max(given.len().min(tool.len() + 1));
        u32::try_from(90 * shared / count).unwrap_or(0)
    }
}

fn singular(word: String) -> String {
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if word.len() > 3 && !word.ends_with("ss") => word.strip_suffix('s').map_or(word.clone(), str::to_owned),
        None => word,
    }
}

fn plainest(word: String) -> String {
    let alike = ALIKE.iter().find(|(_, others)| others.contains(&word.as_str()));
    alike.map_or(word, |(plain, _)| (*plain).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn the_listed_form_fits_the_client() {
        let (name, without) = ("transformation.listElements", "transformation_listElements");
        assert_eq!(listed(name, ToolNames::Auto, Some("Claude Code")), without);
        assert_eq!(listed(name, ToolNames::Auto, Some("a client of tomorrow")), without);
        assert_eq!(listed(name, ToolNames::Auto, None), without);
        assert_eq!(listed(name, ToolNames::Auto, Some("MCP-Inspector")), name);
        assert_eq!(listed(name, ToolNames::Underscore, Some("mcp-inspector")), without);
        assert_eq!(listed(name, ToolNames::Dot, Some("cursor-vscode")), name);
    }

    #[test]
    fn a_tool_answers_to_both_forms() {
        for name in ["a.b.read", "a_b_read"] {
            assert!(names("a.b.read", name));
        }
        for name in ["a.b_read", "a.b.rea", "a.b.reads", "a_b_readx", "aXb.read", ""] {
            assert!(!names("a.b.read", name), "{name}");
        }
    }

    const TOOLS: [&str; 6] = [
        "transformation.listElements",
        "transformation.createElement",
        "transformation.deleteElement",
        "transformation.createRelationship",
        "transformation.getElementTypes",
        "transformation.semanticSearch",
    ];

    #[track_caller]
    fn check(given: &str, expected: &str) {
        assert_eq!(nearest(given, TOOLS.into_iter()).first().map(String::as_str), Some(expected), "{given}");
    }

    #[test]
    fn a_name_that_is_nearly_right_finds_its_tool() {
        check("listElements", "transformation_listElements");
        check("list_elements", "transformation_listElements");
        check("Transformation.ListElements", "transformation.listElements");
        check("transformation.list_elements", "transformation.listElements");
        check("transformation/listElements", "transformation_listElements");
        check("mcp__chancery__transformation_listElements", "transformation_listElements");
        check("transformation.listElement", "transformation.listElements");
        check("transformation.getElements", "transformation.listElements");
        check("transformation.removeElement", "transformation.deleteElement");
        check("transformation.addRelation", "transformation.createRelationship");
        check("transformation.createElemnet", "transformation.createElement");
        check("search", "transformation_semanticSearch");
    }

    #[test]
    fn what_is_no_tool_finds_none() {
        for given in ["", "…", "transformation.", "qqqq", &"x".repeat(1_000_000)] {
            assert_eq!(nearest(given, TOOLS.into_iter()), Vec::<String>::new(), "{given:.20}");
        }
    }
}
