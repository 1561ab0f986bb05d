//! How somebody who was turned away finds the way in (RFC 6750, RFC 9728).

use serde_json::{Value, json};

use super::Rejection;

/// What a client asks for first: enough to see and call tools. Whatever else a call needs is asked for when it is made.
pub const FIRST_SCOPES: &str = "mcp:tools mcp:resources";

impl Rejection {
    /// What `WWW-Authenticate` says; `None` where a new token would not help. `metadata` leads to an issuer, if one is known.
    pub fn challenge(&self, metadata: Option<&str>) -> Option<String> {
        let (error, scope) = match self {
            Self::Unidentified => (None, FIRST_SCOPES),
            Self::Token | Self::Audience => (Some("invalid_token"), FIRST_SCOPES),
            Self::Scope(needed) => (Some("insufficient_scope"), needed.as_str()),
            _ => return None,
        };
        let error = error.map(|error| ("error", error));
        let metadata = metadata.map(|url| ("resource_metadata", url));
        let parts: Vec<String> = error
            .into_iter()
            .chain([("scope", scope)])
            .chain(metadata)
            .map(|(name, value)| format!("{name}=\"{value}\""))
            .collect();
        Some(format!("Bearer {}", parts.join(", ")))
    }

    /// The body of an answer about a token or a right, as OAuth words it; `None` for what is no matter of either.
    pub fn oauth_error(&self) -> Option<Value> {
        let error = match self {
            Self::Unidentified => "unauthorized",
            Self::Token | Self::Audience => "invalid_token",
            Self::TokenPlace => "invalid_request",
            Self::Scope(_) => "insufficient_scope",
            Self::Role | Self::Tenant => "forbidden",
            Self::IssuerDown { .. } => "temporarily_unavailable",
            _ => return None,
        };
        Some(json!({ "error": error, "error_description": self.to_string() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rejection: Rejection, metadata: Option<&str>, expected: Option<&str>) {
        assert_eq!(rejection.challenge(metadata).as_deref(), expected);
    }

    #[test]
    fn a_challenge_names_the_metadata_and_the_scopes() {
        let at = Some("https://h/.well-known/oauth-protected-resource/t/mcp");
        check(
            Rejection::Unidentified,
            at,
            Some(
                "Bearer scope=\"mcp:tools mcp:resources\", \
                 resource_metadata=\"https://h/.well-known/oauth-protected-resource/t/mcp\"",
            ),
        );
        let invalid = "Bearer error=\"invalid_token\", scope=\"mcp:tools mcp:resources\"";
        check(Rejection::Token, None, Some(invalid));
        check(Rejection::Audience, None, Some(invalid));
        let scope = Rejection::Scope("t:special t:write".to_owned());
        check(scope, None, Some("Bearer error=\"insufficient_scope\", scope=\"t:special t:write\""));
    }

    #[test]
    fn where_a_new_token_does_not_help_there_is_no_challenge() {
        for rejection in [Rejection::Role, Rejection::Tenant, Rejection::Host, Rejection::Origin] {
            check(rejection, Some("https://h"), None);
        }
    }
}
