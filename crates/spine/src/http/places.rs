//! The places of a listener: so many connections, and one address may not take them all.
//!
//! A connection on which no request is under way is quiet. When all places are taken, the one that has been quiet for longest
//! has to go, first among those that never asked for anything. So connections that are opened and left alone, or that
//! send their headers a byte at a time, keep nobody out.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub struct Places(Arc<Mutex<State>>);

struct State {
    connections_max: usize,
    address_max: usize,
    open: usize,
    by_address: HashMap<IpAddr, usize>,
    /// Quiet connections, those without a request so far first, then by the moment since when they are.
    quiet: BTreeMap<Since, Quiet>,
    moment: u64,
}

/// Whether it ever asked for something, and since when it is quiet.
type Since = (bool, u64);

struct Quiet {
    address: Option<IpAddr>,
    evicted: CancellationToken,
}

/// One connection's place, given back when it is dropped.
pub struct Place {
    places: Places,
    /// As far as it counts: a proxy that is known speaks for many.
    address: Option<IpAddr>,
    evicted: CancellationToken,
    standing: Mutex<Standing>,
}

#[derive(Clone, Copy)]
enum Standing {
    Quiet(Since),
    Busy,
}

impl Places {
    /// So many in all, and so many from one address.
    pub fn new(connections_max: usize, address_max: usize) -> Self {
        let state = State {
            connections_max,
            address_max,
            open: 0,
            by_address: HashMap::new(),
            quiet: BTreeMap::new(),
            moment: 0,
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// A place for a connection from this address, or from one that counts for nobody. `None` when all are in use.
    pub fn take(&self, address: Option<IpAddr>) -> Option<Place> {
        let mut state = self.lock();
        let of_address = address.and_then(|address| state.by_address.get(&address)).copied().unwrap_or_default();
        if address.is_some() && of_address >= state.address_max {
            state.evict(|quiet| quiet.address == address)?;
        } else if state.open >= state.connections_max {
            state.evict(|_| true)?;
        }
        state.open += 1;
        if let Some(address) = address {
            *state.by_address.entry(address).or_default() += 1;
        }
        let evicted = CancellationToken::new();
        let since = state.rest(false, Quiet { address, evicted: evicted.clone() });
        Some(Place { places: self.clone(), address, evicted, standing: Mutex::new(Standing::Quiet(since)) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the place of the first quiet connection that fits; `None` when there is none.
    fn evict(&mut self, fits: impl Fn(&Quiet) -> bool) -> Option<()> {
        let since = self.quiet.iter().find(|(_, quiet)| fits(quiet)).map(|(since, _)| *since)?;
        let quiet = self.quiet.remove(&since)?;
        quiet.evicted.cancel();
        self.give_back(quiet.address);
        Some(())
    }

    fn give_back(&mut self, address: Option<IpAddr>) {
        self.open = self.open.saturating_sub(1);
        let Some(address) = address else { return };
        if let Some(count) = self.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }

    fn rest(&mut self, asked_before: bool, quiet: Quiet) -> Since {
        self.moment += 1;
        let since = (asked_before, self.moment);
        self.quiet.insert(since, quiet);
        since
    }
}

impl Place {
    /// Returns when somebody else has this place.
    pub async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// A request is under way.
    pub fn begin(&self) {
        let mut standing = self.standing();
        if let Standing::Quiet(since) = *standing {
            self.places.lock().quiet.remove(&since);
        }
        *standing = Standing::Busy;
    }

    /// The request is over, or what is left of it is for the client to fetch.
    pub fn end(&self) {
        let mut standing = self.standing();
        if matches!(*standing, Standing::Busy) && !self.evicted.is_cancelled() {
            let quiet = Quiet { address: self.address, evicted: self.evicted.clone() };
            *standing = Standing::Quiet(self.places.lock().rest(true, quiet));
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.places.lock();
        // Whoever evicted it has its place already.
        if self.evicted.is_cancelled() {
            return;
        }
        if let Standing::Quiet(since) = *self.standing() {
            state.quiet.remove(&since);
        }
        state.give_back(self.address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 1)));
    const OTHER: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2)));

    fn busy(places: &Places, address: Option<IpAddr>) -> Option<Place> {
        places.take(address).inspect(Place::begin)
    }

    /// How many places are taken, and how many of them by quiet ones.
    fn left(places: &Places) -> (usize, usize) {
        let state = places.lock();
        (state.open, state.quiet.len())
    }

    #[test]
    fn one_address_leaves_places_to_others() {
        let places = Places::new(8, 6);
        let mut taken: Vec<Place> = std::iter::from_fn(|| busy(&places, ONE)).collect();
        assert_eq!(taken.len(), 6);
        taken.extend([busy(&places, OTHER).unwrap(), busy(&places, OTHER).unwrap()]);
        assert!(busy(&places, OTHER).is_none());
        taken.clear();
        assert!(places.lock().by_address.is_empty());
        assert_eq!(left(&places), (0, 0));
        assert!(Places::new(1, 1).take(ONE).is_some());
    }

    #[test]
    fn a_proxy_that_is_known_has_no_bound_of_its_own() {
        let places = Places::new(8, 2);
        let taken: Vec<Place> = std::iter::from_fn(|| busy(&places, None)).collect();
        assert_eq!(taken.len(), 8);
    }

    // D09: who only holds a place loses it to somebody who comes.
    #[test]
    fn the_quietest_makes_room() {
        let places = Places::new(3, 3);
        let (served, idle, late) = (places.take(ONE).unwrap(), places.take(ONE).unwrap(), places.take(ONE).unwrap());
        served.begin();
        served.end();
        let is_out = |place: &Place| place.evicted.is_cancelled();
        let first = places.take(OTHER).unwrap();
        assert!(is_out(&idle) && !is_out(&late) && !is_out(&served));
        late.begin();
        // `first` has asked for nothing yet, so it goes before one that was served.
        let second = busy(&places, OTHER).unwrap();
        assert!(is_out(&first) && !is_out(&served));
        let third = busy(&places, OTHER).unwrap();
        assert!(is_out(&served) && !is_out(&late));
        assert!(places.take(OTHER).is_none());
        drop((idle, served, first, second, third, late));
        assert_eq!(left(&places), (0, 0));
        assert!(places.lock().by_address.is_empty());
    }

    #[test]
    fn an_address_at_its_bound_makes_room_for_itself_only() {
        let places = Places::new(8, 2);
        let other = places.take(OTHER).unwrap();
        let (one, two) = (busy(&places, ONE).unwrap(), places.take(ONE).unwrap());
        let third = busy(&places, ONE).unwrap();
        assert!(two.evicted.is_cancelled() && !other.evicted.is_cancelled());
        assert!(places.take(ONE).is_none());
        drop((one, third));
        assert!(places.take(ONE).is_some());
    }
}
