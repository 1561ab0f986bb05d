//! Whose data a call is about: the caller's, always.

use contract::Context;

use crate::Error;
use crate::domain::ids;

/// The user that calls, or for whom an agent calls. A `user_id` in the arguments has to be the caller's own: the id that
/// the data stands under, or the name that the caller is known by here.
pub fn of_caller(ctx: &Context, user_id: Option<&str>) -> Result<String, Error> {
    let person = ctx.principal.person();
    let own = ids::user(&person);
    let Some(given) = user_id.map(ids::reference) else { return Ok(own) };
    let known_by = [own.as_str(), subject(&person), &ctx.principal.subject];
    if known_by.iter().any(|known| given.eq_ignore_ascii_case(known)) {
        return Ok(own);
    }
    let fix = format!("leave user_id out, or give {}, which is yours", user_id_of(&person));
    Err(Error::invalid("user_id", "is not yours", fix))
}

/// The `user_id` that a person gives: the name that they have here if that is a UUID, such as the one of the setting
/// `user`. `person` is what [`scope::Principal::person`] answers.
pub fn user_id_of(person: &str) -> String {
    let subject = subject(person);
    if ids::is_uuid(subject) { subject.to_ascii_lowercase() } else { ids::user(person) }
}

fn subject(person: &str) -> &str {
    person.split_once('|').map_or(person, |(_, subject)| subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_that_is_a_uuid_is_known_by_it() {
        let uuid = "0B7E5A52-3F0E-8C11-A5F4-1D2C3B4A5968";
        assert_eq!(user_id_of(&format!("local|{uuid}")), uuid.to_ascii_lowercase());
        assert_eq!(user_id_of("local|ann"), ids::user("local|ann"));
    }
}
