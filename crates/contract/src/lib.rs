//! Contract: what callers and capabilities have agreed on.
//!
//! [`generated`] (the folder `gen`) is made from `proto/` by `cargo xtask codegen`: messages, one plain async trait per
//! service, the dispatcher from a tool name and JSON arguments to a trait method, and the gRPC glue (feature `grpc`).
//! The rest is written by hand and small: the [`Context`] a call arrives with, the [`CallError`] it may
//! end with, the [`Capability`] that a door mounts, and the [`Manifest`] of what it offers.
//!
//! Nothing here knows a transport or a store.

pub mod agent;
mod answer;
mod audit;
mod capability;
pub mod catalog;
mod client;
mod context;
mod edit;
mod error;
mod json;
mod manifest;

pub mod dispatch;
#[cfg(feature = "grpc")]
pub mod grpc;
pub mod labels;
pub mod moment;
// `gen` is a keyword, so the folder keeps the name and the module does not.
#[path = "gen/mod.rs"]
pub mod generated;

pub use answer::{
    Answer, Blob, Content, EntityRef, PromptAnswer, PromptMessage, ResourceEntry, ResourcePage, Speaker, Structured,
};
pub use audit::{AuditDraft, AuditSource};
pub use capability::{CallFuture, Capability, Changed, Grants};
pub use client::{Ask, Client, NoClient, Reply};
pub use context::{Context, Effect, RequestMeta, Verdict};
pub use edit::{Edit, pointer_to};
pub use error::{CallError, Correction, ErrorKind, Misfit, Violation, ViolationKind, excerpt};
pub use json::{Json, List, Object};
pub use manifest::{
    Example, Hints, Manifest, Prompt, PromptArgument, ResourceTemplate, RiskTier, Side, Tool, ToolName,
};
