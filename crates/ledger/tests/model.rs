//! The model keeps every promise itself, so a promise that an engine breaks is the engine's fault.

use std::sync::Arc;

use ledger::conformance::{CLOCK_START, Harness};
use ledger::model::ModelLedger;
use ledger::tree::Trees;
use ledger::{SearchStore, SharedLedger};
use scope::FixedClock;

struct InMemory {
    ledger: Arc<ModelLedger>,
    clock: Arc<FixedClock>,
}

impl InMemory {
    fn new() -> Self {
        let clock = Arc::new(FixedClock::at(CLOCK_START));
        Self { ledger: Arc::new(ModelLedger::new(clock.clone())), clock }
    }
}

impl Harness for InMemory {
    fn ledger(&self) -> SharedLedger {
        self.ledger.clone()
    }

    fn search_store(&self) -> Arc<dyn SearchStore> {
        self.ledger.clone()
    }

    fn trees(&self) -> Arc<dyn Trees> {
        self.ledger.clone()
    }

    fn advance_micros(&self, micros: i64) {
        self.clock.advance_micros(micros);
    }

    fn crash(&mut self) {}
}

ledger::conformance_tests!(InMemory::new());
