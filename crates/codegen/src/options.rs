//! The options of `ameide/mcp/annotations.proto`, as read from descriptors.
//!
//! The messages repeat that file by hand, because the generator cannot depend on its own output; a test compares both.

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};

/// The option that makes a method a tool, unless a contract names another.
pub const EXPOSE: &str = "ameide.mcp.expose";
pub const RESOURCE: &str = "ameide.mcp.resource";
pub const FIELD: &str = "ameide.mcp.field";
pub const VALUE: &str = "ameide.mcp.value";
pub const ENTITY: &str = "ameide.mcp.entity";
pub const CAPABILITY: &str = "ameide.mcp.capability";

#[derive(Clone, PartialEq, Message)]
pub struct Expose {
    #[prost(string, tag = "1")]
    pub tool_name: String,
    #[prost(string, tag = "2")]
    pub title: String,
    #[prost(string, tag = "3")]
    pub description: String,
    #[prost(message, optional, tag = "4")]
    pub hints: Option<Hints>,
    #[prost(string, tag = "5")]
    pub toolset: String,
    #[prost(string, repeated, tag = "6")]
    pub scopes: Vec<String>,
    /// 0 unspecified, 1 low, 2 medium, 3 high, 4 critical.
    #[prost(int32, tag = "7")]
    pub risk: i32,
    #[prost(message, repeated, tag = "8")]
    pub examples: Vec<Example>,
    #[prost(string, tag = "9")]
    pub confirm: String,
    #[prost(uint32, tag = "10")]
    pub calls_per_minute: u32,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Hints {
    #[prost(bool, optional, tag = "1")]
    pub read_only: Option<bool>,
    #[prost(bool, optional, tag = "2")]
    pub destructive: Option<bool>,
    #[prost(bool, optional, tag = "3")]
    pub idempotent: Option<bool>,
    #[prost(bool, optional, tag = "4")]
    pub open_world: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Example {
    #[prost(string, tag = "1")]
    pub description: String,
    #[prost(string, tag = "2")]
    pub input: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Resource {
    #[prost(string, tag = "1")]
    pub pattern: String,
    #[prost(string, tag = "2")]
    pub title: String,
    #[prost(string, tag = "3")]
    pub description: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Field {
    #[prost(bool, tag = "1")]
    pub required: bool,
    #[prost(uint32, optional, tag = "2")]
    pub min_length: Option<u32>,
    #[prost(uint32, optional, tag = "3")]
    pub max_length: Option<u32>,
    #[prost(string, tag = "4")]
    pub pattern: String,
    #[prost(int64, optional, tag = "5")]
    pub minimum: Option<i64>,
    #[prost(int64, optional, tag = "6")]
    pub maximum: Option<i64>,
    #[prost(uint32, optional, tag = "7")]
    pub max_items: Option<u32>,
    #[prost(string, tag = "8")]
    pub default: String,
    #[prost(bool, tag = "9")]
    pub hidden: bool,
    #[prost(string, tag = "10")]
    pub format: String,
    #[prost(bool, tag = "11")]
    pub nullable: bool,
    #[prost(bool, tag = "12")]
    pub brief: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct EnumValue {
    #[prost(string, tag = "1")]
    pub label: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Entity {
    #[prost(string, tag = "1")]
    pub uri: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Capability {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub title: String,
    #[prost(string, tag = "3")]
    pub instructions: String,
    #[prost(string, tag = "4")]
    pub version: String,
    #[prost(string, tag = "5")]
    pub server_name: String,
    #[prost(string, tag = "6")]
    pub server_description: String,
}

/// The option called `name` among `options`, when it is set.
pub fn read<T: Message + Default>(pool: &DescriptorPool, options: &DynamicMessage, name: &str) -> Option<T> {
    let extension = pool.get_extension_by_name(name)?;
    if !options.has_extension(&extension) {
        return None;
    }
    options.get_extension(&extension).as_message()?.transcode_to().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{STUB, source};

    /// The messages above with the numbers of their fields, as their text form shows them.
    //
    #[test]
    fn the_options_repeat_annotations_proto() {
        let pool = source(STUB).unwrap().pool;
        let full: &[(&str, Vec<u8>)] = &[
            ("Expose", expose().encode_to_vec()),
            ("Hints", hints().encode_to_vec()),
            ("Example", example().encode_to_vec()),
            ("Resource", Resource { pattern: word(), title: word(), description: word() }.encode_to_vec()),
            ("Field", field().encode_to_vec()),
            ("EnumValue", EnumValue { label: word() }.encode_to_vec()),
            ("Entity", Entity { uri: word() }.encode_to_vec()),
            ("Capability", capability().encode_to_vec()),
        ];
        for (name, bytes) in full {
            let descriptor = pool.get_message_by_name(&format!("ameide.mcp.{name}")).unwrap();
            let message = DynamicMessage::decode(descriptor.clone(), bytes.as_slice()).unwrap();
            let unset: Vec<_> = descriptor.fields().filter(|field| !message.has_field(field)).collect();
            assert!(unset.is_empty(), "{name} lacks {unset:?}");
            assert_eq!(message.unknown_fields().count(), 0, "{name} has a field that the proto has not");
        }
    }

    fn capability() -> Capability {
        Capability {
            name: word(),
            title: word(),
            instructions: word(),
            version: word(),
            server_name: word(),
            server_description: word(),
        }
    }

    fn word() -> String {
        "word".to_owned()
    }

    fn hints() -> Hints {
        Hints { read_only: Some(true), destructive: Some(true), idempotent: Some(true), open_world: Some(true) }
    }

    fn example() -> Example {
        Example { description: word(), input: word() }
    }

    fn expose() -> Expose {
        Expose {
            tool_name: word(),
            title: word(),
            description: word(),
            hints: Some(hints()),
            toolset: word(),
            scopes: vec![word()],
            risk: 1,
            examples: vec![example()],
            confirm: word(),
            calls_per_minute: 1,
        }
    }

    fn field() -> Field {
        Field {
            required: true,
            min_length: Some(1),
            max_length: Some(1),
            pattern: word(),
            minimum: Some(1),
            maximum: Some(1),
            max_items: Some(1),
            default: word(),
            hidden: true,
            format: word(),
            nullable: true,
            brief: true,
        }
    }
}
