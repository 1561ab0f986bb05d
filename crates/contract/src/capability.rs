//! What a door mounts.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::{
    Answer, Blob, CallError, Context, Manifest, Misfit, PromptAnswer, RequestMeta, ResourcePage, ViolationKind,
};

/// What a call comes to.
pub type CallFuture<'a, T> = BoxFuture<'a, Result<T, CallError>>;

/// A capability as the doors see it. Implementations are mostly generated: [`crate::dispatch`] turns a tool name and
/// JSON into a call of a service trait.
pub trait Capability: Send + Sync + 'static {
    /// What it offers. Does not change while the process runs.
    fn manifest(&self) -> &Manifest;

    /// Calls a tool of the manifest by its canonical name. The arguments have passed the tool's schema and carry its defaults.
    fn call<'a>(&'a self, ctx: &'a Context, tool: &'a str, arguments: Map<String, Value>) -> CallFuture<'a, Answer>;

    /// Reads a resource. An unknown one is [`crate::ErrorKind::NotFound`].
    fn read<'a>(&'a self, ctx: &'a Context, uri: &'a str) -> CallFuture<'a, Blob>;

    /// Resources worth listing, a page at a time. Templates in the manifest name the rest.
    fn resources<'a>(&'a self, _ctx: &'a Context, _after: Option<&'a str>) -> CallFuture<'a, ResourcePage> {
        Box::pin(std::future::ready(Ok(ResourcePage::default())))
    }

    /// Fills in a prompt of the manifest.
    fn prompt<'a>(
        &'a self,
        _ctx: &'a Context,
        name: &'a str,
        _arguments: Map<String, Value>,
    ) -> CallFuture<'a, PromptAnswer> {
        Box::pin(std::future::ready(Err(CallError::invalid(format!("there is no prompt {name}")))))
    }

    /// Values that complete an argument of a prompt or a resource template, best first.
    fn complete<'a>(
        &'a self,
        _ctx: &'a Context,
        _reference: &'a str,
        _argument: &'a str,
        _typed: &'a str,
    ) -> CallFuture<'a, Vec<String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// What this caller may call, asked before a call and before the tools are listed. `None` when everybody who is admitted
    /// may call everything.
    fn grants<'a>(&'a self, _ctx: &'a Context) -> Option<CallFuture<'a, Box<dyn Grants>>> {
        None
    }

    /// The refusal for arguments that do not fit the tool's schema.
    fn refuse<'a>(&'a self, _ctx: &'a Context, _tool: &'a str, misfit: &'a Misfit) -> BoxFuture<'a, CallError> {
        Box::pin(std::future::ready(refuse_in_general(misfit)))
    }

    /// The failure of a request in the shape that this capability's specification publishes.
    fn envelope(&self, _request: &RequestMeta, error: &CallError) -> Value {
        json!({ "error": {
            "code": error.code,
            "message": error.message,
            "field": error.field,
            "details": error.details,
            "suggestions": error.suggestions,
        } })
    }

    /// Largest request that this capability takes, where that is more than the doors take in general.
    fn body_bytes_max(&self) -> Option<usize> {
        None
    }

    /// The refusal of a request larger than `bytes_max`, where the capability has its own words for it. `bytes` is the size
    /// that the request stated, or as much of it as was read.
    fn too_large(&self, _bytes: u64, _bytes_max: u64) -> Option<CallError> {
        None
    }

    /// True when [`Capability::changes`] has something to tell. Asked often, so it starts nothing.
    fn announces(&self) -> bool {
        false
    }

    /// What changed, for subscribers; `None` when nothing here ever changes.
    fn changes(&self) -> Option<broadcast::Receiver<Changed>> {
        None
    }
}

/// What one caller may call.
pub trait Grants: Send + Sync {
    /// Refuses a call of a tool before its arguments are looked at.
    fn judge(&self, tool: &str) -> Result<(), CallError>;

    /// Whether the caller is shown the tool.
    fn lists(&self, tool: &str) -> bool {
        self.judge(tool).is_ok()
    }
}

/// Declares a capability that is its `manifest` and its `services` and nothing else.
#[macro_export]
macro_rules! serve {
    ($capability:ident: $services:ty) => {
        struct $capability {
            manifest: $crate::Manifest,
            services: $services,
        }

        impl $crate::Capability for $capability {
            fn manifest(&self) -> &$crate::Manifest {
                &self.manifest
            }

            fn call<'a>(
                &'a self,
                ctx: &'a $crate::Context,
                tool: &'a str,
                arguments: serde_json::Map<String, serde_json::Value>,
            ) -> $crate::CallFuture<'a, $crate::Answer> {
                Box::pin(self.services.call(ctx, tool, arguments))
            }

            fn read<'a>(&'a self, ctx: &'a $crate::Context, uri: &'a str) -> $crate::CallFuture<'a, $crate::Blob> {
                Box::pin(self.services.read(ctx, uri))
            }
        }
    };
}

/// Something a subscriber may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// A resource of this tenant has a new state.
    Resource {
        tenant: scope::TenantId,
        uri: String,
    },
    Tools,
    Prompts,
    Resources,
}

/// Words a schema violation as `VALIDATION_ERROR`, with the fix. The first violation is the one reported; the others are listed.
pub fn refuse_in_general(misfit: &Misfit) -> CallError {
    let violations = &misfit.violations;
    let Some(first) = violations.first() else {
        return CallError::invalid("the arguments do not fit the tool's schema")
            .hint("compare them with the tool's input schema");
    };
    let field = first.path.clone();
    let error = match &first.kind {
        ViolationKind::Missing { wanted } => {
            CallError::invalid(format!("{field} is required")).hint(format!("give {field}: {wanted}"))
        }
        ViolationKind::Unknown { nearest, known } => {
            let error = CallError::invalid(format!("there is no argument {field}"));
            match nearest.first() {
                Some(name) => error.suggest("did_you_mean", nearest.clone()).hint(format!("use {name}")),
                None => error.hint(format!("leave {field} out; the tool takes {}", known.join(", "))),
            }
            .suggest("valid_fields", known.clone())
        }
        ViolationKind::Wrapper { holds } => CallError::invalid(format!("there is no argument {field}"))
            .hint(format!("give what {field} holds as arguments of the tool: {}", holds.join(", "))),
        ViolationKind::NotOneOf { value, nearest, permitted } => {
            let error = CallError::invalid(format!("{field} cannot be {value:?}"));
            match nearest.first() {
                Some(word) => error.suggest("did_you_mean", nearest.clone()).hint(format!("use {word}")),
                None => error.hint(format!("{field} is one of {}", permitted.join(", "))),
            }
            .suggest("valid_values", permitted.clone())
        }
        ViolationKind::WrongType { given, wanted } => {
            CallError::invalid(format!("{field} is of type {given}, not {wanted}"))
                .hint(format!("give {field} as {wanted}"))
        }
        ViolationKind::Other { reason, fix } => CallError::invalid(format!("{field} {reason}")).hint(fix.clone()),
    };
    let mut error = error.field(field);
    if misfit.open.is_empty() {
        error = error.suggest("corrected_arguments", misfit.corrected.clone());
    }
    if violations.len() > 1 {
        let others: Vec<String> = violations.iter().skip(1).map(|violation| violation.path.clone()).collect();
        return error.detail("also_wrong", others);
    }
    error
}
