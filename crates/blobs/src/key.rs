//! Where a blob lies: `bucket/user/content_hash`, within the walls of a tenant.

use std::fmt;
use std::path::PathBuf;

use scope::TenantId;
use sha2::{Digest, Sha256};

/// Longest part of a path.
const SEGMENT_CHARS_MAX: usize = 128;
/// What the part of an id starts with that had to be hashed.
const HASHED: &str = "sha256-";

/// A text that is no path of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a path is bucket/user/content_hash, of letters, digits, '.', '_' and '-'")]
pub struct InvalidKey;

/// The blobs of one user in one bucket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Folder {
    tenant: TenantId,
    bucket: String,
    user: String,
}

impl Folder {
    /// Checks both parts; [`segment`] makes one of any id.
    pub fn new(tenant: &TenantId, bucket: &str, user: &str) -> Result<Self, InvalidKey> {
        if is_segment(bucket) && is_segment(user) {
            Ok(Self { tenant: tenant.clone(), bucket: bucket.to_owned(), user: user.to_owned() })
        } else {
            Err(InvalidKey)
        }
    }

    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    pub fn user(&self) -> &str {
        &self.user
    }

    /// Relative to the root of a store.
    pub(crate) fn location(&self) -> PathBuf {
        [&segment(self.tenant.as_str()), &self.bucket, &self.user].iter().collect()
    }
}

/// One blob. Written as `bucket/user/content_hash`; the tenant is not part of the text, it comes from the credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    folder: Folder,
    hash: String,
}

impl Key {
    /// Reads the text form for a tenant.
    pub fn parse(tenant: &TenantId, path: &str) -> Result<Self, InvalidKey> {
        let parts: Vec<&str> = path.split('/').collect();
        let [bucket, user, hash] = parts[..] else { return Err(InvalidKey) };
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hash {
            return Err(InvalidKey);
        }
        Ok(Self { folder: Folder::new(tenant, bucket, user)?, hash: hash.to_owned() })
    }

    pub(crate) fn new(folder: &Folder, hash: [u8; 32]) -> Self {
        Self { folder: folder.clone(), hash: hex::encode(hash) }
    }

    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn hash(&self) -> &str {
        &self.hash
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.folder.bucket, self.folder.user, self.hash)
    }
}

/// An id as one part of a path: itself where it can be, its SHA-256 otherwise. Different ids have different parts.
pub fn segment(id: &str) -> String {
    if is_segment(id) && !id.starts_with(HASHED) {
        return id.to_owned();
    }
    format!("{HASHED}{}", hex::encode(Sha256::digest(id)))
}

/// No part is hidden or means a folder above, and none needs an escape in an address.
fn is_segment(text: &str) -> bool {
    (1..=SEGMENT_CHARS_MAX).contains(&text.len())
        && !text.starts_with('.')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[track_caller]
    fn check(path: &str, expected: Result<(), InvalidKey>) {
        let tenant = TenantId::new("acme").unwrap();
        let read = Key::parse(&tenant, path);
        assert_eq!(read.clone().map(|_| ()), expected, "{path}");
        if let Ok(key) = read {
            assert_eq!(key.to_string(), path);
        }
    }

    // N-095
    #[test]
    fn a_path_is_a_bucket_a_user_and_a_hash() {
        check(&format!("sources/u-1/{HASH}"), Ok(()));
        check(&format!("sources/a.b_c/{HASH}"), Ok(()));
        let wrong = [
            format!("sources/../{HASH}"),
            format!("../u/{HASH}"),
            format!("./u/{HASH}"),
            format!("sources/.hidden/{HASH}"),
            format!("sources//{HASH}"),
            format!("/sources/u/{HASH}"),
            format!("sources/u/{HASH}/"),
            format!("sources/u/v/{HASH}"),
            format!("sources/u%2f/{HASH}"),
            format!("sources/u\\v/{HASH}"),
            format!("sources/u\0/{HASH}"),
            format!("sources/é/{HASH}"),
            format!("sources/{}/{HASH}", "u".repeat(SEGMENT_CHARS_MAX + 1)),
            format!("sources/u/{}", HASH.to_uppercase()),
            format!("sources/u/{}", &HASH[1..]),
            "sources/u/..".to_owned(),
            String::new(),
        ];
        wrong.iter().for_each(|path| check(path, Err(InvalidKey)));
    }

    #[test]
    fn any_id_has_a_part_of_its_own() {
        assert_eq!(segment("acme"), "acme");
        let odd = ["local|owner", "..", ".", "a/b", "a b", "é", "", &segment("local|owner"), &"x".repeat(500)];
        let parts: std::collections::BTreeSet<String> = odd.iter().map(|id| segment(id)).collect();
        assert_eq!(parts.len(), odd.len());
        assert!(parts.iter().all(|part| is_segment(part)), "{parts:?}");
    }
}
