//! What a token says, and whether it is good here and now.

use scope::Timestamp;
use serde_json::{Map, Value};

use crate::Config;

/// How far the clocks of an issuer and ours may be apart.
const LEEWAY_S: i64 = 30;
/// Deepest nesting of claims.
const DEPTH_MAX: usize = 16;
/// Longest subject.
const SUBJECT_CHARS_MAX: usize = 255;
const SECOND_US: i64 = 1_000_000;

/// Why a token is no good. The texts are for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("its signature is not of the issuer")]
    Signature,
    #[error("its claims cannot be read, or one of them stands twice")]
    Unreadable,
    #[error("it is not a token for access")]
    Type,
    #[error("it is for another audience")]
    Audience,
    #[error("it has expired or has no end")]
    Expired,
    #[error("it is not good yet; are the clocks right?")]
    Early,
    #[error("it lives longer than is permitted")]
    TooLong,
    #[error("it is of another issuer")]
    Issuer,
    #[error("it names no usable subject")]
    Subject,
    #[error("it is bound to a key that was not shown")]
    Bound,
}

/// The claims of a token, each name once.
#[derive(Debug, Clone)]
pub struct Claims {
    all: Map<String, Value>,
    /// Whether it is known to be a token for access.
    is_typed: bool,
}

impl Claims {
    /// Reads claims whose source is known. `is_typed` when the header says that it is a token for access.
    pub fn read(text: &[u8], is_typed: bool) -> Result<Self, Refusal> {
        match spine::json::parse(text, DEPTH_MAX) {
            Ok(Value::Object(all)) => Ok(Self { all, is_typed }),
            _ => Err(Refusal::Unreadable),
        }
    }

    /// A claim by its name, in which a dot leads into an object. A name with dots of its own goes first.
    pub fn get(&self, name: &str) -> Option<&Value> {
        fn inner<'a>(all: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
            if let Some(value) = all.get(name) {
                return Some(value);
            }
            let (outer, rest) = name.split_once('.')?;
            inner(all.get(outer)?.as_object()?, rest)
        }
        inner(&self.all, name)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    pub fn subject(&self) -> &str {
        self.text("sub").unwrap_or_default()
    }

    pub fn expires(&self) -> Option<Timestamp> {
        self.moment("exp").ok().flatten()
    }

    /// A date in seconds; an error when it is something else.
    fn moment(&self, name: &str) -> Result<Option<Timestamp>, Refusal> {
        let Some(value) = self.all.get(name) else { return Ok(None) };
        let seconds = match (value.as_i64(), value.as_f64()) {
            (Some(seconds), _) => seconds,
            #[expect(clippy::cast_possible_truncation, reason = "saturates, and such a date is refused")]
            (None, Some(seconds)) => seconds as i64,
            _ => return Err(Refusal::Unreadable),
        };
        Ok(Some(Timestamp(seconds.saturating_mul(SECOND_US))))
    }

    fn audiences(&self) -> Vec<&str> {
        match self.all.get("aud") {
            Some(Value::String(one)) => vec![one],
            // One that is no text makes the list none of ours.
            Some(Value::Array(several)) => {
                several.iter().map(Value::as_str).collect::<Option<Vec<_>>>().unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}

/// What a token must say.
#[derive(Debug, Clone)]
pub struct Expected {
    plain_tokens: bool,
    lifetime_s_max: i64,
    audiences: Vec<String>,
}

impl Expected {
    pub fn of(config: &Config) -> Self {
        Self {
            plain_tokens: config.plain_tokens,
            lifetime_s_max: i64::try_from(config.token_seconds_max).unwrap_or(i64::MAX),
            audiences: config.audiences.clone(),
        }
    }

    /// Judges claims whose signature is `issuer`'s. The audience goes first, so that a token for somebody else is told so
    /// whatever else is wrong with it.
    pub fn check(&self, claims: &Claims, issuer: &str, own: &[String], now: Timestamp) -> Result<(), Refusal> {
        let is_ours = |audience: &&str| own.iter().chain(&self.audiences).any(|known| same_address(known, audience));
        if !claims.audiences().iter().any(is_ours) {
            return Err(Refusal::Audience);
        }
        let leeway = LEEWAY_S * SECOND_US;
        let expires = claims.moment("exp")?.ok_or(Refusal::Expired)?;
        if expires.plus_micros(leeway) <= now {
            return Err(Refusal::Expired);
        }
        let (from, issued) = (claims.moment("nbf")?, claims.moment("iat")?);
        if [from, issued].into_iter().flatten().any(|moment| moment > now.plus_micros(leeway)) {
            return Err(Refusal::Early);
        }
        let lifetime = expires.0.saturating_sub(issued.unwrap_or(now).0);
        if lifetime > self.lifetime_s_max.saturating_mul(SECOND_US).saturating_add(leeway) {
            return Err(Refusal::TooLong);
        }
        if claims.text("iss") != Some(issuer) {
            return Err(Refusal::Issuer);
        }
        let is_access = claims.is_typed || self.plain_tokens || claims.text("typ") == Some("Bearer");
        if !is_access || claims.text("typ").is_some_and(|kind| kind.eq_ignore_ascii_case("id")) {
            return Err(Refusal::Type);
        }
        let subject = claims.subject();
        let is_plain = !subject.trim().is_empty() && !subject.chars().any(char::is_control);
        if !is_plain || subject.chars().count() > SUBJECT_CHARS_MAX {
            return Err(Refusal::Subject);
        }
        if claims.all.contains_key("cnf") {
            return Err(Refusal::Bound);
        }
        Ok(())
    }
}

/// Whether two audiences are the same, where scheme and host of an address may be written in capitals.
fn same_address(known: &str, given: &str) -> bool {
    if known == given {
        return true;
    }
    let split = |text: &str| {
        let (scheme, rest) = text.split_once("://")?;
        let at = rest.find('/').unwrap_or(rest.len());
        Some((scheme.to_ascii_lowercase(), rest[..at].to_ascii_lowercase(), rest[at..].to_owned()))
    };
    match (split(known), split(given)) {
        (Some(known), Some(given)) => known == given,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const HERE: &str = "https://mcp.example.org/t/mcp";

    fn good() -> Value {
        json!({ "iss": "https://id.example.org", "sub": "ann", "aud": HERE, "exp": 2000, "iat": 1000, "nbf": 1000 })
    }

    fn outcome(text: &str, is_typed: bool) -> Result<(), Refusal> {
        let claims = Claims::read(text.as_bytes(), is_typed)?;
        let config = Config { token_seconds_max: 3600, audiences: vec!["client-7".to_owned()], ..Config::default() };
        let now = Timestamp(1500 * SECOND_US);
        Expected::of(&config).check(&claims, "https://id.example.org", &[HERE.to_owned()], now)
    }

    #[track_caller]
    fn check(name: &str, value: Value, expected: Result<(), Refusal>) {
        let mut claims = good();
        claims[name] = value;
        assert_eq!(outcome(&claims.to_string(), true), expected, "{claims}");
    }

    #[track_caller]
    fn check_without(name: &str, expected: Refusal) {
        let mut claims = good();
        claims.as_object_mut().unwrap().remove(name);
        assert_eq!(outcome(&claims.to_string(), true), Err(expected), "{claims}");
    }

    #[test]
    fn a_token_for_this_endpoint_is_good() {
        assert_eq!(outcome(&good().to_string(), true), Ok(()));
        check("aud", json!(["https://other.example.org", HERE]), Ok(()));
        check("aud", json!("HTTPS://MCP.example.org/t/mcp"), Ok(()));
        check("aud", json!("client-7"), Ok(()));
        check("exp", json!(2000.5), Ok(()));
    }

    #[test]
    fn a_token_for_another_place_is_not() {
        for audience in [
            json!("https://mcp.example.org/T/mcp"),
            json!(HERE.to_owned() + "/"),
            json!({ "a": HERE }),
            json!([HERE, 7]),
        ] {
            check("aud", audience, Err(Refusal::Audience));
        }
        check_without("aud", Refusal::Audience);
        let bare = json!({ "sub": "ann", "aud": "elsewhere" });
        assert_eq!(outcome(&bare.to_string(), true), Err(Refusal::Audience));
    }

    #[test]
    fn clocks_may_be_half_a_minute_apart_and_no_more() {
        check("exp", json!(1471), Ok(()));
        check("exp", json!(1470), Err(Refusal::Expired));
        check("nbf", json!(1530), Ok(()));
        check("nbf", json!(1531), Err(Refusal::Early));
        check("iat", json!(1530), Ok(()));
        check("iat", json!(2100), Err(Refusal::Early));
        check("exp", json!("2000"), Err(Refusal::Unreadable));
        check("exp", json!(1000 + 3600 + 31), Err(Refusal::TooLong));
        check("exp", json!(i64::MAX), Err(Refusal::TooLong));
        check_without("exp", Refusal::Expired);
    }

    #[test]
    fn issuer_and_subject_are_plain_texts() {
        check("iss", json!(["https://id.example.org"]), Err(Refusal::Issuer));
        check("iss", json!("https://id.example.org/"), Err(Refusal::Issuer));
        check_without("iss", Refusal::Issuer);
        for subject in [json!(""), json!(" "), json!("ann\nadmin"), json!("a\u{0}"), json!(7), json!("a".repeat(256))] {
            check("sub", subject, Err(Refusal::Subject));
        }
        check_without("sub", Refusal::Subject);
    }

    #[test]
    fn a_token_bound_to_a_key_is_not_good_alone() {
        check("cnf", json!({ "jkt": "x" }), Err(Refusal::Bound));
    }

    #[test]
    fn only_tokens_for_access_open_the_gate() {
        let mut claims = good();
        assert_eq!(outcome(&claims.to_string(), false), Err(Refusal::Type));
        claims["typ"] = "Bearer".into();
        assert_eq!(outcome(&claims.to_string(), false), Ok(()));
        claims["typ"] = "ID".into();
        assert_eq!(outcome(&claims.to_string(), false), Err(Refusal::Type));
        assert_eq!(outcome(&claims.to_string(), true), Err(Refusal::Type));
    }

    #[test]
    fn no_claim_stands_twice() {
        let twice = good().to_string().replacen('{', r#"{"tenantId":"a","tenantId":"b","#, 1);
        assert_eq!(outcome(&twice, true), Err(Refusal::Unreadable));
        let deep = good().to_string().replacen('{', r#"{"realm_access":{"roles":[],"roles":["admin"]},"#, 1);
        assert_eq!(outcome(&deep, true), Err(Refusal::Unreadable));
        assert_eq!(outcome("[]", true), Err(Refusal::Unreadable));
    }
}
