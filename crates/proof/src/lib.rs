//! Proof: lets anyone check, without trusting this server, that history was not changed.
//!
//! Fact `n` of a tenant is leaf `n - 1` of a Merkle tree (RFC 6962), and its audit records are the leaves of another. A
//! [`Notary`] makes the trees grow after the commits and signs a checkpoint over each batch; it is never on the way of a
//! write. [`Evidence`] is what a third party needs to check one fact offline: the leaf, its path, the checkpoint.
//! [`Examination`] reads everything again and names the first leaf that does not fit.
//!
//! Trees and checkpoints are those of c2sp.org/tlog-tiles and tlog-checkpoint, signatures those of c2sp.org/signed-note with
//! Ed25519, so other programs understand them. Start with [`Notary`].
//!
//! Invariants:
//! * what was signed about a tree of a size stays true as it grows;
//! * a leaf is the text of its row in canonical JSON (RFC 8785), so a changed byte of the row is another leaf.

mod error;
mod evidence;
mod examine;
mod key;
mod leaf;
mod leaves;
mod merkle;
mod notary;
mod note;
mod records;

pub use error::Error;
pub use evidence::Evidence;
pub use examine::{Examination, Trust};
pub use key::{SigningKey, VerifyingKey};
pub use leaf::{canonical, of_change, of_fact};
pub use leaves::AuditLeaf;
pub use merkle::leaf_hash;
pub use notary::{Notary, Sealed};
pub use note::{Signed, checkpoint_text};
pub use records::{Changes, Records, Row};
