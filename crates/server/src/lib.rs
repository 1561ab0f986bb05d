//! Server: configuration, wiring and the commands of the binary `chancery`. It composes and decides nothing.
//!
//! [`Config`] says what to run, [`Platform`] puts the parts together, [`command`] is what a person types, [`files`] hands out
//! what signed addresses name.
//! Adding a capability is one line in [`platform::mount_all`].

pub mod command;
pub mod config;
pub mod files;
pub mod platform;

pub use config::Config;
pub use files::Files;
pub use platform::Platform;
