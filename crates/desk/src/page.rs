//! Page tokens: where a listing goes on, sealed.
//!
//! A token holds the point that the first page was read at and the position after the last item. It is signed with a key
//! of the data directory and belongs to the tenant, the caller, the tool and the arguments that it was given for. It is
//! not secret: nothing in it widens what a caller may read.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use contract::Context;
use hmac::{Hmac, KeyInit as _, Mac as _};
use ledger::{At, Find, Ledger, Seq};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::{Failure, Stored, View};

/// Part of everything that is signed, so that the key's other uses cannot make a token.
const PURPOSE: &[u8] = b"chancery page token 1";
/// Longest token that is looked at; ours are a few hundred characters.
const TOKEN_CHARS_MAX: usize = 8 * 1024;
const SEAL_BYTES: usize = 16;
const BINDING_BYTES: usize = 16;

/// Makes and opens page tokens. Processes that share a data directory share the key.
#[derive(Clone)]
pub struct PageTokens {
    key: Arc<[u8; 32]>,
}

/// A listing, whose pages are continued with tokens of its own.
#[derive(Clone)]
pub struct PagedQuery {
    tokens: PageTokens,
    binding: [u8; BINDING_BYTES],
}

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place<P> {
    /// The point that the first page was read at.
    pub at: Seq,
    /// What the page comes after, in the listing's own terms.
    pub after: P,
}

impl PageTokens {
    pub fn new(secret: &[u8; 32]) -> Self {
        Self { key: Arc::new(*secret) }
    }

    /// The listing of a tool. `arguments` are all that say what is listed and in which pages, without the token.
    pub fn query(&self, ctx: &Context, tool: &str, arguments: &impl Serialize) -> PagedQuery {
        let arguments = serde_json::to_vec(arguments).expect("arguments have only string keys");
        let caller = ctx.principal.id();
        let parts: [&[u8]; 5] = [
            ctx.scope.tenant.as_str().as_bytes(),
            ctx.scope.repository.as_str().as_bytes(),
            caller.as_bytes(),
            tool.as_bytes(),
            &arguments,
        ];
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let mut binding = [0; BINDING_BYTES];
        binding.copy_from_slice(&hash.finalize()[..BINDING_BYTES]);
        PagedQuery { tokens: self.clone(), binding }
    }

    fn seal(&self, signed: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.as_slice()).expect("any length of key will do");
        mac.update(PURPOSE);
        mac.update(signed);
        mac
    }
}

impl PagedQuery {
    /// The token for the page after `after`, of a listing read at `at`.
    pub fn token<P: Serialize>(&self, at: Seq, after: &P) -> String {
        let mut signed = self.binding.to_vec();
        serde_json::to_writer(&mut signed, &(at, after)).expect("a position has only string keys");
        let seal = self.tokens.seal(&signed).finalize().into_bytes();
        BASE64.encode([&seal[..SEAL_BYTES], &signed].concat())
    }

    /// The place that a token stands for; `field` is the argument that it came in.
    pub fn open<P: DeserializeOwned>(&self, field: &str, token: &str) -> Result<Place<P>, Failure> {
        let signed = self.signed(token).ok_or_else(|| not_ours(field))?;
        let (binding, place) = signed.split_at_checked(BINDING_BYTES).ok_or_else(|| not_ours(field))?;
        if binding != self.binding {
            return Err(other_query(field));
        }
        let (at, after) = serde_json::from_slice(place).map_err(|_| not_ours(field))?;
        Ok(Place { at, after })
    }

    /// One page of a listing that the ledger's own order serves: the first, or the one that `token` stands for. With the
    /// view that it was read in, and the token for the page after it.
    pub async fn page<'a, T: DeserializeOwned>(
        &self,
        ledger: &'a dyn Ledger,
        ctx: &'a Context,
        token: Option<&str>,
        find: Find,
    ) -> Result<(View<'a>, Vec<Stored<T>>, Option<String>), Failure> {
        let place = token.map(|token| self.open::<String>("page_token", token)).transpose()?;
        let at = place.as_ref().map_or(At::Head, |place| At::Seq(place.at));
        let view = View::at(ledger, ctx, "page_token", at).await?;
        let page = view.find(Find { after: place.map(|place| place.after), ..find }).await?;
        let next = page.next.map(|next| self.token(view.at, &next));
        Ok((view, page.items, next))
    }

    /// What was signed, if we signed it.
    fn signed(&self, token: &str) -> Option<Vec<u8>> {
        if token.len() > TOKEN_CHARS_MAX {
            return None;
        }
        let mut bytes = BASE64.decode(token).ok()?;
        let signed = bytes.split_off(SEAL_BYTES.min(bytes.len()));
        self.tokens.seal(&signed).verify_truncated_left(&bytes).ok()?;
        (bytes.len() == SEAL_BYTES).then_some(signed)
    }
}

fn not_ours(field: &str) -> Failure {
    let fix = format!("leave {field} out to start again");
    Failure::argument(field, "was not given by this server", fix)
}

/// The refusal of a token that came with other arguments, or from another caller.
pub fn other_query(field: &str) -> Failure {
    let fix = "give the token with the arguments of the page it came from, or leave it out to start again";
    Failure::argument(field, "belongs to a query with other arguments", fix)
}

#[cfg(test)]
mod tests {
    use scope::{Principal, Scope, TenantId};

    use super::*;
    use crate::testing::context;

    fn tokens() -> PageTokens {
        PageTokens::new(&[7; 32])
    }

    fn list() -> PagedQuery {
        tokens().query(&context(), "listEntries", &(20, "filter"))
    }

    #[track_caller]
    fn check(query: &PagedQuery, token: &str, expected: &str) {
        let shown = match query.open::<String>("page_token", token) {
            Ok(Place { at, after }) => format!("{at} {after}"),
            Err(failure) => failure.to_string(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_token_opens_for_the_query_it_was_given_for() {
        check(&list(), &list().token(17, &"e9"), "17 e9");
    }

    #[test]
    fn a_token_of_another_tenant_caller_tool_or_query_is_refused() {
        let ctx = context();
        let other = "page_token belongs to a query with other arguments";
        let tenant = Scope { tenant: TenantId::new("else").unwrap(), ..Scope::local() };
        let elsewhere = Context { scope: tenant, ..ctx.clone() };
        let somebody = Context { principal: Principal::local("somebody"), ..ctx.clone() };
        let token = list().token(17, &"e9");
        check(&tokens().query(&elsewhere, "listEntries", &(20, "filter")), &token, other);
        check(&tokens().query(&somebody, "listEntries", &(20, "filter")), &token, other);
        check(&tokens().query(&ctx, "listOthers", &(20, "filter")), &token, other);
        check(&tokens().query(&ctx, "listEntries", &(21, "filter")), &token, other);
    }

    #[test]
    fn a_token_that_was_changed_or_made_elsewhere_is_refused() {
        let not_ours = "page_token was not given by this server";
        let token = list().token(17, &"e9");
        let mut bytes = BASE64.decode(&token).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        check(&list(), &BASE64.encode(bytes), not_ours);
        let foreign = PageTokens::new(&[8; 32]).query(&context(), "listEntries", &(20, "filter"));
        check(&list(), &foreign.token(17, &"e9"), not_ours);
        for garbage in ["", "A", "!", &token[..20], &token[..token.len() - 4], &"A".repeat(TOKEN_CHARS_MAX + 1)] {
            check(&list(), garbage, not_ours);
        }
    }
}
