//! Whose data a call is about: the caller's, always.

use contract::Context;

use crate::Error;
use crate::domain::ids;

/// The user that calls, or for whom an agent calls. A `user_id` in the arguments has to be the caller's own.
pub fn of_caller(ctx: &Context, user_id: Option<&str>) -> Result<String, Error> {
    let principal = &ctx.principal;
    let own = ids::user(&principal.person());
    match user_id {
        Some(given) if !given.eq_ignore_ascii_case(&own) && !given.eq_ignore_ascii_case(&principal.subject) => {
            Err(Error::invalid("user_id", "is not yours", "leave user_id out; it is known from your credential"))
        }
        _ => Ok(own),
    }
}
