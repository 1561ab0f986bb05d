//! Tool names with dots, for clients that refuse dots.
//!
//! The canonical name is `capability.operation`. Several model APIs take only letters, digits, `_` and
//! `-`, so lists show such clients `capability_operation`. Both forms can always be called.

use crate::config::ToolNames;

/// Clients known to refuse dots, by the start of the name they give themselves, in lower case.
const REFUSES_DOTS: &[&str] = &[
    "claude",
    "anthropic",
    "copilot",
    "github-copilot",
    "codex",
    "openai",
    "cursor",
    "gemini",
    "visual studio code",
    "vscode",
];

/// The name to list for a client.
pub fn listed(canonical: &str, mode: ToolNames, client: Option<&str>) -> String {
    let underscore = match mode {
        ToolNames::Dot => false,
        ToolNames::Underscore => true,
        ToolNames::Auto => client.is_some_and(refuses_dots),
    };
    if underscore { without_dots(canonical) } else { canonical.to_owned() }
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

fn refuses_dots(client: &str) -> bool {
    let client = client.to_lowercase();
    REFUSES_DOTS.iter().any(|name| client.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn the_listed_form_fits_the_client() {
        let name = "transformation.listElements";
        assert_eq!(listed(name, ToolNames::Auto, Some("Claude Code")), "transformation_listElements");
        assert_eq!(listed(name, ToolNames::Auto, Some("mcp-inspector")), name);
        assert_eq!(listed(name, ToolNames::Auto, None), name);
        assert_eq!(listed(name, ToolNames::Underscore, None), "transformation_listElements");
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
}
