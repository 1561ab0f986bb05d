//! Tokens that this server issues itself, for scripts and small teams without an issuer.
//!
//! Each is a file in the data directory that holds the hash of its secret. Whenever the token is shown, the file is looked at,
//! so that one that was revoked is no good from then on, in every process. What it says is kept in memory until it changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quick_cache::sync::Cache;
use scope::{Principal, PrincipalKind, Scope, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use spine::admission::{Asked, Identified, Rejection};

use crate::caller::with_implied;
use crate::owner::private_file;
use crate::stamp::Stamp;

/// How every token of ours starts, the owner's too.
const PREFIX: &str = "chancery_";
/// Who vouches for whoever shows one.
const ISSUER: &str = "token";
const FOLDER: &str = "tokens";
const ID_BYTES: usize = 8;
const SECRET_BYTES: usize = 32;
/// How many tokens are kept in memory. Those that were not shown for longest go first.
const KEPT_MAX: usize = 10_000;

/// What a token is good for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Whose it is.
    pub subject: String,
    pub kind: PrincipalKind,
    pub tenant: TenantId,
    pub roles: BTreeSet<String>,
    pub scopes: BTreeSet<String>,
    /// The types of agent that it may act as.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub agents: BTreeSet<String>,
    /// The capabilities whose endpoints it opens; all when empty.
    pub endpoints: BTreeSet<String>,
    pub issued: Timestamp,
    pub expires: Timestamp,
    /// The definition of the agent that shows it, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

/// A grant with what recognises its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    /// SHA-256 of the secret, in hexadecimal. The secret is random, so it cannot be guessed from this.
    hash: String,
    #[serde(flatten)]
    grant: Grant,
}

/// The tokens of a data directory.
#[derive(Debug)]
pub struct Issued {
    folder: PathBuf,
    kept: Cache<String, Arc<Kept>>,
}

/// What a file said when it was last read.
#[derive(Debug)]
struct Kept {
    stamp: Stamp,
    hash: String,
    endpoints: BTreeSet<String>,
    who: Identified,
}

impl Issued {
    pub fn at(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), kept: Cache::new(KEPT_MAX) }
    }

    /// Issues a token: its id, and the text that is shown once and kept nowhere.
    pub fn issue(&self, grant: Grant) -> std::io::Result<(String, String)> {
        let (id, secret): ([u8; ID_BYTES], [u8; SECRET_BYTES]) = (rand::random(), rand::random());
        let (id, secret) = (hex::encode(id), hex::encode(secret));
        let stored = Stored { hash: hash(&secret), grant };
        make_private(&self.folder)?;
        let aside = self.folder.join(format!(".{id}"));
        private_file(&aside, serde_json::to_string_pretty(&stored)?.as_bytes())?;
        std::fs::rename(&aside, self.path(&id))?;
        Ok((id.clone(), format!("{PREFIX}{id}_{secret}")))
    }

    /// All tokens, oldest first.
    pub fn list(&self) -> std::io::Result<Vec<(String, Grant)>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut all = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json")).filter(|id| is_id(id));
            let Some(id) = id else { continue };
            all.extend(self.read(id).map(|stored| (id.to_owned(), stored.grant)));
        }
        all.sort_by(|(left_id, left), (right_id, right)| (left.issued, left_id).cmp(&(right.issued, right_id)));
        Ok(all)
    }

    /// Makes a token useless at once. False when there is none of that id.
    pub fn revoke(&self, id: &str) -> std::io::Result<bool> {
        if !is_id(id) {
            return Ok(false);
        }
        match std::fs::remove_file(self.path(id)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Who shows a token; `None` when it is none of ours.
    pub(crate) fn find(&self, token: &str, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        let rest = token.strip_prefix(PREFIX)?;
        let (id, secret) = rest.split_once('_').unwrap_or((rest, ""));
        let kept = if is_id(id) { self.kept(id) } else { None };
        let is_good =
            |kept: &Arc<Kept>| hash(secret) == kept.hash && kept.who.expires.is_some_and(|end| asked.now < end);
        let Some(kept) = kept.filter(is_good) else { return Some(Err(Rejection::Token)) };
        if !kept.endpoints.is_empty() && !kept.endpoints.contains(asked.endpoint) {
            return Some(Err(Rejection::Audience));
        }
        Some(Ok(kept.who.clone()))
    }

    /// What the file of a token says now. A file is never written twice, so one that looks the same is the same.
    fn kept(&self, id: &str) -> Option<Arc<Kept>> {
        let Some(stamp) = Stamp::of(&self.path(id)) else {
            self.kept.remove(id);
            return None;
        };
        if let Some(kept) = self.kept.get(id).filter(|kept| kept.stamp == stamp) {
            return Some(kept);
        }
        let Stored { hash, grant } = self.read(id)?;
        let kept = Arc::new(Kept { stamp, hash, endpoints: grant.endpoints.clone(), who: grant.caller() });
        self.kept.insert(id.to_owned(), kept.clone());
        Some(kept)
    }

    fn read(&self, id: &str) -> Option<Stored> {
        let text = std::fs::read(self.path(id)).ok()?;
        let stored = serde_json::from_slice(&text);
        stored
            .inspect_err(|_| tracing::warn!(id, "the file of a token cannot be read; revoke it and issue another"))
            .ok()
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

impl Grant {
    fn caller(self) -> Identified {
        let subject = match self.kind {
            PrincipalKind::Agent => format!("{}/agent", self.subject),
            PrincipalKind::User | PrincipalKind::Service => self.subject,
        };
        let principal = Principal {
            issuer: ISSUER.to_owned(),
            subject,
            kind: self.kind,
            roles: self.roles.into(),
            scopes: with_implied(self.scopes).into(),
            agents: self.agents.into(),
        };
        let scope = Some(Scope { tenant: self.tenant, ..Scope::local() });
        Identified { principal, scope, expires: Some(self.expires), definition: self.definition.map(Into::into) }
    }
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn hash(secret: &str) -> String {
    hex::encode(Sha256::digest(secret))
}

/// Ids are file names, so nothing else is one.
fn is_id(text: &str) -> bool {
    text.len() == 2 * ID_BYTES && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spine::admission::Door;

    fn grant() -> Grant {
        Grant {
            subject: "build".to_owned(),
            kind: PrincipalKind::User,
            tenant: TenantId::new("acme").unwrap(),
            roles: BTreeSet::from(["viewer".to_owned()]),
            scopes: BTreeSet::from(["mcp:tools".to_owned()]),
            agents: BTreeSet::from(["Narrator".to_owned()]),
            endpoints: BTreeSet::from(["t".to_owned()]),
            issued: Timestamp(0),
            expires: Timestamp(1000),
            definition: None,
        }
    }

    fn find(issued: &Issued, token: &str, endpoint: &str, now: i64) -> Option<Result<Identified, Rejection>> {
        issued.find(token, &Asked { door: Door::Stdio, endpoint, now: Timestamp(now), from: None })
    }

    #[test]
    fn a_token_is_good_until_it_ends_or_is_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let issued = Issued::at(folder.path());
        let (id, token) = issued.issue(grant()).unwrap();
        let who = find(&issued, &token, "t", 999).unwrap().unwrap();
        assert_eq!((who.principal.id().as_str(), who.scope.unwrap().tenant.as_str()), ("token|build", "acme"));
        assert_eq!(who.expires, Some(Timestamp(1000)));
        assert_eq!(find(&issued, &token, "t", 1000), Some(Err(Rejection::Token)));
        assert_eq!(find(&issued, &token, "other", 1), Some(Err(Rejection::Audience)));
        assert_eq!(issued.list().unwrap(), [(id.clone(), grant())]);
        // Another process has seen it too, and neither is told when it is revoked.
        let other = Issued::at(folder.path());
        assert!(find(&other, &token, "t", 1).unwrap().is_ok());
        assert!(issued.revoke(&id).unwrap());
        assert_eq!(find(&issued, &token, "t", 1), Some(Err(Rejection::Token)));
        assert_eq!(find(&other, &token, "t", 1), Some(Err(Rejection::Token)));
        assert!(!issued.revoke(&id).unwrap() && issued.list().unwrap().is_empty());
    }

    #[test]
    fn a_token_cannot_be_made_up() {
        let folder = tempfile::tempdir().unwrap();
        let issued = Issued::at(folder.path());
        let (id, token) = issued.issue(grant()).unwrap();
        let wrong = format!("{PREFIX}{id}_{}", "0".repeat(64));
        let outside = folder.path().join("x.json");
        std::fs::copy(folder.path().join("tokens").join(format!("{id}.json")), outside).unwrap();
        for made_up in [
            wrong.as_str(),
            &token[..30],
            "chancery_",
            "chancery_../x_1",
            "chancery_0000000000000000_",
            &(token.clone() + "0"),
        ] {
            assert_eq!(find(&issued, made_up, "t", 1), Some(Err(Rejection::Token)), "{made_up}");
        }
        assert_eq!(find(&issued, "eyJ", "t", 1), None);
        assert!(!issued.revoke("../x").unwrap());
    }

    #[test]
    fn the_secret_is_kept_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let issued = Issued::at(folder.path());
        let (id, token) = issued.issue(grant()).unwrap();
        let kept = std::fs::read_to_string(folder.path().join("tokens").join(format!("{id}.json"))).unwrap();
        assert!(!kept.contains(token.rsplit('_').next().unwrap()), "{kept}");
    }
}
