//! Pages by limit and offset, and how far totals are counted.

/// Totals are counted up to this many.
pub const COUNT_MAX: u64 = 10_000;

/// Longest page.
const LIMIT_MAX: u32 = 1000;
const LIMIT_DEFAULT: u32 = 100;

/// Which part of a listing is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub limit: u32,
    pub offset: u32,
}

impl Window {
    pub fn new(limit: Option<u32>, offset: Option<u32>) -> Self {
        Self { limit: limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX), offset: offset.unwrap_or_default() }
    }

    pub fn size(self) -> usize {
        self.limit as usize
    }

    pub fn skip(self) -> usize {
        self.offset as usize
    }
}
