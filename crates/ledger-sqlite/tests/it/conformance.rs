//! Every promise of the port, kept by this engine.

use crate::harness::Embedded;

// R-795 (sqlite)
ledger::conformance_tests!(Embedded::new());
