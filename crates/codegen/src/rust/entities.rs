//! Finds the entities in every message that is returned to a caller.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::names;
use crate::check::braced;
use crate::{Capability, Source};

pub fn entities(source: &Source, capability: &Capability) -> String {
    let methods = capability.services.iter().flat_map(|service| &service.methods);
    let responses: BTreeMap<String, MessageDescriptor> = methods
        .map(|method| method.descriptor.output())
        .filter(|message| message.package_name() == capability.package)
        .map(|message| (message.full_name().to_owned(), message))
        .collect();
    responses.values().map(|message| implementation(source, message)).collect()
}

fn implementation(source: &Source, message: &MessageDescriptor) -> String {
    let name = names::message(message);
    let (mut body, mut fields) = (String::new(), Vec::new());
    if let Some(uri) = source.entity_uri(message) {
        writeln!(body, "found.push(dispatch::entity({}, self));", address(&uri, "self"))
            .expect("a string takes any text");
    } else {
        for field in message.fields() {
            if let Some(uri) = entity_in(source, &field) {
                let access = names::field(field.name());
                fields.push(field.name().to_owned());
                let found = format!("dispatch::entity({}, message)", address(&uri, "message"));
                writeln!(body, "for message in self.{access}.iter() {{ found.push({found}); }}")
                    .expect("a string takes any text");
            }
        }
    }
    if body.is_empty() {
        return format!("impl Entities for {name} {{}}\n\n");
    }
    format!(
        "impl Entities for {name} {{\nconst FIELDS: &'static [&'static str] = &{fields:?};\n\nfn entities(&self) -> Vec<EntityRef> {{\nlet mut found = Vec::new();\n{body}found\n}}\n}}\n\n"
    )
}

fn entity_in(source: &Source, field: &FieldDescriptor) -> Option<String> {
    match field.kind() {
        Kind::Message(message) if !field.is_map() => source.entity_uri(&message),
        _ => None,
    }
}

/// The expression that fills in the names of a URI from `message`.
fn address(uri: &str, message: &str) -> String {
    let (mut text, mut values) = (uri.to_owned(), String::new());
    for name in braced(uri) {
        text = text.replacen(&format!("{{{name}}}"), "{}", 1);
        write!(values, ", {message}.{}", names::field(&name)).expect("a string takes any text");
    }
    format!("format!({text:?}{values})")
}
