//! Why something could not be sealed, proved or examined.

use ledger::{CommitError, ReadError};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the key of checkpoints cannot be read: {0}")]
    Key(&'static str),
    #[error("this is no signed checkpoint: {0}")]
    Note(&'static str),
    #[error("sequence {sequence} has not happened yet; the last one is {head}")]
    NotYet { sequence: u64, head: u64 },
    #[error("there is no audit record {index}; {size} are sealed, from 0")]
    NoRecord { index: u64, size: u64 },
    #[error("audit record {index} is not here any more, or is not the one that was sealed; only its hash is left")]
    Removed { index: u64 },
    #[error(
        "the tree of {0} lacks a tile, so nothing can be proved with it; `chancery audit verify` says what is wrong"
    )]
    Tile(String),
    #[error("the tree could not be computed: {0}")]
    Tree(#[from] tlog_tiles::tlog::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Commit(#[from] CommitError),
}
