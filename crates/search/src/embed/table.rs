//! The embedder in the box: a table with a row for each piece of a word, read from the program itself.
//!
//! The vector of a text is the sum of its rows. `crates/search/table/README.md` says how the table is made and laid out.

use std::sync::{LazyLock, OnceLock};

use futures::future::BoxFuture;
use hashbrown::HashMap;

use super::{EmbedError, Embedder, Space, pieces};

static BYTES: &[u8] = include_bytes!("../../table/table.bin");
/// SHA-256 of the bytes, its beginning. A test compares them.
const HASH: &str = "b0e96277c75a5f63";

/// How the models of such tables begin.
const PREFIX: &str = "table-";

/// Of a longer text, the beginning is embedded.
const PIECES_MAX: usize = 4_096;

/// The table in the box. Its rows are only looked at when something is embedded.
#[derive(Debug)]
pub struct StaticTable {
    space: Space,
    table: OnceLock<Table>,
}

impl Default for StaticTable {
    fn default() -> Self {
        static SPACE: LazyLock<Space> = LazyLock::new(|| Space {
            model: format!("{PREFIX}{HASH}"),
            dimensions: u32::from_le_bytes(*BYTES[12..].first_chunk().expect("a head")) as usize,
        });
        Self { space: SPACE.clone(), table: OnceLock::new() }
    }
}

impl StaticTable {
    pub fn new() -> Self {
        Self::default()
    }

    /// The unit vector of a text, empty if there is no known piece in it.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let table = self.table.get_or_init(Table::of_the_box);
        let mut sum = vec![0.0_f32; self.space.dimensions];
        let pieces = table.pieces(text);
        for piece in &pieces {
            let (scale, row) = table.row(*piece);
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += scale * f32::from(value.cast_signed()));
        }
        let length = sum.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt() as f32;
        if pieces.is_empty() || length == 0.0 {
            return Vec::new();
        }
        sum.iter_mut().for_each(|value| *value /= length);
        sum
    }
}

impl Embedder for StaticTable {
    fn space(&self) -> &Space {
        &self.space
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move { Ok(texts.iter().map(|text| self.vector(text)).collect()) })
    }

    fn is_instant(&self) -> bool {
        true
    }
}

impl Space {
    /// Whether its vectors come from a table: they are made in no time and tell less than those of a model.
    pub fn is_of_a_table(&self) -> bool {
        self.model.starts_with(PREFIX)
    }
}

/// Where the parts of the table are.
#[derive(Debug)]
struct Table {
    numbers: HashMap<&'static str, u32>,
    scales: &'static [u8],
    values: &'static [u8],
    dimensions: usize,
}

impl Table {
    fn of_the_box() -> Self {
        const SOUND: &str = "the table in the box is sound";
        let number = |at: usize| u32::from_le_bytes(*BYTES[at..].first_chunk().expect(SOUND)) as usize;
        assert!(BYTES.starts_with(b"CHTB") && number(4) == 1, "{SOUND}");
        let (rows, dimensions) = (number(8), number(12));
        let mut rest = &BYTES[16..];
        let mut numbers = HashMap::with_capacity(rows);
        for row in 0..rows {
            let (entry, after) = rest[1..].split_at(usize::from(rest[0]));
            numbers.insert(std::str::from_utf8(entry).expect(SOUND), row as u32);
            rest = after;
        }
        let (scales, values) = rest.split_at(rows * 4);
        assert_eq!(values.len(), rows * dimensions, "{SOUND}");
        Self { numbers, scales, values, dimensions }
    }

    fn pieces(&self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        for word in pieces::words(text) {
            pieces::pieces(&word, |entry| self.numbers.get(entry).copied(), &mut found);
            if found.len() >= PIECES_MAX {
                found.truncate(PIECES_MAX);
                break;
            }
        }
        found
    }

    fn row(&self, piece: u32) -> (f32, &'static [u8]) {
        let piece = piece as usize;
        let scale = self.scales[piece * 4..].first_chunk().expect("a scale for each row");
        (f32::from_le_bytes(*scale), &self.values[piece * self.dimensions..][..self.dimensions])
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_space_is_named_after_the_bytes() {
        assert!(hex::encode(Sha256::digest(BYTES)).starts_with(HASH));
        assert_eq!(StaticTable::new().space(), &Space { model: format!("table-{HASH}"), dimensions: 256 });
    }

    #[test]
    fn the_table_gives_what_its_check_file_says() {
        let checks: Vec<serde_json::Value> = serde_json::from_str(include_str!("../../table/check.json")).unwrap();
        let table = Table::of_the_box();
        for check in &checks {
            let text = check["text"].as_str().unwrap();
            let pieces: Vec<u64> =
                check["pieces"].as_array().unwrap().iter().map(|piece| piece.as_u64().unwrap()).collect();
            assert_eq!(table.pieces(text).iter().map(|piece| u64::from(*piece)).collect::<Vec<_>>(), pieces, "{text}");
            let vector = StaticTable::new().vector(text);
            assert_eq!(vector.is_empty(), pieces.is_empty());
            for (place, expected) in check["vector_start"].as_array().unwrap().iter().enumerate() {
                let value = vector.get(place).copied().unwrap_or_default();
                assert!((f64::from(value) - expected.as_f64().unwrap()).abs() < 1e-5, "{text}: {value} {expected}");
            }
        }
        assert!(checks.len() >= 40);
    }
}
