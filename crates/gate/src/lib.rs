//! Gate: who a caller is.
//!
//! A caller over HTTP shows a token: one that an issuer signed ([`jwt`], with the keys that [`issuer`] keeps), one that an
//! issuer is asked about ([`introspection`]), one that this server issued ([`issued`]), or the secret of this machine's owner
//! ([`owner`]). [`claims`] judges what a token says, [`caller`] turns it into a principal and a tenant, [`people`] knows whom
//! the operator gave other roles or sent away, [`metadata`] tells clients where tokens come from and [`login`] is such a
//! client. Start with [`Gate`], which puts them in order.
//!
//! Invariants:
//! * nothing in a token decides whom we ask or which algorithm we use: addresses come from the configuration, algorithms from
//!   the key;
//! * an answer about a bad token is one of three texts; the reason is for the log;
//! * no token is logged or kept: what is remembered of one is its hash.

mod bearer;
mod caller;
mod claims;
mod config;
mod crypto;
mod introspection;
pub mod issued;
mod issuer;
mod jwt;
mod keys;
pub mod login;
mod metadata;
pub mod owner;
pub mod people;
mod remembered;
mod stamp;

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use outbound::Client;
use scope::Timestamp;
use spine::admission::{Asked, Door, Identified, Identity, LocalIdentity, Rejection};

pub use config::Config;
pub use metadata::Resources;

use caller::Mapping;
use claims::{Expected, Refusal};
use introspection::Introspection;
use issued::Issued;
use issuer::Issuer;
use jwt::Token;
use owner::Owner;
use people::People;
use remembered::Remembered;

/// How long a token that was verified is not verified again, at most.
const VERIFIED_FOR_S: i64 = 60;
/// When it is worth coming again while an issuer cannot be reached.
const RETRY_AFTER_S: u64 = 30;

/// What a gate is made of, besides its configuration.
pub struct Parts<'a> {
    pub config: &'a Config,
    pub data: &'a Path,
    /// The owner of this machine and who is served in its name.
    pub local: LocalIdentity,
    /// Whether callers on loopback need no token.
    pub open: bool,
    /// The token that the environment gives to a client over stdio.
    pub environment: Option<String>,
    pub resources: Resources,
}

/// Why a gate cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("auth.{setting}: {address} {reason}")]
    Address { setting: &'static str, address: String, reason: outbound::Error },
    #[error("auth.{setting} goes with one issuer only; leave it out, or name a single one in auth.issuers")]
    SeveralIssuers { setting: &'static str },
    #[error("{0}")]
    Owner(#[from] owner::Error),
}

/// Knows callers by their tokens.
pub struct Gate {
    local: LocalIdentity,
    open: bool,
    environment: Option<String>,
    owner: Owner,
    issued: Issued,
    issuers: Vec<Arc<Issuer>>,
    introspection: Option<Introspection>,
    mapping: Mapping,
    people: People,
    resources: Resources,
    expected: Expected,
    remembered: Remembered,
}

impl Gate {
    /// Makes the owner's secret when there is none. Nobody is asked yet.
    pub fn new(parts: Parts<'_>) -> Result<Self, Error> {
        crypto::install();
        let Parts { config, data, local, open, environment, resources } = parts;
        refuse_several_issuers(config)?;
        let authorities = (!config.authorities.is_empty()).then(|| config.authorities.clone().into());
        let client = Client::new(authorities);
        let issuer = |url: &String| Issuer::new(url, &config.jwks_url, client.clone()).map(Arc::new);
        Ok(Self {
            local,
            open,
            environment,
            owner: Owner::open(data)?,
            issued: Issued::at(data),
            issuers: config.issuers.iter().map(issuer).collect::<Result<_, _>>()?,
            introspection: Introspection::of(config, client.clone()),
            mapping: Mapping::of(config),
            people: People::at(data).by_rule(config.provisioning, config.tenants.clone()),
            resources,
            expected: Expected::of(config),
            remembered: Remembered::default(),
        })
    }

    /// Reads the keys of all issuers, so that the first caller need not wait.
    pub async fn warm(&self, now: Timestamp) {
        for issuer in &self.issuers {
            issuer.refresh(now).await;
        }
    }

    /// The pages that lead clients to a token.
    pub fn router(&self) -> axum::Router {
        metadata::router(&self.resources, &self.issuers)
    }

    /// What is known about a token that is our own, or that was here a short while ago.
    fn familiar(&self, token: &str, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        if let Some(secret) = self.owner.knows(token) {
            return Some(if secret { Ok(self.local.at(asked.door)) } else { Err(Rejection::Token) });
        }
        self.issued.find(token, asked).or_else(|| self.remembered.get(token, asked).map(Ok))
    }

    /// What is known about a token without asking anybody.
    fn known(&self, token: &str, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        if let Some(known) = self.familiar(token, asked) {
            return Some(known);
        }
        let token = match Token::read(token) {
            Ok(token) => token,
            Err(reason) if self.introspection.is_none() || reason != jwt::Unread::Opaque => {
                tracing::debug!(?reason, "a token was refused");
                return Some(Err(Rejection::Token));
            }
            Err(_) => return None,
        };
        self.verified(&token, asked)
    }

    /// The outcome of verifying with the keys at hand; `None` when none of them is the token's.
    fn verified(&self, token: &Token<'_>, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        let mut outcome = None;
        for issuer in self.issuers.iter().filter(|issuer| token.may_be_of(issuer.url())) {
            let Some(keys) = issuer.keys(asked.now) else { continue };
            issuer.refresh_when_due(asked.now);
            for key in keys.find(token.kid()) {
                let claims = token.verify(key).and_then(|claims| {
                    let audiences = self.resources.audiences(asked.endpoint);
                    self.expected.check(&claims, issuer.url(), &audiences, asked.now).map(|()| claims)
                });
                outcome = Some(match claims {
                    Ok(claims) => {
                        let who = self.mapping.caller(&claims, issuer.url());
                        self.remembered.keep(token.text(), asked, &who, VERIFIED_FOR_S);
                        return Some(Ok(who));
                    }
                    Err(refusal) => Err(self.refused(refusal, issuer)),
                });
            }
        }
        outcome
    }

    fn refused(&self, refusal: Refusal, issuer: &Issuer) -> Rejection {
        tracing::debug!(%refusal, issuer = issuer.url(), "a token was refused");
        match refusal {
            Refusal::Audience => Rejection::Audience,
            _ => Rejection::Token,
        }
    }

    async fn ask(&self, text: &str, asked: &Asked<'_>) -> Result<Identified, Rejection> {
        let Ok(token) = Token::read(text) else { return self.introspect(text, asked).await };
        let mut reached = !self.issuers.is_empty();
        for issuer in self.issuers.iter().filter(|issuer| token.may_be_of(issuer.url())) {
            reached &= issuer.look_for(token.kid(), asked.now).await;
        }
        match self.verified(&token, asked) {
            Some(outcome) => outcome,
            None if reached => Err(Rejection::Token),
            None if self.issuers.is_empty() => Err(Rejection::Token),
            None => Err(Rejection::IssuerDown { retry_after_s: RETRY_AFTER_S }),
        }
    }

    async fn introspect(&self, token: &str, asked: &Asked<'_>) -> Result<Identified, Rejection> {
        let Some(introspection) = &self.introspection else { return Err(Rejection::Token) };
        let mut reached = true;
        for issuer in &self.issuers {
            let claims = match introspection.ask(issuer, token, asked.now).await {
                Ok(Some(claims)) => claims,
                Ok(None) => continue,
                Err(error) => {
                    tracing::warn!(%error, issuer = issuer.url(), "a token could not be introspected");
                    reached = false;
                    continue;
                }
            };
            let audiences = self.resources.audiences(asked.endpoint);
            if let Err(refusal) = self.expected.check(&claims, issuer.url(), &audiences, asked.now) {
                return Err(self.refused(refusal, issuer));
            }
            let who = self.mapping.caller(&claims, issuer.url());
            self.remembered.keep(token, asked, &who, introspection::REMEMBERED_FOR_S);
            return Ok(who);
        }
        Err(if reached { Rejection::Token } else { Rejection::IssuerDown { retry_after_s: RETRY_AFTER_S } })
    }

    /// The same caller as the operator knows them. The owner of this machine is nobody's to judge.
    fn placed(&self, who: Identified, now: Timestamp) -> Identified {
        if who.principal.issuer == owner::ISSUER { who } else { self.people.placed(who, now) }
    }

    /// The token that somebody shows; `None` when they need none.
    fn shown<'a>(&'a self, door: Door<'a>) -> Result<Option<&'a str>, Rejection> {
        match door {
            Door::CommandLine => Ok(None),
            Door::Stdio => Ok(self.environment.as_deref()),
            Door::Http(headers) => match bearer::token(headers)? {
                None if self.open => Ok(None),
                None => Err(Rejection::Unidentified),
                shown => Ok(shown),
            },
        }
    }
}

impl Identity for Gate {
    fn identify(&self, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        match self.shown(asked.door) {
            Ok(None) => Some(Ok(self.local.at(asked.door))),
            Ok(Some(token)) => Some(self.known(token, asked)?.map(|who| self.placed(who, asked.now))),
            Err(rejection) => Some(Err(rejection)),
        }
    }

    fn recognise(&self, asked: &Asked<'_>) -> Option<Identified> {
        match self.shown(asked.door).ok()? {
            None => Some(self.local.at(asked.door)),
            Some(token) => self.familiar(token, asked)?.ok().map(|who| self.placed(who, asked.now)),
        }
    }

    fn find_out<'a>(&'a self, asked: Asked<'a>) -> BoxFuture<'a, Result<Identified, Rejection>> {
        Box::pin(async move {
            match self.shown(asked.door)? {
                None => Ok(self.local.at(asked.door)),
                Some(token) => self.ask(token, &asked).await.map(|who| self.placed(who, asked.now)),
            }
        })
    }

    fn metadata_url(&self, endpoint: &str) -> Option<String> {
        (!self.issuers.is_empty()).then(|| self.resources.metadata_url(endpoint))
    }
}

/// Refuses what would let one issuer sign for another, or show it the tokens and the secret that are another's.
fn refuse_several_issuers(config: &Config) -> Result<(), Error> {
    let of_one = [("jwks_url", &config.jwks_url), ("introspection_client", &config.introspection_client)];
    match of_one.into_iter().find(|(_, value)| !value.is_empty()) {
        Some((setting, _)) if config.issuers.len() > 1 => Err(Error::SeveralIssuers { setting }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
