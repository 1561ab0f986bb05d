//! Media types: what a body may be, and what an answer should be.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What a client takes for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// JSON, or a stream of events.
    Either,
    /// JSON only.
    Json,
}

/// Refuses a body that is not JSON in UTF-8, as it is written; with the fix.
pub fn check(headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let mut media = text(header::CONTENT_TYPE).unwrap_or_default().split(';').map(str::trim);
    if !media.next().unwrap_or_default().eq_ignore_ascii_case("application/json") {
        return Err("send Content-Type: application/json");
    }
    let foreign_charset = |parameter: &str| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("charset")
            && !["utf-8", "utf8"].iter().any(|ours| value.eq_ignore_ascii_case(ours))
    };
    if media.any(foreign_charset) {
        return Err("send the body in UTF-8; JSON has no other charset");
    }
    let is_plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if !headers.get_all(header::CONTENT_ENCODING).iter().all(is_plain) {
        return Err("send the body without Content-Encoding");
    }
    Ok(())
}

/// rmcp demands that both media types are named, and in lower case; whoever takes anything, or JSON, can be answered.
pub fn put_right(headers: &mut HeaderMap, method: &Method) -> Wanted {
    if method == Method::POST {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let given = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*").to_ascii_lowercase();
    let takes = |media: &str| given.split(',').any(|given| given.split(';').next().unwrap_or_default().trim() == media);
    let anything = takes("*/*") || takes("application/*");
    let (json, events) = (takes("application/json"), takes("text/event-stream"));
    let json_only = method == Method::POST && !anything && json && !events;
    if anything || json_only || json && events {
        let both = if method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        headers.insert(header::ACCEPT, HeaderValue::from_static(both));
    }
    if json_only { Wanted::Json } else { Wanted::Either }
}

/// A stream of events as the one answer that it ends with.
pub async fn as_json(response: Response) -> Response {
    let media = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !media.starts_with("text/event-stream") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let events = to_bytes(body, usize::MAX).await.unwrap_or_default();
    match last_event(&events) {
        Some(answer) => {
            parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Response::from_parts(parts, Body::from(answer))
        }
        None => (StatusCode::NOT_ACCEPTABLE, "this is answered with text/event-stream only").into_response(),
    }
}

fn last_event(events: &[u8]) -> Option<Vec<u8>> {
    let lines = events.split(|byte| *byte == b'\n');
    let mut data = lines.filter_map(|line| line.strip_prefix(b"data:")).map(<[u8]>::trim_ascii);
    data.rfind(|data| data.starts_with(b"{")).map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[track_caller]
    fn check_body(pairs: &[(&'static str, &'static str)], expected: Result<(), &str>) {
        assert_eq!(check(&headers(pairs)), expected, "{pairs:?}");
    }

    #[test]
    fn a_body_is_json_in_utf_8() {
        for media in ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\"; v=1"]
        {
            check_body(&[("content-type", media)], Ok(()));
            check_body(&[("content-type", media), ("content-encoding", "identity")], Ok(()));
            let coded = [("content-type", media), ("content-encoding", "gzip")];
            check_body(&coded, Err("send the body without Content-Encoding"));
        }
        for media in
            ["application/json; charset=utf-16", "application/json;a=b;charset=latin1", "application/json; charset"]
        {
            check_body(&[("content-type", media)], Err("send the body in UTF-8; JSON has no other charset"));
        }
        for pairs in [&[][..], &[("content-type", "text/plain")], &[("content-type", "application/jsonx")]] {
            check_body(pairs, Err("send Content-Type: application/json"));
        }
    }

    #[track_caller]
    fn check_accept(accept: &'static str, expected: (Wanted, &str)) {
        let mut headers = headers(&[("accept", accept)]);
        let wanted = put_right(&mut headers, &Method::POST);
        assert_eq!((wanted, headers[header::ACCEPT].to_str().unwrap()), expected, "{accept}");
    }

    #[test]
    fn whoever_takes_json_can_be_answered() {
        let both = "application/json, text/event-stream";
        check_accept("application/json", (Wanted::Json, both));
        check_accept("Application/JSON;q=0.9, text/html", (Wanted::Json, both));
        check_accept("*/*", (Wanted::Either, both));
        check_accept("text/html, application/*;q=0.1", (Wanted::Either, both));
        check_accept("Text/Event-Stream, Application/JSON", (Wanted::Either, both));
        check_accept("text/html", (Wanted::Either, "text/html"));
    }

    #[test]
    fn a_stream_ends_with_its_answer() {
        let events = b"id: 0\ndata:\n\ndata: {\"progress\":1}\n\n: alive\n\ndata: {\"id\":1}\n\n";
        assert_eq!(last_event(events).as_deref(), Some(&br#"{"id":1}"#[..]));
        assert_eq!(last_event(b"data:\n\n"), None);
    }
}
