//! The places of a listener: so many connections, and one address may not take them all.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub struct Places {
    free: Arc<Semaphore>,
    address_max: usize,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One connection's place, given back when it is dropped.
pub struct Place {
    _permit: OwnedSemaphorePermit,
    address: IpAddr,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Places {
    pub fn new(connections_max: usize) -> Self {
        // Three quarters of them, so that one peer leaves some to others.
        let address_max = (connections_max - connections_max / 4).max(1);
        Self { free: Arc::new(Semaphore::new(connections_max)), address_max, by_address: Arc::default() }
    }

    pub fn take(&self, address: IpAddr) -> Option<Place> {
        let permit = self.free.clone().try_acquire_owned().ok()?;
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let count = by_address.entry(address).or_default();
        if *count == self.address_max {
            return None;
        }
        *count += 1;
        Some(Place { _permit: permit, address, by_address: self.by_address.clone() })
    }
}

impl Place {
    pub fn address(&self) -> IpAddr {
        self.address
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_leaves_places_to_others() {
        let places = Places::new(8);
        let [one, other] = [[127, 0, 0, 1], [127, 0, 0, 2]].map(IpAddr::from);
        let mut taken: Vec<Place> = std::iter::from_fn(|| places.take(one)).collect();
        assert_eq!(taken.len(), 6);
        taken.extend([places.take(other).unwrap(), places.take(other).unwrap()]);
        assert!(places.take(other).is_none());
        taken.clear();
        assert!(places.by_address.lock().unwrap().is_empty());
        assert_eq!(places.free.available_permits(), 8);
        assert!(Places::new(1).take(one).is_some());
    }
}
