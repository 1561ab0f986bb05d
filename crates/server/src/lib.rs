//! Server: configuration, wiring and the commands of the binary `chancery`. It composes and decides nothing.
//!
//! [`Config`] says what to run, [`Platform`] puts the parts together, [`command`] is what a person types, [`files`] hands out
//! what signed addresses name, [`https`] sends plain HTTP away, [`index`] says what is here.
//! A capability is one line in [`mounts`]; whatever else is its own, it brings along as a [`desk::Module`].

pub mod command;
pub mod config;
pub mod files;
pub mod https;
pub mod index;
pub mod mounts;
pub mod platform;

pub use config::Config;
pub use files::Files;
pub use mounts::MODULES;
pub use platform::Platform;
