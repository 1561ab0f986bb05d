//! Real models, replayed through the tools: what breaks no rule is taken.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use contract::Capability;
use serde_json::{Map, Value, json};

use crate::world::World;

/// Only second elements of one name and type, and what breaks a rule, are refused; the manifest beside the models says
/// how many of either there are.
#[tokio::test]
async fn real_models_are_taken_but_for_what_breaks_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/archimate/models");
    let Ok(manifest) = std::fs::read_to_string(folder.join("manifest.csv")) else {
        println!("SKIPPED: {} is not here, so no real model was replayed", folder.display());
        return;
    };
    let mut lines = manifest.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    for line in lines {
        let cells: BTreeMap<&str, &str> = columns.iter().copied().zip(line.split(',')).collect();
        let count = |column: &str| cells[column].parse::<usize>().unwrap();
        let model = Model::read(&folder.join(cells["file"]));
        assert_eq!((model.elements.len(), model.relationships.len()), (count("elements"), count("relationships")));
        let refused = replay(&model).await;
        assert_eq!(refused.elements, model.second_elements(), "{}", cells["file"]);
        assert_eq!(refused.relationships.len(), count("invalid_relationships"), "{}: {refused:#?}", cells["file"]);
        for (relationship, error) in &refused.relationships {
            assert_eq!(error["code"], "INVALID_RELATIONSHIP", "{} {relationship}: {error}", cells["file"]);
        }
    }
}

/// What the tools refused: ids of elements, and relationships with their errors.
#[derive(Debug, Default)]
struct Refused {
    elements: BTreeSet<String>,
    relationships: Vec<(String, Value)>,
}

async fn replay(model: &Model) -> Refused {
    let world = World::new().await;
    let mut refused = Refused::default();
    // What the model calls it, and the id it has here.
    let mut ids: BTreeMap<&str, String> = BTreeMap::new();
    for element in &model.elements {
        let mut arguments = json!({"type": element.r#type, "name": element.name});
        if let Some(kind) = element.junction_kind {
            arguments["junction_kind"] = json!(kind);
        }
        let id = match call(&world, "createElement", arguments).await {
            Ok(answer) => answer["element"]["id"].clone(),
            Err(error) => {
                assert_eq!(error["code"], "DUPLICATE_NAME", "{}: {error}", element.name);
                refused.elements.insert(element.id.clone());
                error["suggestions"]["existing_element"]["id"].clone()
            }
        };
        ids.insert(&element.id, id.as_str().unwrap().to_owned());
    }
    let mut open: Vec<&Relationship> = model.relationships.iter().collect();
    // A relationship that ends at another one comes after it.
    while !open.is_empty() {
        let (ready, rest): (Vec<_>, Vec<_>) = open
            .into_iter()
            .partition(|of| ids.contains_key(of.source.as_str()) && ids.contains_key(of.target.as_str()));
        assert!(!ready.is_empty(), "{} relationships lead nowhere", rest.len());
        for of in ready {
            let mut arguments = of.attributes.clone();
            arguments.insert("type".to_owned(), json!(of.r#type));
            arguments.insert("source_id".to_owned(), json!(ids[of.source.as_str()]));
            arguments.insert("target_id".to_owned(), json!(ids[of.target.as_str()]));
            match call(&world, "createRelationship", Value::Object(arguments)).await {
                Ok(answer) => {
                    ids.insert(&of.id, answer["relationship"]["id"].as_str().unwrap().to_owned());
                }
                Err(error) => {
                    refused.relationships.push((format!("{} {} {}", of.source, of.r#type, of.target), error));
                }
            }
        }
        open = rest;
    }
    refused
}

async fn call(world: &World, tool: &str, arguments: Value) -> Result<Value, Value> {
    let arguments = arguments.as_object().cloned().unwrap();
    let answer = world.capability.call(&world.ctx(), &format!("transformation.{tool}"), arguments).await;
    answer
        .map(|answer| answer.structured.unwrap().value())
        .map_err(|error| world.capability.envelope(&world.ctx().request, &error)["error"].clone())
}

struct Element {
    id: String,
    r#type: String,
    name: String,
    junction_kind: Option<&'static str>,
}

struct Relationship {
    id: String,
    r#type: String,
    source: String,
    target: String,
    attributes: Map<String, Value>,
}

struct Model {
    elements: Vec<Element>,
    relationships: Vec<Relationship>,
}

impl Model {
    /// Reads an exchange file or a native Archi file, as far as elements and relationships go.
    fn read(path: &PathBuf) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut model = Self { elements: Vec::new(), relationships: Vec::new() };
        // The exchange format names an element in a tag of its own.
        let mut unnamed = false;
        for tag in tags(&text) {
            match tag.name {
                "element" => unnamed = model.add_element(&tag),
                "relationship" => {
                    model.add_relationship(&tag);
                    unnamed = false;
                }
                "name" if unnamed => {
                    model.elements.last_mut().unwrap().name = one_line(&decoded(tag.text));
                    unnamed = false;
                }
                _ => {}
            }
        }
        model
    }

    /// True when the name of the element is still to come.
    fn add_element(&mut self, tag: &Tag<'_>) -> bool {
        let label = tag.attribute("xsi:type").unwrap_or_default().replace("archimate:", "");
        if label.ends_with("Relationship") {
            self.add_relationship(tag);
            return false;
        }
        if label.is_empty() || label.ends_with("Model") {
            return false;
        }
        let (r#type, junction_kind) = match label.as_str() {
            "AndJunction" => ("Junction".to_owned(), Some("and")),
            "OrJunction" => ("Junction".to_owned(), Some("or")),
            "Junction" if tag.attribute("type").as_deref() == Some("or") => (label, Some("or")),
            "Junction" => (label, Some("and")),
            _ => (label, None),
        };
        let named = tag.attribute("name");
        let id = tag.attribute("identifier").or_else(|| tag.attribute("id")).unwrap();
        let name = one_line(&named.clone().unwrap_or_else(|| "Junction".to_owned()));
        self.elements.push(Element { id, r#type, name, junction_kind });
        named.is_none()
    }

    fn add_relationship(&mut self, tag: &Tag<'_>) {
        let label = tag.attribute("xsi:type").unwrap().replace("archimate:", "");
        let r#type = label.trim_end_matches("Relationship").to_owned();
        let mut attributes = Map::new();
        if r#type == "Access" {
            let kind = match tag.attribute("accessType").as_deref() {
                None | Some("0" | "Write") => "Write",
                Some("1" | "Read") => "Read",
                Some("3" | "ReadWrite") => "ReadWrite",
                _ => "Access",
            };
            attributes.insert("access_type".to_owned(), json!(kind));
        }
        if let Some(strength) = tag.attribute("strength").or_else(|| tag.attribute("modifier")) {
            attributes.insert("strength".to_owned(), json!(strength));
        }
        if tag.attribute("directed").or_else(|| tag.attribute("isDirected")).as_deref() == Some("true") {
            attributes.insert("directed".to_owned(), json!(true));
        }
        let given = |name: &str| tag.attribute(name).unwrap();
        let id = tag.attribute("identifier").unwrap_or_else(|| given("id"));
        self.relationships.push(Relationship {
            id,
            r#type,
            source: given("source"),
            target: given("target"),
            attributes,
        });
    }

    /// Ids of the elements that repeat the name and the type of an earlier one; a junction repeats nothing.
    fn second_elements(&self) -> BTreeSet<String> {
        let mut known = BTreeSet::new();
        let named = self.elements.iter().filter(|element| element.junction_kind.is_none());
        let second = named.filter(|element| !known.insert((&element.r#type, element.name.to_lowercase())));
        second.map(|element| element.id.clone()).collect()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A start tag, and the text up to the next tag.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    text: &'a str,
}

impl Tag<'_> {
    fn attribute(&self, name: &str) -> Option<String> {
        let (_, rest) = self.attributes.split_once(&format!(" {name}=\""))?;
        Some(decoded(rest.split_once('"')?.0))
    }
}

/// The start tags of a file, in order. Enough for files that tools have written.
fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    text.split('<').skip(1).filter(|piece| !piece.starts_with(['/', '?', '!'])).filter_map(|piece| {
        let (tag, text) = piece.split_once('>')?;
        let tag = tag.trim_end_matches('/');
        let name = tag.split_whitespace().next()?;
        Some(Tag { name, attributes: &tag[name.len()..], text })
    })
}

fn decoded(text: &str) -> String {
    let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#xA;", "\n"), ("&#xD;", "\r")];
    let plain = known.iter().fold(text.to_owned(), |text, (coded, letter)| text.replace(coded, letter));
    plain.replace("&amp;", "&")
}
