//! Trees over the tiles that the ledger keeps. The hashing is that of `tlog_tiles`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ledger::tree::{Tile as Kept, TilePlace, Tree, Trees};
use scope::TenantId;
use tlog_tiles::tile::Tile;
use tlog_tiles::tlog::{
    self, HASH_SIZE, Hash, HashReader, record_hash, stored_hash_index, stored_hashes_for_record_hash, sub_tree_index,
    tree_hash,
};

use crate::Error;

/// Levels of a tree in one tile; it then has up to 256 hashes.
const HEIGHT: u8 = 8;
pub(crate) const WIDTH: u64 = 1 << HEIGHT;

/// The hash of a leaf.
pub fn leaf_hash(leaf: &str) -> Hash {
    record_hash(leaf.as_bytes())
}

/// The right edge of a tree: what is needed to make it grow, and to know its root.
#[derive(Default)]
pub(crate) struct Edge {
    pub size: u64,
    hashes: BTreeMap<u64, Hash>,
}

/// A hash inside a tree: its level above the leaves, its number in the level.
pub(crate) type Inner = (u8, u64, Hash);

impl Edge {
    /// The edge of a tree of this size.
    pub(crate) fn of(tiles: &Tiles, size: u64) -> Result<Self, Error> {
        let indexes = sub_tree_index(0, size, Vec::new());
        let hashes = tiles.read_hashes(&indexes)?;
        Ok(Self { size, hashes: indexes.into_iter().zip(hashes).collect() })
    }

    /// Appends a leaf and returns every hash that it completes, its own first.
    pub(crate) fn push(&mut self, leaf: Hash) -> Result<Vec<Inner>, Error> {
        let completed = stored_hashes_for_record_hash(self.size, leaf, self)?;
        let inner = |(level, hash): (usize, &Hash)| (level as u8, self.size >> level, *hash);
        let completed: Vec<Inner> = completed.iter().enumerate().map(inner).collect();
        self.size += 1;
        self.hashes.extend(completed.iter().map(|(level, number, hash)| (stored_hash_index(*level, *number), *hash)));
        let needed: BTreeSet<u64> = sub_tree_index(0, self.size, Vec::new()).into_iter().collect();
        self.hashes.retain(|index, _| needed.contains(index));
        Ok(completed)
    }

    pub(crate) fn root(&self) -> Result<Hash, Error> {
        Ok(tree_hash(self.size, self)?)
    }
}

impl HashReader for Edge {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
        let hash = |index| self.hashes.get(index).copied().ok_or(tlog::Error::IndexesNotInTree);
        indexes.iter().map(hash).collect()
    }
}

/// Some tiles of a tree.
#[derive(Default)]
pub(crate) struct Tiles(BTreeMap<TilePlace, Vec<u8>>);

impl Tiles {
    /// Reads tiles. One that is missing or cannot be one is an error.
    pub(crate) async fn read(
        trees: &dyn Trees,
        tenant: &TenantId,
        tree: Tree,
        places: BTreeSet<TilePlace>,
    ) -> Result<Self, Error> {
        let places: Vec<TilePlace> = places.into_iter().collect();
        let found = trees.tiles(tenant, tree, &places).await?;
        let tile = |tile: Option<Kept>| {
            let fits = |tile: &Kept| {
                let bytes = tile.hashes.len();
                bytes > 0 && bytes.is_multiple_of(HASH_SIZE) && bytes / HASH_SIZE <= WIDTH as usize
            };
            let tile = tile.filter(fits).ok_or_else(|| Error::Tile(tree.name().to_owned()))?;
            Ok((tile.place, tile.hashes))
        };
        Ok(Self(found.into_iter().map(tile).collect::<Result<_, Error>>()?))
    }

    /// The tiles on the right edge of a tree, which a new leaf may widen.
    pub(crate) async fn edge(trees: &dyn Trees, tenant: &TenantId, tree: Tree, size: u64) -> Result<Self, Error> {
        Self::read(trees, tenant, tree, edge_places(size)).await
    }

    /// The hashes of a tile, whose width says how many there are.
    pub(crate) fn hashes(&self, place: TilePlace) -> impl Iterator<Item = Hash> {
        let bytes = self.0.get(&place).map(Vec::as_slice).unwrap_or_default();
        bytes.chunks_exact(HASH_SIZE).map(|bytes| Hash(bytes.try_into().expect("a chunk of the size of a hash")))
    }

    /// The tiles of a tree that grew from the one whose edge this is.
    pub(crate) fn grown(&self, from: u64, to: u64, completed: &[Inner]) -> Vec<Kept> {
        let new: BTreeMap<(u8, u64), &Hash> =
            completed.iter().map(|(level, number, hash)| ((*level, *number), hash)).collect();
        let grown = |tile: Tile| {
            let place = TilePlace { level: tile.level(), number: tile.level_index() };
            let mut hashes = self.0.get(&place).cloned().unwrap_or_default();
            let first = place.number * WIDTH + (hashes.len() / HASH_SIZE) as u64;
            let end = place.number * WIDTH + u64::from(tile.width());
            for number in first..end {
                hashes.extend(new[&(place.level * HEIGHT, number)].0);
            }
            Kept { place, hashes }
        };
        Tile::new_tiles(HEIGHT, from, to).into_iter().map(grown).collect()
    }
}

impl HashReader for Tiles {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
        let hash = |index: &u64| {
            let wanted = Tile::from_index(HEIGHT, *index);
            let bytes = self.0.get(&place_of(&wanted)).ok_or(tlog::Error::IndexesNotInTree)?;
            let width = (bytes.len() / HASH_SIZE) as u32;
            Tile::new(HEIGHT, wanted.level(), wanted.level_index(), width, false).hash_at_index(bytes, *index)
        };
        indexes.iter().map(hash).collect()
    }
}

/// The path from a leaf to the root of a tree of this size.
pub(crate) async fn path(
    trees: &dyn Trees,
    tenant: &TenantId,
    tree: Tree,
    size: u64,
    leaf: u64,
) -> Result<Vec<Hash>, Error> {
    let needed = Needed::default();
    tlog::prove_record(size, leaf, &needed)?;
    let places = needed.0.into_inner().iter().map(|index| place_of(&Tile::from_index(HEIGHT, *index))).collect();
    let tiles = Tiles::read(trees, tenant, tree, places).await?;
    Ok(tlog::prove_record(size, leaf, &tiles)?)
}

/// Notes which hashes are asked for.
#[derive(Default)]
struct Needed(RefCell<Vec<u64>>);

impl HashReader for Needed {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
        self.0.borrow_mut().extend(indexes);
        Ok(vec![Hash::default(); indexes.len()])
    }
}

fn place_of(tile: &Tile) -> TilePlace {
    TilePlace { level: tile.level(), number: tile.level_index() }
}

fn edge_places(size: u64) -> BTreeSet<TilePlace> {
    let levels = (0..8_u8).map(|level| (level, size >> (u32::from(level) * u32::from(HEIGHT))));
    let partial = levels.filter(|(_, hashes)| hashes % WIDTH > 0);
    partial.map(|(level, hashes)| TilePlace { level, number: hashes / WIDTH }).collect()
}

/// How many levels of the tree a level of tiles stands for.
pub(crate) fn is_kept(level: u8) -> bool {
    level.is_multiple_of(HEIGHT)
}

pub(crate) fn tile_level(level: u8) -> u8 {
    level / HEIGHT
}
