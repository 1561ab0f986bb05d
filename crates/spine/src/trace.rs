//! What a caller may say about where its call belongs, within bounds: it ends up in facts and in the audit log.

use contract::RequestMeta;
use sha2::{Digest, Sha256};

/// Longest correlation id.
const CORRELATION_CHARS_MAX: usize = 128;
/// Longest `tracestate`, as W3C Trace Context has it.
const STATE_CHARS_MAX: usize = 512;
/// Longest id and longest type of an agent.
const AGENT_CHARS_MAX: usize = 128;
/// Longest name that a client gives itself, as far as we keep it.
const CLIENT_CHARS_MAX: usize = 128;

/// What a message or its headers say.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    pub correlation: Option<&'a str>,
    pub traceparent: Option<&'a str>,
    pub tracestate: Option<&'a str>,
    pub agent_id: Option<&'a str>,
    pub agent_type: Option<&'a str>,
}

impl Given<'_> {
    /// Keeps what is well formed. Without a correlation id, the trace id or the request id ties calls together; without a
    /// trace, one begins here.
    pub fn request_meta(self, request_id: String) -> RequestMeta {
        let traceparent = self.traceparent.filter(|text| trace_id(text).is_some());
        let tracestate = self.tracestate.filter(|text| traceparent.is_some() && is_plain(text, STATE_CHARS_MAX));
        let correlation = self.correlation.filter(|text| is_plain(text, CORRELATION_CHARS_MAX));
        let correlation = correlation.or(traceparent.and_then(trace_id)).unwrap_or(&request_id).to_owned();
        let trace_id = traceparent.and_then(trace_id).map_or_else(|| fresh_trace_id(&request_id), str::to_owned);
        RequestMeta {
            request_id,
            trace_id,
            correlation_id: correlation,
            traceparent: traceparent.map(str::to_owned),
            tracestate: tracestate.map(str::to_owned),
            client: None,
            agent_id: self.agent_id.filter(|text| is_plain(text, AGENT_CHARS_MAX)).map(str::to_owned),
            // One that is no type is refused by name, so it is kept as far as a name goes.
            agent_type: self.agent_type.map(|text| escaped(text, AGENT_CHARS_MAX)),
        }
    }
}

/// The trace id inside a W3C `traceparent`: `00-` and 32, 16 and 2 hexadecimal digits.
pub fn trace_id(traceparent: &str) -> Option<&str> {
    let parts: Vec<&str> = traceparent.split('-').collect();
    let [_, trace, _, _] = parts[..] else { return None };
    let hexadecimal = |part: &&str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let fits = parts.iter().map(|part| part.len()).eq([2, 32, 16, 2]) && parts.iter().all(hexadecimal);
    // W3C keeps the trace of zeros for "none".
    (fits && trace.bytes().any(|byte| byte != b'0')).then_some(trace)
}

/// The id of a trace that begins with a request. Request ids are unique, so this is as well, and nothing rolls dice twice.
fn fresh_trace_id(request_id: &str) -> String {
    hex::encode(&Sha256::digest(request_id)[..16])
}

/// Name and version of a client, escaped and cut to a bound.
pub fn client(name: &str, version: &str) -> String {
    escaped(&format!("{name}/{version}"), CLIENT_CHARS_MAX)
}

/// What a client that gives itself no name says in its header.
pub fn user_agent(header: &str) -> String {
    escaped(header, CLIENT_CHARS_MAX)
}

/// A text that a caller wrote, as it may stand in a log line or an audit record: no line breaks, no control characters,
/// nothing invisible, and no longer than so many characters.
pub fn escaped(text: &str, chars_max: usize) -> String {
    // Nearly every text is one that needs nothing.
    if text.len() <= chars_max && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let mut shown = String::new();
    for (position, character) in text.chars().enumerate() {
        if position == chars_max {
            shown.push('…');
            break;
        }
        if is_visible(character) { shown.push(character) } else { shown.extend(character.escape_unicode()) }
    }
    shown
}

fn is_visible(character: char) -> bool {
    // What moves, joins or hides others: line and paragraph separators, directions, joiners, tags, the byte order mark.
    let is_hidden = matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !character.is_control() && !is_hidden
}

fn is_plain(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[track_caller]
    fn check(correlation: Option<&str>, traceparent: Option<&str>, expected: &str) {
        let given = Given { correlation, traceparent, ..Given::default() };
        assert_eq!(given.request_meta("r1".to_owned()).correlation_id, expected);
    }

    #[test]
    fn calls_are_tied_together_by_what_is_well_formed() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        check(Some("task-7"), Some(PARENT), "task-7");
        check(None, Some(PARENT), trace);
        check(None, None, "r1");
        check(Some(""), Some("00-nonsense-00-01"), "r1");
        check(Some("two\nlines"), None, "r1");
        check(Some(&"x".repeat(129)), Some(PARENT), trace);
    }

    #[track_caller]
    fn check_trace(traceparent: Option<&str>, request_id: &str, expected: &str) {
        let given = Given { traceparent, ..Given::default() };
        assert_eq!(given.request_meta(request_id.to_owned()).trace_id, expected);
    }

    // N-023
    #[test]
    fn every_call_is_in_a_trace() {
        let begun = "82f3e9c695dc6b8d1b11818d5701919e";
        check_trace(Some(PARENT), "r1", "4bf92f3577b34da6a3ce929d0e0e4736");
        check_trace(None, "r1", begun);
        check_trace(None, "r2", "db77fd01af957221a4989b64b3770a83");
        check_trace(Some("00-nonsense-00-01"), "r1", begun);
        check_trace(Some("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), "r1", begun);
    }

    #[test]
    fn a_long_name_of_a_client_is_cut() {
        assert_eq!(client("app", "1"), "app/1");
        assert_eq!(client(&"é".repeat(500), "1"), format!("{}…", "é".repeat(CLIENT_CHARS_MAX)));
    }

    #[test]
    fn what_a_caller_wrote_forges_no_line() {
        assert_eq!(
            escaped("a\nINFO b\r\t\u{1b}[31m\u{202e}\u{2028}é", 99),
            r"a\u{a}INFO b\u{d}\u{9}\u{1b}[31m\u{202e}\u{2028}é"
        );
        assert_eq!(escaped(&"x".repeat(1_000_000), 5), "xxxxx…");
        assert_eq!(client("app\n", "1"), r"app\u{a}/1");
    }

    #[test]
    fn a_state_without_a_trace_is_dropped() {
        let given = Given { tracestate: Some("vendor=1"), ..Given::default() };
        assert_eq!(given.request_meta("r1".to_owned()).tracestate, None);
        let given = Given { traceparent: Some(PARENT), ..given };
        assert_eq!(given.request_meta("r1".to_owned()).tracestate.as_deref(), Some("vendor=1"));
    }
}
