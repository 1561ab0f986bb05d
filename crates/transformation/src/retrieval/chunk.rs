//! What a model reads about an element: the element and its immediate relationships, in sentences.

use serde_json::Value;

use crate::domain::Mention;
use crate::domain::element::Element;
use crate::domain::properties::Properties;
use crate::metamodel::{ElementType, RelationshipType};

/// Properties take at most this much of a chunk, so that the description keeps its place.
const PROPERTIES_CHARS_MAX: usize = 1000;

/// The relationships of an element, as far as they were read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ties {
    pub shown: Vec<Tie>,
    /// True when there are more.
    pub more: bool,
}

/// A relationship, seen from one of its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Tie {
    pub r#type: RelationshipType,
    /// True when it starts here.
    pub outgoing: bool,
    pub other: Mention,
}

impl Tie {
    /// True when this makes the other end the capability that the element belongs to.
    fn belongs(&self) -> bool {
        use RelationshipType::{Aggregation, Assignment, Composition, Realization};
        self.other.r#type == ElementType::CAPABILITY.into()
            && match self.r#type {
                Realization | Assignment => self.outgoing,
                Composition | Aggregation => !self.outgoing,
                _ => false,
            }
    }

    fn sentence(&self, name: &str) -> String {
        let verb = if self.outgoing { self.r#type.verb() } else { self.r#type.verb_passive() };
        format!("{name} {verb} {} ({}).", self.other.name, self.other.r#type)
    }
}

/// The chunk of an element, cut after `chars_max`. The description comes last, because it is the part that may be long.
pub fn chunk(element: &Element, ties: &Ties, chars_max: usize) -> String {
    let name = element.name.as_str();
    let r#type = element.r#type;
    let mut lines = vec![format!("{name} is {} {type} in the {} layer.", article(r#type.label()), r#type.layer())];
    lines.extend(ties.shown.iter().map(|tie| tie.sentence(name)));
    if ties.more {
        lines.push("It has more relationships than these.".to_owned());
    }
    let capabilities: Vec<&str> =
        ties.shown.iter().filter(|tie| tie.belongs()).map(|tie| tie.other.name.as_str()).collect();
    if !capabilities.is_empty() {
        lines.push(format!("Capability: {}.", capabilities.join(", ")));
    }
    if !element.properties.is_empty() {
        lines.push(cut(&format!("Properties: {}", pairs(&element.properties)), PROPERTIES_CHARS_MAX));
    }
    if let Some(description) = &element.description {
        // What follows a line break is marked, so that stored text does not pass for a line of ours.
        lines.push(format!("Description: {}", description.trim().replace('\n', "\n> ")));
    }
    cut(&lines.join("\n"), chars_max)
}

/// Chunks in order until the next one would not fit, and how many they are. Only the first is ever cut.
pub fn assembled(chunks: &[String], chars_max: usize) -> (String, usize) {
    let Some(first) = chunks.first() else { return (String::new(), 0) };
    let mut text = cut(first, chars_max);
    let mut used = text.chars().count();
    let mut taken = 1;
    for chunk in &chunks[1..] {
        used += chunk.chars().count() + 2;
        if used > chars_max {
            break;
        }
        text.push_str("\n\n");
        text.push_str(chunk);
        taken += 1;
    }
    (text, taken)
}

fn pairs(properties: &Properties) -> String {
    let pair = |(key, value): (&String, &Value)| match value {
        Value::String(text) if !text.contains(char::is_control) => format!("{key}={text}"),
        other => format!("{key}={other}"),
    };
    properties.iter().map(pair).collect::<Vec<_>>().join(", ")
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let start: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use scope::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::domain::Name;

    // R-106.
    #[test]
    fn a_chunk_tells_identity_relationships_capability_properties_and_description() {
        let ties = [
            tie("Realization", true, "Order Management", "Capability"),
            tie("Serving", false, "Billing", "ApplicationComponent"),
            tie("Assignment", true, "Take order", "ApplicationFunction"),
        ];
        check(
            &Ties { shown: ties.to_vec(), more: true },
            1000,
            "OrderService is an ApplicationComponent in the application layer.\n\
             OrderService realizes Order Management (Capability).\n\
             OrderService is served by Billing (ApplicationComponent).\n\
             OrderService is assigned to Take order (ApplicationFunction).\n\
             It has more relationships than these.\n\
             Capability: Order Management.\n\
             Properties: owner=Ann, tags=[\"core\"], tier=1\n\
             Description: Takes orders",
        );
    }

    // R-106: each type reads in both directions.
    #[test]
    fn every_relationship_has_a_verb_for_either_end() {
        for of in RelationshipType::ALL {
            for (outgoing, verb) in [(true, of.verb()), (false, of.verb_passive())] {
                let tie = Tie { r#type: of, ..tie(of.label(), outgoing, "Host", "Node") };
                assert_eq!(tie.sentence("Disk"), format!("Disk {verb} Host (Node)."));
            }
        }
    }

    #[test]
    fn only_what_an_element_serves_as_a_part_makes_a_capability_its_own() {
        for (of, outgoing, expected) in [
            ("Realization", true, true),
            ("Assignment", true, true),
            ("Composition", false, true),
            ("Aggregation", false, true),
            ("Composition", true, false),
            ("Serving", true, false),
            ("Association", false, false),
        ] {
            assert_eq!(tie(of, outgoing, "Sales", "Capability").belongs(), expected, "{of} {outgoing}");
        }
        assert!(!tie("Realization", true, "Sales", "BusinessService").belongs());
    }

    #[test]
    fn a_chunk_is_cut_at_its_end() {
        check(&Ties::default(), 20, "OrderService is an …");
    }

    // R-105: never cut in the middle, except the first.
    #[test]
    fn chunks_are_taken_whole_until_the_budget_is_used() {
        let assemble = |chars_max| {
            let (text, taken) = assembled(&["aaaa".to_owned(), "bbbbbb".to_owned(), "c".to_owned()], chars_max);
            format!("{} {taken}", text.replace('\n', "|"))
        };
        assert_eq!(assemble(100), "aaaa||bbbbbb||c 3");
        assert_eq!(assemble(12), "aaaa||bbbbbb 2");
        assert_eq!(assemble(11), "aaaa 1");
        assert_eq!(assemble(3), "aa… 1");
        assert_eq!(assembled(&[], 10), (String::new(), 0));
    }

    fn tie(of: &str, outgoing: bool, name: &str, r#type: &str) -> Tie {
        let other = Mention {
            id: name.to_lowercase(),
            name: name.to_owned(),
            r#type: ElementType::from_label(r#type).unwrap().into(),
        };
        Tie { r#type: RelationshipType::from_label(of).unwrap(), outgoing, other }
    }

    #[track_caller]
    fn check(ties: &Ties, chars_max: usize, expected: &str) {
        let element = Element {
            profile: None,
            junction: None,
            id: "e".to_owned(),
            repository_id: "r".to_owned(),
            model_id: "m".to_owned(),
            r#type: ElementType::from_label("ApplicationComponent").unwrap(),
            name: Name::new("name", "OrderService").unwrap(),
            key: None,
            description: Some("Takes orders".to_owned()),
            properties: json!({"owner": "Ann", "tags": ["core"], "tier": 1}).as_object().cloned().unwrap(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        };
        assert_eq!(chunk(&element, ties, chars_max), expected);
    }
}
