//! Meetings: when it was, who was there and what was decided, beside the tasks that came of it.

use contract::Object;
use serde_json::Value;

use super::effort::Effort;
use super::lines::Line;
use super::record::Pair;
use super::{Failure, checklist, date, vocabulary};

const PEOPLE: &str = "participants|participant|attendees|attending|present|people|teilnehmer|teilnehmerinnen|teilnehmende|\
    anwesend|anwesende|asistentes|with";
const DECISIONS: &str = "decision|decisions|decided|agreed|we decided|beschluss|beschlüsse|beschlossen|entscheidung|\
    entscheidungen|entschieden|acuerdos|decisiones";
const MEETINGS: &str = "meeting|minutes|standup|retrospective|retro|besprechung|sitzung|protokoll|treffen|reunión";
/// Decisions of one meeting.
const DECISIONS_MAX: usize = 100;
/// How far down a text says that it is about a meeting, and when that was.
const TOP_LINES_MAX: usize = 10;

/// Adds date, people and decisions to the note about a meeting. Another note is left as it is.
pub fn read(lines: &[Line], pairs: &[Pair], note: &mut Object, effort: &Effort) -> Result<(), Failure> {
    let people = pairs.iter().find(|pair| is_among(PEOPLE, &pair.label) && !pair.value.is_empty());
    let decisions = decisions(lines, pairs, effort)?;
    let top: Vec<&Line> = lines.iter().filter(|line| !line.is_blank()).take(TOP_LINES_MAX).collect();
    let is_titled = top.iter().take(2).any(|line| {
        let mut words = line.text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| is_among(MEETINGS, &word.to_lowercase()))
    });
    if !is_titled && (people.is_none() || decisions.is_empty()) {
        return Ok(());
    }
    if !note.contains_key("created_date") {
        let mut days = Vec::new();
        for line in top.iter().filter(|line| !checklist::is_item(line)) {
            days.extend(date::find(&line.text, effort)?.into_iter().map(|(_, day)| day));
        }
        days.dedup();
        // Of several days none is chosen.
        if let [day] = &days[..] {
            note.insert("created_date".to_owned(), day.clone().into());
        }
    }
    if let Some(people) = people {
        note.insert("participants".to_owned(), people.value.clone().into());
    }
    if !decisions.is_empty() {
        note.insert("decisions".to_owned(), decisions.into_iter().map(Value::from).collect());
    }
    Ok(())
}

/// What stands behind a label such as `Decided:`, and the items below a heading of that name.
fn decisions(lines: &[Line], pairs: &[Pair], effort: &Effort) -> Result<Vec<String>, Failure> {
    let labelled = pairs.iter().filter(|pair| is_among(DECISIONS, &pair.label) && !pair.value.is_empty());
    let mut found: Vec<String> = labelled.map(|pair| pair.value.clone()).take(DECISIONS_MAX).collect();
    let mut below = false;
    for line in lines {
        effort.spend(line.text.len())?;
        if found.len() == DECISIONS_MAX {
            break;
        }
        let is_title = is_among(DECISIONS, &vocabulary::normal(&line.text));
        if is_title || line.heading {
            below = is_title;
        } else if below && !line.is_blank() && !found.contains(&line.text) {
            found.push(line.text.clone());
        }
    }
    Ok(found)
}

fn is_among(list: &str, label: &str) -> bool {
    list.split('|').any(|known| known == label)
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::super::pairs::pairs;
    use super::*;

    #[test]
    fn a_meeting_has_a_day_people_and_decisions() {
        check(
            "# Site meeting, 3 March 2026\nPresent: Ada, Ben\nDecided: paint on Friday\n- [ ] Order paint",
            r#"{"created_date":"2026-03-03","participants":"Ada, Ben","decisions":["paint on Friday"]}"#,
        );
        check(
            "Besprechung 03.03.2026\nTeilnehmer: Ada, Ben\n\n## Beschlüsse\n- Freitag streichen\n- Farbe blau\n\n## Aufgaben\n- [ ] Farbe",
            r#"{"created_date":"2026-03-03","participants":"Ada, Ben","decisions":["Freitag streichen","Farbe blau"]}"#,
        );
    }

    #[test]
    fn other_notes_stay_as_they_are() {
        check("Present: a vase\nBought 2026-03-03", "{}");
        check("A letter of 3 March 2026", "{}");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let lines = lines(text, &ample()).unwrap();
        let mut note = Object::default();
        read(&lines, &pairs(&lines, &ample()).unwrap(), &mut note, &ample()).unwrap();
        assert_eq!(serde_json::to_string(&note).unwrap(), expected);
    }
}
