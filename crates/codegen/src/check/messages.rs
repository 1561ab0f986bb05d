//! Shapes of messages that have no portable JSON.

use std::collections::BTreeMap;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::schema::{is_any_value, is_open_list, is_open_object, is_timestamp};
use crate::{Capability, Problem, Source};

pub fn check(source: &Source, capability: &Capability, problems: &mut Vec<Problem>) {
    for message in capability.messages() {
        for oneof in message.oneofs().filter(|oneof| !oneof.is_synthetic()) {
            let line =
                oneof.fields().next().map(|field| source.place(&field)).unwrap_or_else(|| source.place(&message));
            problems.push(Problem::error(
                line,
                format!("{} of {} is a oneof, which becomes a combinator", oneof.name(), message.name()),
                "use optional fields and check in the service",
            ));
        }
        for field in message.fields() {
            foreign(source, capability, &field, problems);
        }
    }
    for message in reachable(capability).values() {
        for field in message.fields() {
            shape(source, message, &field, problems);
        }
    }
}

/// What callers over MCP can send or receive.
fn reachable(capability: &Capability) -> BTreeMap<String, MessageDescriptor> {
    let methods =
        capability.services.iter().flat_map(|service| &service.methods).filter(|method| method.is_reachable());
    let mut open: Vec<_> = methods.flat_map(|method| [method.descriptor.input(), method.descriptor.output()]).collect();
    let mut found = BTreeMap::new();
    while let Some(message) = open.pop() {
        if message.package_name() != capability.package || found.contains_key(message.full_name()) {
            continue;
        }
        open.extend(message.fields().filter_map(|field| field.kind().as_message().cloned()));
        found.insert(message.full_name().to_owned(), message);
    }
    found.retain(|_, message| !message.is_map_entry());
    found
}

fn shape(source: &Source, message: &MessageDescriptor, field: &FieldDescriptor, problems: &mut Vec<Problem>) {
    let (name, owner) = (field.name(), message.name());
    let mut report = |message: String, fix: &str| problems.push(Problem::error(source.place(field), message, fix));
    match field.kind() {
        _ if field.is_map() => report(format!("{name} of {owner} is a map"), "use google.protobuf.Struct"),
        Kind::Bytes => report(format!("{name} of {owner} is bytes"), "use a string that holds base64"),
        Kind::Message(inner) if is_timestamp(&inner) && field.is_list() => {
            report(format!("{name} of {owner} is a list of timestamps"), "use repeated string with format date-time");
        }
        _ => {}
    }
}

/// A field whose message has no Rust type here.
fn foreign(source: &Source, capability: &Capability, field: &FieldDescriptor, problems: &mut Vec<Problem>) {
    let kind = field.kind();
    let (package, name) = match &kind {
        Kind::Message(message)
            if [is_open_object, is_any_value, is_open_list, is_timestamp].iter().any(|known| known(message)) =>
        {
            return;
        }
        Kind::Message(message) => (message.package_name(), message.full_name()),
        Kind::Enum(list) => (list.package_name(), list.full_name()),
        _ => return,
    };
    if package != capability.package {
        problems.push(Problem::error(
            source.place(field),
            format!("{} is {name}, from outside package {}", field.name(), capability.package),
            "declare the type in this package, or use google.protobuf.Struct, Value, ListValue or Timestamp",
        ));
    }
}
