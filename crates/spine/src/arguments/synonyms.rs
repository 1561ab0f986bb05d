//! Other words for the same: names that models give to arguments, and values they choose.
//!
//! Only plain words of interfaces stand here; what the terms of a domain are also called, its capability knows.

use contract::labels;

use super::near::single;

/// Longest word that is looked up.
const WORD_BYTES_MAX: usize = 64;

/// Names of which any may be given for any other.
const NAMES: &[&[&str]] = &[
    &["name", "title", "label", "display_name", "original_filename"],
    &["description", "desc", "details", "summary", "documentation", "text", "component_description"],
    &["query", "q", "search", "search_text", "search_query", "search_term", "term", "keywords", "text", "question"],
    &["identifier", "query", "name", "key", "search", "email", "external_id"],
    &["page_size", "limit", "max_results", "per_page", "count", "size", "top_k", "num_results", "max_items"],
    &["page_token", "cursor", "next_page_token", "next_cursor", "page", "continuation_token"],
    &["offset", "skip", "start_index"],
    &["client_request_id", "idempotency_key", "request_id", "client_token", "idempotency_token"],
    &["source_id", "source", "from", "from_id", "src", "source_element_id", "source_entity_id", "from_entity_id"],
    &[
        "target_id",
        "target",
        "to",
        "to_id",
        "dest",
        "destination",
        "target_element_id",
        "target_entity_id",
        "to_entity_id",
    ],
    &["type", "kind", "category", "element_type", "entity_type", "event_type", "relationship_type"],
    &["relationship_type", "relation_type", "rel_type", "relation", "relationship", "edge_type", "link_type"],
    &["relationship_types", "relation_types", "rel_types", "relations", "edge_types", "link_types"],
    &["node_id", "entity_id", "id"],
    &["after_date", "since", "start_date", "from_date", "date_from", "after", "start", "from"],
    &["before_date", "until", "end_date", "to_date", "date_to", "before", "end", "to"],
    &["start_at", "start", "start_date", "starts_at", "begin", "from"],
    &["end_at", "end", "end_date", "ends_at", "finish", "until", "to"],
    &["as_of", "at", "timestamp", "as_of_date", "at_time", "time"],
    &["selector", "mode", "state", "read_mode"],
    &["max_hops", "depth", "hops", "max_depth", "levels"],
    &["max_tokens", "token_limit", "tokens", "token_budget"],
    &["min_score", "threshold", "score_threshold", "min_similarity", "similarity_threshold"],
    &["rationale", "reason", "justification", "comment", "merge_reason"],
    &["owner", "owned_by", "responsible"],
    &["properties", "attributes", "props", "metadata", "custom_properties"],
    &["filters", "filter", "where", "conditions"],
    &["sort", "order_by", "sort_by", "order"],
    &["fields", "columns", "select"],
    &["field", "property", "attribute", "field_name", "column"],
    &["op", "operator", "comparison"],
    &["value", "val", "new_value", "corrected_value"],
    &["file_path", "path", "file", "filename"],
    &["file_content", "content", "data", "base64", "bytes", "body"],
    &["original_filename", "filename", "file_name"],
    &["mime_type", "content_type", "media_type", "mimetype"],
    &["entities", "items", "records", "objects"],
    &["expires_in", "ttl", "expiry", "expires", "expires_in_seconds"],
    &["expected_version", "if_version", "base_version", "etag"],
    &["operation", "action", "command", "tool", "method"],
    &["payload", "arguments", "args", "input", "params", "data", "body"],
    &["definition", "schema"],
    &["direction", "dir"],
    &["key", "slug", "code"],
    &["include_entities", "with_entities", "expand"],
];

/// Permitted words, each with what it is also called.
const WORDS: &[(&str, &[&str])] = &[
    ("eq", &["=", "==", "===", "equals", "equal", "is", "equal_to", "equals_to"]),
    ("ne", &["!=", "<>", "neq", "not_equal", "not_equals", "not_equal_to", "is_not", "not.eq", "not"]),
    ("lt", &["<", "less", "less_than", "before", "below"]),
    ("lte", &["<=", "le", "less_or_equal", "less_than_or_equal", "at_most", "max"]),
    ("gt", &[">", "greater", "greater_than", "more_than", "after", "above"]),
    ("gte", &[">=", "ge", "greater_or_equal", "greater_than_or_equal", "at_least", "min"]),
    ("contains", &["like", "ilike", "includes", "include", "has", "substring", "matches", "search", "icontains", "~"]),
    ("exists", &["present", "not_null", "is_not_null", "is_set", "has_value", "not_empty"]),
    ("inbound", &["in", "incoming", "to", "ingoing"]),
    ("outbound", &["out", "outgoing", "from"]),
    ("both", &["any", "all", "either", "bidirectional", "in_out", "undirected"]),
    ("head", &["latest", "current", "now", "newest", "live", "main"]),
    ("published", &["released", "official", "approved", "stable"]),
    ("baseline_id", &["baseline", "snapshot", "version"]),
    ("as_of", &["time", "at", "timestamp", "date", "point_in_time", "historical"]),
    ("ReadWrite", &["rw", "r/w", "read_and_write", "read/write", "write_read", "both"]),
    ("Read", &["r", "ro", "read_only", "reads"]),
    ("Write", &["w", "wo", "write_only", "writes"]),
    ("technology", &["tech", "infrastructure", "technical", "it"]),
    ("application", &["app", "applications", "software", "system"]),
    ("business", &["biz", "organisation", "organization"]),
    ("strategy", &["strategic"]),
    ("motivation", &["motivational"]),
    ("implementation", &["migration", "implementation_and_migration"]),
    ("High", &["critical", "very_high", "severe", "important", "h"]),
    ("Medium", &["med", "moderate", "normal", "average", "m"]),
    ("Low", &["minor", "unimportant", "l"]),
    ("Active", &["live", "in_use", "production", "current", "running"]),
    ("Planned", &["future", "proposed", "upcoming", "draft"]),
    ("Deprecated", &["obsolete", "sunset", "phasing_out", "phase_out"]),
    ("Retired", &["decommissioned", "removed", "end_of_life", "eol"]),
    ("ACCEPTED", &["approved", "merged", "accept"]),
    ("REJECTED", &["declined", "denied", "refused", "reject"]),
    ("PROPOSED", &["open", "pending", "new", "submitted"]),
    ("WITHDRAWN", &["cancelled", "canceled", "retracted"]),
    ("ACHIEVED", &["reached", "done", "fulfilled", "completed", "met"]),
    ("ABANDONED", &["dropped", "given_up", "cancelled", "canceled"]),
    ("commit", &["direct", "immediate", "apply", "now"]),
    ("propose", &["proposal", "suggest", "review", "draft"]),
    ("auto", &["automatic", "default"]),
    ("entity", &["entities", "node"]),
    ("source", &["sources", "document", "file"]),
];

/// The one of `free` that `word` is another name for.
pub fn name<'a>(word: &str, free: &[&'a str]) -> Option<&'a str> {
    if word.len() > WORD_BYTES_MAX {
        return None;
    }
    let groups = NAMES.iter().filter(|group| group.iter().any(|name| labels::same(name, word)));
    let mut meant: Vec<&str> =
        groups.flat_map(|group| free.iter().copied().filter(|name| group.contains(name))).collect();
    meant.sort_unstable();
    meant.dedup();
    single(meant.into_iter())
}

/// The one of the permitted words that `word` also means.
pub fn word<'a>(word: &str, permitted: &[&'a str]) -> Option<&'a str> {
    if word.len() > WORD_BYTES_MAX {
        return None;
    }
    let word = word.trim();
    let means = |option: &&str| {
        WORDS.iter().any(|(term, others)| {
            labels::same(term, option)
                && others.iter().any(|other| other == &word || labels::same(other, word) && !word.is_empty())
        })
    };
    single(permitted.iter().copied().filter(means))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synonym_counts_where_it_names_one_thing() {
        let operators = ["eq", "ne", "lt", "lte", "gt", "gte", "contains", "exists"];
        for (given, meant) in [("like", "contains"), (">=", "gte"), ("Equals", "eq"), ("not.eq", "ne"), ("!=", "ne")] {
            assert_eq!(word(given, &operators), Some(meant), "{given}");
        }
        assert_eq!(word("between", &operators), None);
        assert_eq!(word("", &operators), None);
        // Two permitted words could be meant.
        assert_eq!(word("draft", &["Planned", "propose"]), None);
    }

    #[test]
    fn another_name_counts_where_one_argument_is_free() {
        assert_eq!(name("limit", &["page_size", "page_token", "query"]), Some("page_size"));
        assert_eq!(name("idempotencyKey", &["name", "client_request_id"]), Some("client_request_id"));
        assert_eq!(name("type", &["element_type", "relationship_type"]), None);
        assert_eq!(name("colour", &["name"]), None);
    }
}
