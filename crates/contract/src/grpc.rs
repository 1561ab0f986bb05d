//! What the generated gRPC glue needs: the context of a call, and refusals as statuses.

use tonic::{Code, Request, Status};

use crate::{CallError, Context, ErrorKind};

/// The metadata entry that carries [`CallError::code`].
pub const ERROR_CODE: &str = "chancery-error-code";

/// Takes a request apart. Admission has put the [`Context`] into its extensions; without one nobody is calling.
pub fn arrived<T>(request: Request<T>) -> Result<(Context, T), Status> {
    let (_, mut extensions, message) = request.into_parts();
    match extensions.remove::<Context>() {
        Some(context) => Ok((context, message)),
        None => Err(Status::unauthenticated("the call carries no admitted caller")),
    }
}

/// Words a refusal as a status: the message, and the published code in the metadata.
pub fn status(error: CallError) -> Status {
    let code = match error.kind {
        ErrorKind::InvalidArgument => Code::InvalidArgument,
        ErrorKind::NotFound => Code::NotFound,
        ErrorKind::AlreadyExists => Code::AlreadyExists,
        ErrorKind::Conflict => Code::Aborted,
        // gRPC has no way to ask the caller back.
        ErrorKind::FailedPrecondition | ErrorKind::NeedsInput(_) | ErrorKind::ClientCannot(_) => {
            Code::FailedPrecondition
        }
        ErrorKind::PermissionDenied => Code::PermissionDenied,
        ErrorKind::ResourceExhausted => Code::ResourceExhausted,
        ErrorKind::Unavailable => Code::Unavailable,
        ErrorKind::DeadlineExceeded => Code::DeadlineExceeded,
        ErrorKind::Internal => Code::Internal,
    };
    let mut status = Status::new(code, error.message);
    if let Ok(value) = error.code.parse() {
        status.metadata_mut().insert(ERROR_CODE, value);
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_its_code() {
        let status = status(CallError::new(ErrorKind::Conflict, "VERSION_CONFLICT", "read it again"));
        assert_eq!((status.code(), status.message()), (Code::Aborted, "read it again"));
        assert_eq!(status.metadata().get(ERROR_CODE).and_then(|value| value.to_str().ok()), Some("VERSION_CONFLICT"));
    }

    #[test]
    fn a_call_without_a_context_is_refused() {
        let refused = arrived(Request::new(())).map(|_| ()).map_err(|status| status.code());
        assert_eq!(refused, Err(Code::Unauthenticated));
    }
}
