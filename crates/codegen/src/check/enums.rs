//! Each word of an enum means one value.

use crate::{Capability, Problem, Source};

pub fn check(source: &Source, capability: &Capability, problems: &mut Vec<Problem>) {
    for list in capability.enums() {
        let mut taken: Vec<(String, String)> = Vec::new();
        for value in list.values().filter(|value| value.number() != 0) {
            let label = source.label(&value);
            let spelling = folded(&label);
            if let Some((_, other)) = taken.iter().find(|(word, _)| *word == spelling) {
                problems.push(Problem::error(
                    source.place(&value),
                    format!("{} of {} has the label {label:?} of {other}", value.name(), list.name()),
                    "give it another label",
                ));
            }
            taken.push((spelling, value.name().to_owned()));
        }
    }
}

/// The spelling that `contract::labels::same` compares.
fn folded(label: &str) -> String {
    label.chars().filter(|char| !matches!(char, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect()
}
