//! Content lines, of which calendars and contact cards are made: a name, parameters and a value, folded at any place.

use super::Failure;
use super::effort::Effort;

/// One line, with escapes of its value still in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentLine {
    /// In capitals, without a group before it.
    pub name: String,
    pub parameters: Vec<(String, String)>,
    pub value: String,
}

impl ContentLine {
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value as text: without escapes, decoded where it was encoded.
    pub fn text(&self) -> String {
        unescaped(&self.value).trim().to_owned()
    }

    /// The parts of a value such as a name, each as text.
    pub fn parts(&self) -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut escaped = false;
        for c in self.value.chars() {
            match c {
                ';' if !escaped => parts.push(String::new()),
                c => parts.last_mut().expect("there is a last part").push(c),
            }
            escaped = c == '\\' && !escaped;
        }
        parts.iter().map(|part| unescaped(part).trim().to_owned()).collect()
    }
}

/// The content lines of a text.
pub fn lines(text: &str, effort: &Effort) -> Result<Vec<ContentLine>, Failure> {
    let mut whole: Vec<String> = Vec::new();
    for raw in text.lines() {
        effort.spend(raw.len())?;
        let raw = raw.trim_end_matches('\r');
        match whole.last_mut() {
            Some(last) if raw.starts_with([' ', '\t']) => last.push_str(&raw[1..]),
            // Encoded values of old cards go on after an equals sign.
            Some(last) if last.ends_with('=') && last.to_ascii_uppercase().contains("QUOTED-PRINTABLE") => {
                last.pop();
                last.push_str(raw);
            }
            _ => whole.push(raw.to_owned()),
        }
    }
    Ok(whole.iter().filter_map(|line| parse(line)).collect())
}

fn parse(line: &str) -> Option<ContentLine> {
    let mut quoted = false;
    let colon = line.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == ':' && !quoted).then_some(at)
    })?;
    let (head, value) = (&line[..colon], &line[colon + 1..]);
    let mut parts = head.split(';');
    let name = parts.next()?.trim();
    let name = name.rsplit('.').next().unwrap_or(name).to_ascii_uppercase();
    let parameter = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or(("TYPE", part));
        (name.to_ascii_uppercase(), value.trim_matches('"').to_owned())
    };
    let parameters: Vec<(String, String)> = parts.map(parameter).collect();
    let is_encoded = parameters.iter().any(|(_, value)| value.eq_ignore_ascii_case("QUOTED-PRINTABLE"));
    let value = if is_encoded { decoded(value) } else { value.to_owned() };
    Some(ContentLine { name, parameters, value })
}

fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match hex.and_then(|pair| u8::from_str_radix(pair, 16).ok()).filter(|_| *first == b'=') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    super::decode::text(&bytes).into_owned()
}

fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn lines_are_unfolded_and_decoded() {
        let text = "SUMMARY;LANGUAGE=de:Chor\n probe\r\nFN;ENCODING=QUOTED-PRINTABLE:J=C3=B6=\nrg\nN:a\\;b;c\n";
        let read = lines(text, &ample()).unwrap();
        assert_eq!(read[0].text(), "Chorprobe");
        assert_eq!(read[0].parameter("LANGUAGE"), Some("de"));
        assert_eq!(read[1].text(), "Jörg");
        assert_eq!(read[2].parts(), ["a;b", "c"]);
    }

    #[test]
    fn colons_in_quotes_belong_to_parameters() {
        let read = lines("ATTENDEE;CN=\"a: b\":mailto:c@d\n", &ample()).unwrap();
        assert_eq!((read[0].parameter("CN"), read[0].value.as_str()), (Some("a: b"), "mailto:c@d"));
    }
}
