//! Checks of single arguments. Each gives the value as it is stored, or the flaw with its fix.

use desk::names::is_disguised;
use scope::Timestamp;

use super::words::EvidenceKind;
use super::{limit, narrative::Evidence};
use crate::error::Flaw;

/// A text of 1 to `chars_max` characters, without the space around it.
pub fn text(field: &str, text: &str, chars_max: usize) -> Result<String, Flaw> {
    let text = text.trim();
    let chars = text.chars().count();
    if chars == 0 {
        return Err(flaw(field, "is empty", format!("give {field} 1 to {chars_max} characters")));
    }
    if chars > chars_max {
        return Err(flaw(field, format!("has {chars} characters"), format!("cut {field} to {chars_max} characters")));
    }
    Ok(text.to_owned())
}

/// A text that may be absent; empty then.
pub fn optional(field: &str, given: Option<&str>, chars_max: usize) -> Result<String, Flaw> {
    given.filter(|given| !given.trim().is_empty()).map_or(Ok(String::new()), |given| text(field, given, chars_max))
}

/// The name or title of something: no control characters, and no letters of another script that pretend to be these.
pub fn name(field: &str, given: &str) -> Result<String, Flaw> {
    let name = text(field, given, limit::NAME_CHARS_MAX)?;
    if name.chars().any(char::is_control) {
        return Err(flaw(field, "holds a control character", "write it in one line of plain text"));
    }
    if let Some(word) = name.split_whitespace().find(|word| is_disguised(word)) {
        let reason = format!("mixes scripts in {:?}, which reads like {:?}", word, desk::names::plain(word));
        return Err(flaw(field, reason, "write each word in letters of one script"));
    }
    Ok(name)
}

/// A number from 0 to 1. The schema says so too; an import has no schema.
pub fn confidence(field: &str, value: f64) -> Result<f64, Flaw> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(flaw(field, format!("is {value}"), "give a number from 0.0 to 1.0"))
}

/// A moment that may be absent.
pub fn moment(field: &str, given: Option<&str>) -> Result<Option<Timestamp>, Flaw> {
    let parse =
        |text: &str| text.parse().map_err(|_| flaw(field, "is no date and time", "write it as 2025-01-15T12:00:00Z"));
    given.map(parse).transpose()
}

/// Ids in lower case, each once and not too many.
pub fn ids(field: &str, given: &[String]) -> Result<Vec<String>, Flaw> {
    let most = limit::REFERENCES_MAX;
    if given.len() > most {
        return Err(flaw(field, format!("names {} ids", given.len()), format!("name {most} at most")));
    }
    let ids: Vec<String> = given.iter().map(|id| id.to_ascii_lowercase()).collect();
    match ids.iter().enumerate().find(|(place, id)| ids[..*place].contains(id)) {
        Some((place, _)) => Err(flaw(format!("{field}[{place}]"), "is named twice", "name each id once")),
        None => Ok(ids),
    }
}

/// What `evidence_refs` name: at least one, each `kind:uuid`.
pub fn evidence(field: &str, given: &[String]) -> Result<Vec<Evidence>, Flaw> {
    let most = limit::REFERENCES_MAX;
    if given.is_empty() {
        return Err(flaw(field, "is empty", "name at least one piece of evidence, such as source:uuid or turn:uuid"));
    }
    if given.len() > most {
        return Err(flaw(field, format!("names {} pieces", given.len()), format!("name {most} at most")));
    }
    let read = |(place, text): (usize, &String)| {
        let found = text
            .split_once(':')
            .and_then(|(kind, id)| Some(Evidence { r#type: EvidenceKind::of(kind)?, ref_id: uuid(id)? }));
        let kinds: Vec<&str> = EvidenceKind::ALL.iter().map(|kind| kind.as_str()).collect();
        found.ok_or_else(|| {
            let fix = format!("write kind:uuid with kind {}", kinds.join(", "));
            flaw(format!("{field}[{place}]"), "is no evidence reference", fix)
        })
    };
    let mut all = given.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    // The same piece twice is one piece.
    let mut seen = Vec::new();
    all.retain(|one| {
        let is_new = !seen.contains(one);
        seen.push(one.clone());
        is_new
    });
    Ok(all)
}

/// A UUID in lower case: 8-4-4-4-12 hexadecimal digits.
pub fn uuid(text: &str) -> Option<String> {
    let groups: Vec<&str> = text.split('-').collect();
    let fits = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()));
    fits.then(|| text.to_ascii_lowercase())
}

fn flaw(field: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> Flaw {
    Flaw { field: field.into(), reason: reason.into(), fix: fix.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<T: std::fmt::Debug>(checked: Result<T, Flaw>) -> String {
        checked.map_or_else(|flaw| format!("{} {}", flaw.field, flaw.reason), |value| format!("{value:?}"))
    }

    #[test]
    fn a_name_is_one_line_in_letters_of_one_script() {
        for (given, expected) in [
            (" Gandalf the Grey ", "\"Gandalf the Grey\""),
            ("Éowyn", "\"Éowyn\""),
            ("Ре\u{43a}а", "\"Река\""),
            ("", "name is empty"),
            ("  ", "name is empty"),
            ("a\nb", "name holds a control character"),
            ("M\u{456}ddle-earth", "name mixes scripts in \"Mіddle-earth\", which reads like \"Middle-earth\""),
        ] {
            assert_eq!(shown(name("name", given)), expected);
        }
        assert_eq!(shown(name("name", &"x".repeat(201))), "name has 201 characters");
    }

    //
    #[test]
    fn a_uuid_is_hexadecimal_in_either_case() {
        assert_eq!(uuid("550E8400-e29b-41D4-a716-446655440000").unwrap(), "550e8400-e29b-41d4-a716-446655440000");
        for wrong in [
            "",
            "550e8400e29b41d4a716446655440000",
            "550e8400-e29b-41d4-a716-44665544000g",
            "550e8400-e29b-41d4-a716-4466554400001",
        ] {
            assert_eq!(uuid(wrong), None, "{wrong}");
        }
    }

    //
    #[test]
    fn confidence_lies_between_zero_and_one() {
        for (value, expected) in [
            (0.0, "0.0"),
            (1.0, "1.0"),
            (1.2, "confidence is 1.2"),
            (-0.1, "confidence is -0.1"),
            (f64::NAN, "confidence is NaN"),
        ] {
            assert_eq!(shown(confidence("confidence", value)), expected);
        }
    }

    #[test]
    fn evidence_is_a_kind_and_a_uuid() {
        let id = "550e8400-e29b-41d4-a716-446655440001";
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let check = |texts: &[&str], expected: &str| {
            let found = evidence("evidence_refs", &list(texts)).map(|all| all.len());
            assert_eq!(shown(found), expected, "{texts:?}");
        };
        check(&[], "evidence_refs is empty");
        check(&[&format!("source:{id}"), &format!("source:{id}"), &format!("rule:{id}")], "2");
        check(&[&format!("source:{id}"), "source:x"], "evidence_refs[1] is no evidence reference");
        check(&[&format!("rumor:{id}")], "evidence_refs[0] is no evidence reference");
        check(&[id], "evidence_refs[0] is no evidence reference");
    }

    #[test]
    fn ids_are_named_once() {
        let id = "550E8400-e29b-41d4-a716-446655440001".to_owned();
        assert_eq!(shown(ids("ids", &[id.clone(), id.to_lowercase()])), "ids[1] is named twice");
        assert_eq!(shown(ids("ids", &vec![id; 101])), "ids names 101 ids");
    }
}
