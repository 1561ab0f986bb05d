//! Generated; see `cargo xtask codegen`.
