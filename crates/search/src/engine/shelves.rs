//! The partitions in memory, within a bound.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use scope::TenantId;

use super::lock;
use crate::shelf::Shelf;

/// Tenant, capability, partition.
type Key = (TenantId, &'static str, String);

/// All shelves that are in memory. Those that were not used for the longest time go first.
pub struct Shelves {
    all: Mutex<BTreeMap<Key, Arc<Shelf>>>,
    bytes_max: usize,
    uses: AtomicU64,
}

impl Shelves {
    pub fn new(bytes_max: usize) -> Self {
        Self { all: Mutex::default(), bytes_max, uses: AtomicU64::default() }
    }

    pub fn get(&self, tenant: &TenantId, name: &'static str, partition: &str) -> Option<Arc<Shelf>> {
        let found = lock(&self.all).get(&(tenant.clone(), name, partition.to_owned())).cloned()?;
        found.touch(self.uses.fetch_add(1, Ordering::Relaxed));
        Some(found)
    }

    /// Those of a tenant and a capability.
    pub fn of(&self, tenant: &TenantId, name: &'static str) -> Vec<(String, Arc<Shelf>)> {
        let all = lock(&self.all);
        let from = (tenant.clone(), name, String::new());
        let own = all.range(from..).take_while(|((of, by, _), _)| of == tenant && *by == name);
        own.map(|((_, _, partition), shelf)| (partition.clone(), shelf.clone())).collect()
    }

    /// Adds one, and lets others go where together they take more than the bound.
    pub fn insert(&self, tenant: &TenantId, name: &'static str, partition: &str, shelf: Arc<Shelf>) {
        shelf.touch(self.uses.fetch_add(1, Ordering::Relaxed));
        let mut all = lock(&self.all);
        all.insert((tenant.clone(), name, partition.to_owned()), shelf);
        let mut sizes: Vec<(u64, usize, Key)> =
            all.iter().map(|(key, shelf)| (shelf.last_used(), shelf.read().bytes(), key.clone())).collect();
        let mut bytes: usize = sizes.iter().map(|(_, bytes, _)| bytes).sum();
        sizes.sort();
        // The newest stays, however large it is: somebody is about to ask it.
        sizes.pop();
        for (_, size, key) in sizes {
            if bytes <= self.bytes_max {
                break;
            }
            bytes -= size;
            all.remove(&key);
        }
    }

    pub fn forget(&self, tenant: &TenantId, name: &'static str) {
        lock(&self.all).retain(|(of, by, _), _| !(of == tenant && *by == name));
    }

    /// How many there are, and about how much memory they take.
    pub fn size(&self) -> (usize, usize) {
        let all: Vec<Arc<Shelf>> = lock(&self.all).values().cloned().collect();
        (all.len(), all.iter().map(|shelf| shelf.read().bytes()).sum())
    }
}

#[cfg(test)]
mod tests {
    use scope::Scope;

    use super::*;
    use crate::Index;

    #[test]
    fn what_was_not_used_for_longest_goes_first_and_the_newest_never() {
        let tenant = Scope::local().tenant;
        let shelves = Shelves::new(0);
        let add = |partition: &str| {
            shelves.insert(&tenant, "book", partition, Arc::new(Shelf::new(partition, Index::new(None))));
        };
        let names = || shelves.of(&tenant, "book").into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ");
        add("a");
        add("b");
        let one = shelves.size().1;
        assert!(one > 0 || names() == "a b");
        let shelves = Shelves::new(usize::MAX);
        shelves.insert(&tenant, "book", "a", Arc::new(Shelf::new("a", Index::new(None))));
        shelves.insert(&tenant, "books", "b", Arc::new(Shelf::new("b", Index::new(None))));
        assert_eq!(shelves.of(&tenant, "book").len(), 1);
        shelves.forget(&tenant, "book");
        assert_eq!(shelves.size().0, 1);
    }
}
