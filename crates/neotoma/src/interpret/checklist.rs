//! Task lists: checkboxes, `TODO:` lines, and the marks that people write behind a task.

use contract::Object;

use super::effort::Effort;
use super::lines::Line;
use super::{Extracted, Failure, date};

/// The tasks among `lines`, in order.
pub fn tasks(lines: &[Line], effort: &Effort) -> Result<Vec<Extracted>, Failure> {
    let items = lines.iter().filter_map(|line| item(&line.text));
    let task = |(done, text): (Option<bool>, &str)| {
        effort.spend(text.len() * MARKS_MAX)?;
        Ok(task(done, text))
    };
    items.map(task).collect()
}

/// Whether the line is a task.
pub fn is_item(line: &Line) -> bool {
    item(&line.text).is_some()
}

/// Marks behind one task that are read.
const MARKS_MAX: usize = 16;
/// A longer line is not a task.
const ITEM_BYTES_MAX: usize = 2_000;

/// Whether it is done, if that is shown, and its words.
fn item(text: &str) -> Option<(Option<bool>, &str)> {
    if text.len() > ITEM_BYTES_MAX {
        return None;
    }
    let text = text.trim_start_matches(['-', '*', '+', ' ']);
    for (mark, done) in
        [("[ ]", false), ("[]", false), ("[x]", true), ("[X]", true), ("☐", false), ("☑", true), ("✓", true)]
    {
        if let Some(rest) = text.strip_prefix(mark) {
            return Some((Some(done), rest.trim())).filter(|(_, rest)| !rest.is_empty());
        }
    }
    for (mark, done) in [("TODO:", None), ("TODO ", None), ("DONE:", Some(true))] {
        if let Some(rest) = text.strip_prefix(mark) {
            return Some((done, rest.trim())).filter(|(_, rest)| !rest.is_empty());
        }
    }
    None
}

/// A task is `open` or `done` by its checkbox; a `TODO` is open.
fn task(done: Option<bool>, text: &str) -> Extracted {
    let mut fields = Object::default();
    let mut title = text.trim();
    let mut tags = Vec::new();
    for _ in 0..MARKS_MAX {
        let Some((rest, mark)) = last_mark(title) else { break };
        match mark {
            Mark::Field(field, value) => {
                fields.entry(field.to_owned()).or_insert(value.into());
            }
            Mark::Tag(tag) => tags.insert(0, tag),
            Mark::Group(marks) => {
                fields.extend(marks.into_iter().map(|(field, value)| (field.to_owned(), value.into())))
            }
        }
        title = rest.trim_end().trim_end_matches(['-', '–', '—', ',', ';']).trim_end();
    }
    let mut task = Object::default();
    task.insert("title".to_owned(), title.into());
    task.insert("status".to_owned(), if done == Some(true) { "done" } else { "open" }.into());
    for field in ["priority", "assignee", "project_id", "due_date"] {
        if let Some(value) = fields.remove(field) {
            task.insert(field.to_owned(), value);
        }
    }
    if !tags.is_empty() {
        task.insert("tags".to_owned(), tags.join(", ").into());
    }
    Extracted { entity_type: "task".to_owned(), fields: task }
}

enum Mark {
    Field(&'static str, String),
    Tag(String),
    Group(Vec<(&'static str, String)>),
}

/// The mark that ends `text`, and the text before it.
fn last_mark(text: &str) -> Option<(&str, Mark)> {
    if let Some(open) = text.rfind('(')
        && let Some(inside) = text[open + 1..].strip_suffix(')')
    {
        let marks: Option<Vec<_>> = inside.split([',', ';']).map(|part| field_mark(part.trim())).collect();
        return marks.map(|marks| (&text[..open], Mark::Group(marks)));
    }
    let (before, last) = text.rsplit_once(' ')?;
    if let Some(tag) = last.strip_prefix('#').filter(|tag| tag.starts_with(char::is_alphabetic)) {
        return Some((before, Mark::Tag(tag.to_owned())));
    }
    if last.starts_with(['@', '!', '+'])
        && let Some((field, value)) = field_mark(last)
    {
        return Some((before, Mark::Field(field, value)));
    }
    // A date with its word: "due 2026-03-10", "bis 10. März 2026".
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    DUE.iter().find_map(|word| {
        let at = lower.rfind(word).filter(|at| *at > 0 && !lower[..*at].ends_with(char::is_alphanumeric))?;
        let (field, value) = field_mark(&text[at..])?;
        Some((&text[..at], Mark::Field(field, value)))
    })
}

const DUE: &[&str] = &[
    "due:",
    "due by ",
    "due on ",
    "due ",
    "fällig am ",
    "fällig: ",
    "fällig ",
    "bis zum ",
    "bis ",
    "by ",
    "deadline ",
];

fn field_mark(text: &str) -> Option<(&'static str, String)> {
    let word = |mark: char| {
        text.strip_prefix(mark).filter(|rest| rest.starts_with(char::is_alphabetic) && !rest.contains(' '))
    };
    if let Some(name) = word('@') {
        return Some(("assignee", name.to_owned()));
    }
    if let Some(level) = word('!') {
        return Some(("priority", level.to_owned()));
    }
    if let Some(project) = word('+') {
        return Some(("project_id", project.to_owned()));
    }
    if let Some((label, value)) = text.split_once(": ") {
        let label = super::vocabulary::normal(label);
        let term = super::vocabulary::TASK.term(&label)?;
        return match term.field {
            "due_date" => Some(("due_date", date::parse(value, None)?)),
            "assignee" | "priority" | "project_id" => Some((term.field, value.trim().to_owned())),
            _ => None,
        };
    }
    let lower = text.to_lowercase();
    let phrase = DUE.iter().find(|phrase| lower.starts_with(**phrase))?;
    Some(("due_date", date::parse(text.get(phrase.len()..)?, None)?))
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::*;

    #[test]
    fn checkboxes_are_tasks() {
        check("- [ ] Send the offer", r#"{"title":"Send the offer","status":"open"}"#);
        check("* [x] Call the bank", r#"{"title":"Call the bank","status":"done"}"#);
        check("TODO: fix the gate", r#"{"title":"fix the gate","status":"open"}"#);
        check("- plain item", "-");
    }

    #[test]
    fn marks_behind_a_task_become_fields() {
        check(
            "- [ ] Send the offer (due 2026-03-10, @lena)",
            r#"{"title":"Send the offer","status":"open","assignee":"lena","due_date":"2026-03-10"}"#,
        );
        check(
            "- [ ] Angebot prüfen bis 10.03.2026 !hoch #büro",
            r#"{"title":"Angebot prüfen","status":"open","priority":"hoch","due_date":"2026-03-10","tags":"büro"}"#,
        );
        check("- [ ] Order paint (two tins)", r#"{"title":"Order paint (two tins)","status":"open"}"#);
        check("- [ ] Pay by 03/04/2026", r#"{"title":"Pay by 03/04/2026","status":"open"}"#);
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = tasks(&lines(text, &ample()).unwrap(), &ample()).unwrap();
        let shown = found.first().map_or("-".to_owned(), |task| serde_json::to_string(&task.fields).unwrap());
        assert_eq!(shown, expected);
    }
}
