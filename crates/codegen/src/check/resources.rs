//! Resource patterns and entity URIs name fields that exist (534 §3.4: `capability://type/id`).

use prost_reflect::{Kind, MessageDescriptor};

use super::braced;
use crate::capability::Side;
use crate::{Capability, Problem, Source};

pub fn check(source: &Source, capability: &Capability, problems: &mut Vec<Problem>) {
    for (service, method, stated) in capability.resources() {
        let place = source.place(&method.descriptor);
        let mut report = |message: String, fix: &str| problems.push(Problem::error(place.clone(), message, fix));
        let pattern = &stated.pattern;
        let names = braced(pattern);
        if !is_type_and_id(pattern) {
            report(
                format!("resource pattern {pattern:?} is not of the form type/{{field}}"),
                "use one type and one field",
            );
        }
        for name in names.iter().filter(|name| !is_text(&method.descriptor.input(), name)) {
            let request = method.descriptor.input();
            report(
                format!(
                    "resource pattern {pattern:?} names {{{name}}}, which is no string field of {}",
                    request.name()
                ),
                "use the name of a field",
            );
        }
        if service.side != Some(Side::Query) {
            report(format!("resource {pattern:?} is read by {}", method.rpc()), "move the method to a QueryService");
        }
    }
    for message in capability.messages() {
        let Some(uri) = source.entity_uri(&message) else { continue };
        let mut report = |text: String, fix: &str| problems.push(Problem::error(source.place(&message), text, fix));
        if !uri.starts_with(&format!("{}://", capability.name)) {
            let fix = format!("start it with {}://", capability.name);
            report(format!("entity uri {uri:?} of {} is of another capability", message.name()), &fix);
        }
        for name in braced(&uri).iter().filter(|name| !is_text(&message, name)) {
            let fix = "use the name of a field";
            report(format!("entity uri {uri:?} names {{{name}}}, which is no string field of {}", message.name()), fix);
        }
    }
}

/// `type/{field}` and nothing else.
fn is_type_and_id(pattern: &str) -> bool {
    let Some((kind, rest)) = pattern.split_once("/{") else { return false };
    let name = rest.strip_suffix('}').unwrap_or_default();
    let is_word = |text: &str| !text.is_empty() && !text.contains(['{', '}', '/']);
    is_word(kind) && is_word(name)
}

fn is_text(message: &MessageDescriptor, name: &str) -> bool {
    message.get_field_by_name(name).is_some_and(|field| matches!(field.kind(), Kind::String) && !field.is_list())
}
