//! Lines of input, within a bound.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// How much of the end of a line that is too long is kept, to find the id of its request there.
const END_BYTES: usize = 512;

/// What came.
pub enum Line {
    Whole(Vec<u8>),
    /// Passed over; with the id of the request, where it stands at the beginning or the end.
    TooLong {
        id: Option<Value>,
    },
    End,
}

/// The next line; the rest of one that is too long is passed over.
pub async fn next(input: &mut (impl AsyncBufRead + Unpin), bytes_max: usize) -> Line {
    let mut line = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    match (&mut *input).take(limit).read_until(b'\n', &mut line).await {
        Ok(0) | Err(_) => return Line::End,
        Ok(_) => {}
    }
    if line.len() <= bytes_max || line.last() == Some(&b'\n') {
        return Line::Whole(line);
    }
    let mut end = line[line.len().saturating_sub(END_BYTES)..].to_vec();
    line.truncate(END_BYTES);
    loop {
        let buffer = match input.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(buffer) => buffer,
        };
        let found = buffer.iter().position(|byte| *byte == b'\n');
        let used = found.map_or(buffer.len(), |position| position + 1);
        end.extend_from_slice(&buffer[used.saturating_sub(END_BYTES)..used]);
        end.drain(..end.len().saturating_sub(END_BYTES));
        input.consume(used);
        if found.is_some() {
            break;
        }
    }
    Line::TooLong { id: id_at_start(&line).or_else(|| id_at_end(&end)) }
}

/// The id in `{"jsonrpc":"2.0","id":7,…`: before the first value that is no plain one, and whole.
fn id_at_start(start: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(start);
    let mut rest = text.trim_start().strip_prefix('{')?;
    // Few members go before it.
    for _ in 0..4 {
        let (name, value, after) = member(rest)?;
        if name == "id" {
            return usable(value);
        }
        rest = after.trim_start().strip_prefix(',')?;
    }
    None
}

/// The first member of an object whose value is a text or a number that ends within the text.
fn member(text: &str) -> Option<(String, Value, &str)> {
    let mut names = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let name = names.next()?.ok()?;
    let text = text[names.byte_offset()..].trim_start().strip_prefix(':')?;
    if text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let after = &text[values.byte_offset()..];
    (!after.is_empty()).then_some((name, value, after))
}

/// The id in `…,"id":7}` or `…,"jsonrpc":"2.0","id":7}`: the last brace closes the message, so what stands right before it
/// is a member of the message.
fn id_at_end(end: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(end);
    let text = text.trim_end().strip_suffix('}')?;
    let (before, value) = text.rsplit_once("\"id\"")?;
    let is_member = before.trim_end().ends_with([',', '{']);
    let value = serde_json::from_str(value.trim_start().strip_prefix(':')?).ok()?;
    if is_member { usable(value) } else { None }
}

fn usable(id: Value) -> Option<Value> {
    Some(id).filter(|id| id.is_i64() || id.is_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<Value>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let input = format!("{line}\nnext\n");
        let mut input = input.as_bytes();
        runtime.block_on(async {
            let Line::TooLong { id } = next(&mut input, 1000).await else { panic!("{line} is long") };
            assert_eq!(id, expected, "{}", &line[..60]);
            assert!(matches!(next(&mut input, 1000).await, Line::Whole(line) if line == b"next\n"));
        });
    }

    #[test]
    fn the_id_of_a_line_that_is_too_long_is_found_at_either_end() {
        let long = "x".repeat(100_000);
        check(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":{{"a":"{long}"}}}}"#), Some(json!(7)));
        check(
            &format!(r#"{{"method":"m","params":{{"a":"{long}"}},"jsonrpc":"2.0","id":"seven"}}"#),
            Some(json!("seven")),
        );
        check(&format!(r#"{{"method":"m","params":{{"a":"{long}"}}, "id" : 7 }}  "#), Some(json!(7)));
    }

    #[test]
    fn an_id_further_in_is_not_taken_for_it() {
        let long = "x".repeat(100_000);
        check(&format!(r#"{{"method":"m","params":{{"a":"{long}","id":7}}}}"#), None);
        check(&format!(r#"{{"params":{{"id":7,"a":"{long}"}},"method":"m"}}"#), None);
        check(&format!(r#"{{"method":"m","params":{{"a":"{long}"}},"b\"id":7}}"#), None);
        check(&format!(r#"{{"jsonrpc":"2.0","id":{}"#, "7".repeat(100_000)), None);
        check(&long, None);
    }
}
