//! Calendars (iCalendar): events with their times as written, and who comes. Rules of repetition are kept, never run.

use std::collections::HashMap;

use contract::Object;
use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime};

use super::content_line::{self, ContentLine};
use super::effort::Effort;
use super::finding::Findings;
use super::{Failure, Understood, party};

/// Events that one calendar gives.
const EVENTS_MAX: usize = 2_000;
const ATTENDEES_MAX: usize = 200;

/// The events of a calendar.
pub fn entities(text: &str, effort: &Effort) -> Result<Understood, Failure> {
    let lines = content_line::lines(text, effort)?;
    if !lines.iter().any(|line| line.name == "BEGIN" && line.value.trim().eq_ignore_ascii_case("VCALENDAR")) {
        return Err(Failure { reason: "the calendar does not begin as one".to_owned() });
    }
    let mut found = Findings::default();
    let mut series: HashMap<String, usize> = HashMap::new();
    let mut moved = Vec::new();
    let mut count = 0;
    for event in events(&lines) {
        if count >= EVENTS_MAX {
            found.remark(format!("Of the calendar the first {EVENTS_MAX} events are read."));
            break;
        }
        count += 1;
        let get = |name: &str| event.iter().find(|line| line.name == name);
        let Some(at) = read(&event, &mut found) else { continue };
        if let Some(uid) = get("UID").map(|uid| uid.text()) {
            match get("RECURRENCE-ID") {
                // One occurrence of a series that takes place otherwise.
                Some(of) => moved.push((at, uid, of.value.clone())),
                None => {
                    found.fields(at).insert("uid".to_owned(), uid.clone().into());
                    series.insert(uid, at);
                }
            }
        }
    }
    for (at, uid, of) in moved {
        if let Some(whole) = series.get(&uid) {
            found.link("PART_OF", at, *whole, &format!("RECURRENCE-ID {of}"));
        }
    }
    if count == 0 {
        found.remark("The calendar has no events.");
    }
    Ok(found.finish())
}

/// The lines of each event, without those of alarms within it.
fn events(lines: &[ContentLine]) -> Vec<Vec<&ContentLine>> {
    let mut events = Vec::new();
    let mut open: Option<Vec<&ContentLine>> = None;
    let mut inner = 0_usize;
    for line in lines {
        let value = line.value.trim().to_ascii_uppercase();
        match (line.name.as_str(), &mut open) {
            ("BEGIN", None) if value == "VEVENT" => open = Some(Vec::new()),
            ("BEGIN", Some(_)) => inner += 1,
            ("END", Some(_)) if inner > 0 => inner -= 1,
            ("END", Some(_)) => events.extend(open.take()),
            (_, Some(event)) if inner == 0 => event.push(line),
            _ => {}
        }
    }
    events
}

fn read(event: &[&ContentLine], found: &mut Findings) -> Option<usize> {
    let get = |name: &str| event.iter().copied().find(|line| line.name == name);
    let text = |name: &str| get(name).map(ContentLine::text).filter(|text| !text.is_empty());
    let mut fields = Object::default();
    let mut put = |field: &str, value: Option<String>| {
        fields.extend(value.map(|value| (field.to_owned(), value.into())));
    };
    let start = Moment::of(get("DTSTART")?)?;
    let end = match (get("DTEND"), get("DURATION")) {
        (Some(end), _) => Moment::of(end).map(Moment::last),
        (None, Some(duration)) => start.after(&duration.value),
        (None, None) => None,
    };
    put("title", text("SUMMARY"));
    put("start_time", Some(start.to_string()));
    put("end_time", end.map(|end| end.to_string()));
    put("location", text("LOCATION"));
    put("description", text("DESCRIPTION"));
    put("organizer", get("ORGANIZER").map(|line| address(line).to_owned()));
    put("recurrence", get("RRULE").map(|rule| rule.value.trim().to_owned()));
    put("status", text("STATUS"));
    put("url", text("URL"));
    let at = found.add("event", fields);
    let is_cancelled = text("STATUS").is_some_and(|status| status.eq_ignore_ascii_case("CANCELLED"));
    let people = event.iter().filter(|line| matches!(line.name.as_str(), "ORGANIZER" | "ATTENDEE"));
    for line in people.take(ATTENDEES_MAX) {
        let is_thing = line.parameter("CUTYPE").is_some_and(|of| !of.eq_ignore_ascii_case("INDIVIDUAL"));
        let Some(name) = line.parameter("CN").filter(|_| !is_thing) else { continue };
        let person = found.person(&party::natural(name), &[("email", address(line))]);
        let comes = line.name == "ORGANIZER" || line.parameter("PARTSTAT") == Some("ACCEPTED");
        if comes && !is_cancelled {
            found.link("ATTENDED", person, at, &format!("{} {}", line.name, line.parameter("PARTSTAT").unwrap_or("")));
        }
    }
    Some(at)
}

fn address(line: &ContentLine) -> &str {
    let value = line.value.trim();
    value.get(..7).filter(|start| start.eq_ignore_ascii_case("mailto:")).map_or(value, |_| &value[7..])
}

/// A day, or a time as it is written: of a place, or of the whole world.
#[derive(Debug, Clone, Copy)]
enum Moment {
    Day(Date),
    Time { at: DateTime, is_utc: bool },
}

impl Moment {
    fn of(line: &ContentLine) -> Option<Self> {
        let value = line.value.trim();
        let (day, time) = value.split_once('T').unwrap_or((value, ""));
        let number = |text: &str, from: usize, to: usize| text.get(from..to)?.parse().ok();
        let day =
            Date::new(number(day, 0, 4)?, number(day, 4, 6)?.try_into().ok()?, number(day, 6, 8)?.try_into().ok()?)
                .ok()?;
        if time.is_empty() {
            return Some(Self::Day(day));
        }
        let (hour, minute) = (number(time, 0, 2)?, number(time, 2, 4)?);
        let at =
            day.at(hour.try_into().ok().filter(|hour| *hour < 24)?, minute.try_into().ok().filter(|m| *m < 60)?, 0, 0);
        Some(Self::Time { at, is_utc: time.ends_with('Z') })
    }

    /// The last day of days that end before another.
    fn last(self) -> Self {
        match self {
            Self::Day(day) => Self::Day(day.yesterday().unwrap_or(day)),
            time => time,
        }
    }

    fn after(self, duration: &str) -> Option<Self> {
        let mut rest = duration.trim().strip_prefix('P')?;
        let mut minutes = 0_i64;
        while !rest.is_empty() {
            rest = rest.strip_prefix('T').unwrap_or(rest);
            let unit = rest.find(|c: char| !c.is_ascii_digit())?;
            let many: i64 = rest[..unit].parse().ok().filter(|many| *many < 1_000_000)?;
            minutes += many
                * match &rest[unit..=unit] {
                    "W" => 7 * 24 * 60,
                    "D" => 24 * 60,
                    "H" => 60,
                    "M" => 1,
                    _ => 0,
                };
            rest = &rest[unit + 1..];
        }
        match self {
            Self::Day(day) => Some(Self::Day(day.checked_add((minutes / (24 * 60) - 1).max(0).days()).ok()?)),
            Self::Time { at, is_utc } => Some(Self::Time { at: at.checked_add(minutes.minutes()).ok()?, is_utc }),
        }
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Time { at, is_utc } => {
                write!(f, "{}T{:02}:{:02}{}", at.date(), at.hour(), at.minute(), if *is_utc { "Z" } else { "" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn times_stay_as_written_and_whole_days_end_on_their_last() {
        check("DTSTART:20260331T130000Z\nDTEND:20260331T143000Z", "2026-03-31T13:00Z 2026-03-31T14:30Z");
        check("DTSTART;VALUE=DATE:20260514\nDTEND;VALUE=DATE:20260518", "2026-05-14 2026-05-17");
        check("DTSTART;TZID=Europe/Paris:20260907T180000\nDURATION:PT1H30M", "2026-09-07T18:00 2026-09-07T19:30");
    }

    #[test]
    fn an_endless_rule_is_kept_as_it_is() {
        let text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101\nRRULE:FREQ=SECONDLY\nEND:VEVENT\nEND:VCALENDAR";
        assert_eq!(entities(text, &ample()).unwrap().entities[0].fields["recurrence"], "FREQ=SECONDLY");
    }

    #[track_caller]
    fn check(lines: &str, expected: &str) {
        let text = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n");
        let found = entities(&text, &ample()).unwrap();
        let field = |name: &str| found.entities[0].fields[name].as_str().unwrap().to_owned();
        assert_eq!(format!("{} {}", field("start_time"), field("end_time")), expected);
    }
}
