//! JSON Schemas of messages, in the subset that every model vendor takes (534 §6.7).
//!
//! No references, no combinators, no numeric formats; everything is inlined, in proto order.

mod input;
mod output;
#[cfg(test)]
mod tests;

pub use input::{briefs, input, items_max};
pub use output::output;

use prost_reflect::{Kind, MessageDescriptor};

/// `google.protobuf.Struct`: any JSON object.
pub fn is_open_object(message: &MessageDescriptor) -> bool {
    message.full_name() == "google.protobuf.Struct"
}

/// `google.protobuf.Value`: any JSON value.
pub fn is_any_value(message: &MessageDescriptor) -> bool {
    message.full_name() == "google.protobuf.Value"
}

/// `google.protobuf.ListValue`: a JSON array that can be absent, which a repeated field cannot.
pub fn is_open_list(message: &MessageDescriptor) -> bool {
    message.full_name() == "google.protobuf.ListValue"
}

pub fn is_timestamp(message: &MessageDescriptor) -> bool {
    message.full_name() == "google.protobuf.Timestamp"
}

/// The JSON type of a scalar; `None` for messages, enums and bytes.
fn scalar_type(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Bool => "boolean",
        Kind::String => "string",
        Kind::Float | Kind::Double => "number",
        Kind::Bytes | Kind::Message(_) | Kind::Enum(_) => return None,
        _ => "integer",
    })
}

fn is_unsigned(kind: &Kind) -> bool {
    matches!(kind, Kind::Uint32 | Kind::Uint64 | Kind::Fixed32 | Kind::Fixed64)
}
