//! The shape of a tool's arguments: shallow and finite.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::schema::is_timestamp;
use crate::tool::Tool;
use crate::{Problem, Source};

/// Object levels below the arguments themselves (534 §6.7: the third one degrades models).
const LEVELS_MAX: usize = 2;

/// Returns whether the schema can be trusted.
pub fn check(source: &Source, tool: &Tool<'_>, problems: &mut Vec<Problem>) -> bool {
    let before = problems.len();
    walk(source, tool, &tool.method.descriptor.input(), &mut Vec::new(), problems);
    problems.len() == before
}

/// `open` holds the messages around this one.
fn walk(
    source: &Source,
    tool: &Tool<'_>,
    message: &MessageDescriptor,
    open: &mut Vec<String>,
    problems: &mut Vec<Problem>,
) {
    open.push(message.full_name().to_owned());
    for field in message.fields().filter(|field| !source.field(field).hidden) {
        let Some(inner) = object_in(&field) else { continue };
        let place = source.place(&field);
        if open.iter().any(|name| name == inner.full_name()) {
            problems.push(Problem::error(
                place,
                format!("{} of tool {} contains itself", field.name(), tool.name()),
                "use a list with references by id",
            ));
        } else if open.len() > LEVELS_MAX {
            problems.push(Problem::error(
                place,
                format!("{} of tool {} nests deeper than {LEVELS_MAX} levels", field.name(), tool.name()),
                "flatten the message",
            ));
        } else {
            walk(source, tool, &inner, open, problems);
        }
    }
    open.pop();
}

/// The message that shows as an object in JSON.
fn object_in(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    match field.kind() {
        // Maps are refused elsewhere; what an open object holds is not described.
        Kind::Message(message) if !field.is_map() && !is_timestamp(&message) => {
            let google = message.package_name() == "google.protobuf";
            (!google || crate::schema::is_open_object(&message)).then_some(message)
        }
        _ => None,
    }
}
