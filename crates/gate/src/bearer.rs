//! The token in a request.

use http::{HeaderMap, header};
use spine::admission::Rejection;

/// A longer token is not looked at.
pub const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// The bearer token of a request, if it has one. Another scheme is none.
pub fn token(headers: &HeaderMap) -> Result<Option<&str>, Rejection> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| Rejection::Token)?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let token = token.trim_matches(' ');
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || token.len() > TOKEN_BYTES_MAX || !token.bytes().all(is_plain) {
        return Err(Rejection::Token);
    }
    Ok(Some(token))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_a_bearer_token_is_one() {
        check("Bearer abc.def", Ok(Some("abc.def")));
        check("bearer  abc", Ok(Some("abc")));
        check("Basic abc", Ok(None));
        check("DPoP abc", Ok(None));
        check("Bearer", Err(Rejection::Token));
        check("Bearer a b", Err(Rejection::Token));
        check("Bearer a\tb", Err(Rejection::Token));
        check("Bearer \"a\"", Err(Rejection::Token));
        check(&format!("Bearer {}", "a".repeat(TOKEN_BYTES_MAX)), Ok(Some(&"a".repeat(TOKEN_BYTES_MAX))));
        check(&format!("Bearer {}", "a".repeat(TOKEN_BYTES_MAX + 1)), Err(Rejection::Token));
    }

    #[track_caller]
    fn check(value: &str, expected: Result<Option<&str>, Rejection>) {
        let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap())]);
        assert_eq!(token(&headers), expected);
    }
}
