//! The words of enum values.

use std::fmt::Write as _;

use prost_reflect::EnumDescriptor;

use super::names;
use crate::{Capability, Source};

pub fn enums(capability: &Capability, source: &Source) -> String {
    capability.enums().iter().map(|list| implementation(source, list)).collect()
}

fn implementation(source: &Source, list: &EnumDescriptor) -> String {
    let name = names::enumeration(list);
    let (mut all, mut arms) = (String::new(), String::new());
    for value in list.values() {
        let variant = names::variant(&value);
        let label = if value.number() == 0 { String::new() } else { source.label(&value) };
        if value.number() != 0 {
            write!(all, "Self::{variant}, ").expect("a string takes any text");
        }
        writeln!(arms, "Self::{variant} => {label:?},").expect("a string takes any text");
    }
    format!(
        "impl {name} {{\n\
         /// Every value except the unspecified one, in proto order.\n\
         pub const ALL: &[Self] = &[{all}];\n\n\
         /// The word outside; empty for the unspecified value.\n\
         pub fn label(self) -> &'static str {{\nmatch self {{\n{arms}}}\n}}\n\n\
         /// The value that a word means, in any spelling of its label or proto name.\n\
         pub fn from_label(word: &str) -> Option<Self> {{\n<Self as labels::Labelled>::from_label(word)\n}}\n}}\n\n\
         impl labels::Labelled for {name} {{\n\
         const ALL: &'static [Self] = Self::ALL;\n\n\
         fn label(self) -> &'static str {{\nself.label()\n}}\n\n\
         fn proto_name(self) -> &'static str {{\nself.as_str_name()\n}}\n}}\n\n"
    )
}
