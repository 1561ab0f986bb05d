//! JSON: objects that say what they are, objects whose keys clearly name a type, and everything else as a note.

use contract::Object;
use serde_json::{Map, Value};

use super::effort::Effort;
use super::finding::Findings;
use super::identifier::Kind;
use super::record::{Hints, Pair};
use super::table::ENTITIES_MAX;
use super::vocabulary::{Reading, Vocabulary};
use super::{Extracted, Failure, Understood, language, note, parties, record, vocabulary};

/// The entities of a JSON text. Every key of an object is kept.
pub fn entities(text: &str, effort: &Effort) -> Result<Understood, Failure> {
    effort.spend(text.len())?;
    // The parser refuses deep nesting itself.
    let value: Value =
        serde_json::from_str(text).map_err(|_| Failure { reason: "the JSON is not well formed".to_owned() })?;
    let list = match &value {
        Value::Array(list) => list.as_slice(),
        // An object that only wraps a list is read as the list.
        Value::Object(object) if object.len() == 1 => match object.values().next() {
            Some(Value::Array(list)) if list.iter().all(Value::is_object) && !list.is_empty() => list.as_slice(),
            _ => std::slice::from_ref(&value),
        },
        _ => std::slice::from_ref(&value),
    };
    let mut found = Vec::new();
    for value in list.iter().take(ENTITIES_MAX) {
        effort.spend(vocabulary::ALL.len() * value.as_object().map_or(0, Map::len))?;
        // One element that fits nothing makes the whole a note: half of a list would be a lie.
        let Some(entity) = entity(value) else { return walked(&value_of(list), text, effort) };
        found.push(entity);
    }
    if found.is_empty() {
        return Ok(untyped(text));
    }
    let understood = Understood::from(found);
    match list.len().saturating_sub(ENTITIES_MAX) {
        0 => Ok(understood),
        more => {
            Ok(understood.remark(format!("The list has {more} more elements than the {ENTITIES_MAX} that are read.")))
        }
    }
}

fn value_of(list: &[Value]) -> Value {
    Value::Array(list.to_vec())
}

/// What stands deeper: lists of entities inside of objects, the company that has them, and the people they name.
fn walked(value: &Value, text: &str, effort: &Effort) -> Result<Understood, Failure> {
    let mut found = Findings::default();
    let mut around = Around::default();
    walk(value, &mut around, &mut found, effort)?;
    if found.entities().iter().all(|entity| matches!(entity.entity_type.as_str(), "person" | "company")) {
        return Ok(untyped(text));
    }
    Ok(found.finish())
}

/// What the objects around one say.
#[derive(Debug, Default, Clone)]
struct Around {
    company: Option<String>,
    /// The name of the list it is in.
    list: Option<String>,
}

fn walk(value: &Value, around: &mut Around, found: &mut Findings, effort: &Effort) -> Result<(), Failure> {
    let object = match value {
        Value::Array(list) => {
            let inner = list.iter().take(ENTITIES_MAX);
            for value in inner {
                walk(value, &mut around.clone(), found, effort)?;
            }
            return Ok(());
        }
        Value::Object(object) => object,
        _ => return Ok(()),
    };
    effort.spend(object.len() * vocabulary::ALL.len() * 8)?;
    if found.entities().len() >= ENTITIES_MAX {
        return Ok(());
    }
    if let Some(mut entity) =
        entity(value).filter(|entity| entity.entity_type != "note" && entity.entity_type != "person")
    {
        if entity.entity_type == "invoice"
            && let Some(company) = &around.company
        {
            entity.fields.entry("vendor_name".to_owned()).or_insert_with(|| company.as_str().into());
        }
        let people: Vec<(String, String)> = object.values().flat_map(members).collect();
        if entity.entity_type == "task" {
            let is_done = around.list.as_deref().is_some_and(is_done);
            entity.fields.entry("status".to_owned()).or_insert_with(|| if is_done { "done" } else { "open" }.into());
            if let [(name, _)] = &people[..] {
                entity.fields.insert("assignee".to_owned(), name.as_str().into());
                entity.fields.retain(|_, value| members(value).is_empty());
            }
        }
        let at = found.add(&entity.entity_type, entity.fields);
        for (name, email) in &people {
            let person = found.person(name, &[("email", email)]);
            if found.entities()[at].entity_type == "task" {
                found.link("ASSIGNED_TO", at, person, name);
            }
        }
        parties::named(found, at);
        return Ok(());
    }
    if let Some(name) = object.get("name").and_then(Value::as_str) {
        around.list = Some(name.to_owned());
    }
    for inner in object.values().filter_map(Value::as_object) {
        if let Some((name, numbers)) = company(inner) {
            let at = found.party("company", &name, &[]);
            numbers.iter().for_each(|(kind, value)| parties::give(found, at, *kind, value));
            around.company = Some(name);
        }
    }
    object.values().try_for_each(|inner| walk(inner, &mut around.clone(), found, effort))
}

/// Names and addresses of a list of people.
fn members(value: &Value) -> Vec<(String, String)> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let person = |value: &Value| {
        let object = value.as_object()?;
        let email = object.values().filter_map(Value::as_str).find(|text| text.contains('@')).unwrap_or_default();
        Some((name_of(object)?, email.to_owned()))
    };
    list.iter().filter_map(person).collect()
}

/// A company by its name and a number of an office.
fn company(object: &Map<String, Value>) -> Option<(String, Vec<(Kind, String)>)> {
    let name = name_of(object)?;
    let kind_of = |key: &str| {
        let key = vocabulary::normal(key);
        let is = |list: fn(&language::Language) -> &'static str| language::any(list, &key);
        match key.as_str() {
            "vat" | "vat id" | "tva" => Some(Kind::Vat),
            "nif" | "nipc" => Some(Kind::Either),
            _ if is(|language| language.registers) => Some(Kind::Register),
            _ if is(|language| language.vat) => Some(Kind::Vat),
            _ if is(|language| language.tax_ids) => Some(Kind::Tax),
            _ => None,
        }
    };
    let numbers: Vec<(Kind, String)> =
        object.iter().filter_map(|(key, value)| Some((kind_of(key)?, value.as_str()?.to_owned()))).collect();
    (!numbers.is_empty()).then_some((name, numbers))
}

/// The value of a key for names, in any language.
fn name_of(object: &Map<String, Value>) -> Option<String> {
    let is_name = |key: &str| language::any(|language| language.name_labels, &vocabulary::normal(key));
    object.iter().find(|(key, _)| is_name(key)).and_then(|(_, value)| value.as_str()).map(str::to_owned)
}

/// Whether a list is called one of things that are done.
fn is_done(list: &str) -> bool {
    const DONE: &str = "done|completed|closed|finished|erledigt|fertig|fait|terminé|hecho|terminado|gedaan|klaar|fatto|completato|feito|concluído";
    DONE.split('|').any(|word| word == vocabulary::normal(list))
}

fn untyped(text: &str) -> Understood {
    let remark = "The JSON names no type that is known, not in all of its elements: it is kept as one note. \
                  Give each object an entity_type to have it stored as an entity.";
    note::whole(text).remark(remark)
}

fn entity(value: &Value) -> Option<Extracted> {
    let object = value.as_object()?;
    match object.get("entity_type") {
        Some(Value::String(entity_type)) => {
            let fields = object.iter().filter(|(name, _)| *name != "entity_type");
            let fields: Map<String, Value> = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
            Some(Extracted { entity_type: entity_type.clone(), fields: fields.into() })
        }
        Some(_) => None,
        None => typed(object),
    }
}

fn typed(object: &Map<String, Value>) -> Option<Extracted> {
    let labels: Vec<String> = object.keys().map(|key| vocabulary::normal(key)).collect();
    let vocabulary = record::type_of(labels.iter().map(String::as_str))?;
    // What has no plain form takes no field, so it is among what is left.
    let pairs = object.iter().map(|(key, value)| Pair::new(key, &plain(value).unwrap_or_default()));
    let pairs: Vec<Pair> = pairs.collect();
    let (mut entity, left) = record::whole(vocabulary, &pairs, Hints::default())?;
    keep_values(vocabulary, object, &mut entity.fields);
    for (at, (key, value)) in object.iter().enumerate() {
        let label = vocabulary::normal(key);
        let is_taken = label == "items" || vocabulary.term(&label).is_some_and(|term| term.field == "tags");
        let is_left = match value {
            Value::Array(list) => !list.is_empty() && !is_taken,
            // Of a party only the name became a field.
            Value::Object(inner) => inner.len() > 1 || name_of(inner).is_none(),
            _ => left.binary_search(&at).is_ok(),
        };
        if let Some(name) = record::field_name(key).filter(|_| is_left) {
            entity.fields.entry(name).or_insert_with(|| value.clone());
        }
    }
    Some(entity)
}

/// Numbers and lists are kept as JSON has them: text would lose their form.
fn keep_values(vocabulary: &Vocabulary, object: &Map<String, Value>, fields: &mut Object) {
    for (key, value) in object {
        let label = vocabulary::normal(key);
        if let Some(items @ Value::Array(_)) = Some(value).filter(|_| label == "items") {
            if matches!(vocabulary.entity_type, "invoice" | "receipt") {
                fields.insert("items".to_owned(), items.clone());
            }
            continue;
        }
        let Some(term) = vocabulary.term(&label) else { continue };
        let is_best = fields.get(term.field).is_some();
        match (term.reading, value) {
            (Reading::Amount, Value::Number(number)) if is_best && number.as_f64() == fields[term.field].as_f64() => {
                fields.insert(term.field.to_owned(), number.clone().into());
            }
            (Reading::Text, Value::Array(list)) if term.field == "tags" && list.iter().all(Value::is_string) => {
                let tags: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                fields.insert(term.field.to_owned(), tags.join(", ").into());
            }
            _ => {}
        }
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        // The name of a nested party is what stands for it.
        Value::Object(inner) => name_of(inner),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn objects_that_say_what_they_are_are_taken_as_they_are() {
        check(r#"{"entity_type":"task","title":"A","x":[1.50]}"#, r#"task {"title":"A","x":[1.5]}"#);
        check(r#"[{"entity_type":"note","content":" a "}]"#, r#"note {"content":" a "}"#);
    }

    #[test]
    fn keys_that_clearly_name_a_type_decide() {
        check(
            r#"{"invoiceNumber":"I-1","invoiceDate":"2026-03-03","total":1234,"currency":"EUR","vendor":{"name":"Birke"}}"#,
            r#"invoice {"invoice_number":"I-1","invoice_date":"2026-03-03","amount_due":1234,"vendor_name":"Birke","currency":"EUR"}"#,
        );
        check(
            r#"{"people":[{"name":"Ada Linde","email":"a@example.com"}]}"#,
            r#"person {"name":"Ada Linde","email":"a@example.com"}"#,
        );
    }

    #[test]
    fn every_key_is_kept() {
        check(
            r#"{"name":"Ada Linde","email":"a@example.com","badge":7,"teams":["x"],"home":{"city":"Leith"},"nick":null}"#,
            r#"person {"name":"Ada Linde","email":"a@example.com","badge":7,"teams":["x"],"home":{"city":"Leith"}}"#,
        );
    }

    #[test]
    fn everything_else_is_a_note() {
        check(r#"{"a":1}"#, r#"note {"content":"{\"a\":1}"}"#);
        check(r#"[1,2]"#, r#"note {"content":"[1,2]"}"#);
    }

    #[test]
    fn broken_json_is_a_failure() {
        assert_eq!(entities("{", &ample()).unwrap_err().reason, "the JSON is not well formed");
        assert!(entities(&"[".repeat(100_000), &ample()).is_err());
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = entities(text, &ample()).unwrap().entities;
        let shown: Vec<String> = found
            .iter()
            .map(|entity| format!("{} {}", entity.entity_type, serde_json::to_string(&entity.fields).unwrap()))
            .collect();
        assert_eq!(shown.join("\n"), expected);
    }
}
