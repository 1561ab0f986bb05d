//! Names in proto as prost spells them in Rust.

use heck::{ToSnakeCase, ToUpperCamelCase};
use prost_reflect::{EnumDescriptor, EnumValueDescriptor, MessageDescriptor};

/// The path of a message from its package's module.
pub fn message(message: &MessageDescriptor) -> String {
    within(message.parent_message().as_ref(), message.name())
}

/// The path of an enum from its package's module.
pub fn enumeration(list: &EnumDescriptor) -> String {
    within(list.parent_message().as_ref(), list.name())
}

/// The variant of a value: camel case, without the name of the enum in front.
pub fn variant(value: &EnumValueDescriptor) -> String {
    let (whole, prefix) = (value.name().to_upper_camel_case(), value.parent_enum().name().to_upper_camel_case());
    let rest = whole.strip_prefix(&prefix).filter(|rest| rest.starts_with(char::is_uppercase));
    identifier(rest.unwrap_or(&whole))
}

pub fn field(name: &str) -> String {
    identifier(&name.to_snake_case())
}

/// `ArchiMateQueryService` becomes `archi_mate_query`.
pub fn service_field(name: &str) -> String {
    field(name.strip_suffix("Service").unwrap_or(name))
}

fn within(parent: Option<&MessageDescriptor>, name: &str) -> String {
    let name = identifier(&name.to_upper_camel_case());
    match parent {
        Some(parent) => format!("{}::{name}", modules(parent)),
        None => name,
    }
}

fn modules(message: &MessageDescriptor) -> String {
    let own = field(message.name());
    message.parent_message().map_or(own.clone(), |parent| format!("{}::{own}", modules(&parent)))
}

fn identifier(name: &str) -> String {
    const RAW: &[&str] = &[
        "as", "break", "const", "continue", "else", "enum", "false", "fn", "for", "if", "impl", "in", "let", "loop",
        "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct", "trait", "true", "type", "unsafe",
        "use", "where", "while", "dyn", "abstract", "become", "box", "do", "final", "macro", "override", "priv",
        "typeof", "unsized", "virtual", "yield", "async", "await", "try", "gen",
    ];
    const SUFFIXED: &[&str] = &["super", "self", "Self", "extern", "crate"];
    if RAW.contains(&name) {
        format!("r#{name}")
    } else if SUFFIXED.contains(&name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}
