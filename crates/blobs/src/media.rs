//! What a file is, decided by its bytes. What it is called and declared as must agree.

/// How many of the first bytes [`sniff`] wants to see.
pub const HEAD_BYTES: usize = 64 * 1024;

/// Why a file is not taken as what it claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The name, the declared type and the bytes contradict each other.
    #[error("the content is not of the type that its name or declaration says")]
    Mismatch,
    #[error("files of this type are not supported")]
    Unsupported,
}

/// The types that are supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Media {
    Pdf,
    Jpeg,
    Png,
    Xlsx,
    Text,
    Csv,
    Json,
    Markdown,
    Email,
    Docx,
    Odt,
    Ods,
    Html,
    Calendar,
    Card,
    Zip,
}

/// Media type, other names of it, and the extensions of file names. The first type of each is the one that is told.
const KNOWN: &[(Media, &[&str], &[&str])] = &[
    (Media::Pdf, &["application/pdf"], &["pdf"]),
    (Media::Jpeg, &["image/jpeg", "image/jpg"], &["jpg", "jpeg"]),
    (Media::Png, &["image/png"], &["png"]),
    (Media::Xlsx, &["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"], &["xlsx"]),
    (Media::Text, &["text/plain"], &["txt"]),
    (Media::Csv, &["text/csv", "application/csv"], &["csv"]),
    (Media::Json, &["application/json", "text/json"], &["json"]),
    (Media::Markdown, &["text/markdown", "text/x-markdown"], &["md", "markdown"]),
    (Media::Email, &["message/rfc822"], &["eml"]),
    (Media::Docx, &["application/vnd.openxmlformats-officedocument.wordprocessingml.document"], &["docx"]),
    (Media::Odt, &["application/vnd.oasis.opendocument.text"], &["odt"]),
    (Media::Ods, &["application/vnd.oasis.opendocument.spreadsheet"], &["ods"]),
    (Media::Html, &["text/html", "application/xhtml+xml"], &["html", "htm"]),
    (Media::Calendar, &["text/calendar"], &["ics"]),
    (Media::Card, &["text/vcard", "text/x-vcard", "text/directory"], &["vcf", "vcard"]),
    (Media::Zip, &["application/zip", "application/x-zip-compressed"], &["zip"]),
];

/// The media type of a file, from its first [`HEAD_BYTES`] and from what is said about it.
///
/// Texts look alike, so among them the name or the declaration decides; one that says only "text" leaves it to the other.
pub fn sniff(head: &[u8], declared: Option<&str>, filename: Option<&str>) -> Result<&'static str, Refused> {
    let claimed = agreed(declared.map_or(Ok(None), declared_as)?, filename.map_or(Ok(None), named_as)?)?;
    let seen = seen_in(head);
    let media = match (seen, claimed) {
        (None, None) => return Err(Refused::Unsupported),
        (None, Some(_)) => return Err(Refused::Mismatch),
        (Some(seen), None) => seen,
        (Some(Media::Text), Some(claimed)) if is_text(claimed) => claimed,
        (Some(seen), Some(claimed)) if seen == claimed => seen,
        (Some(_), Some(_)) => return Err(Refused::Mismatch),
    };
    if media == Media::Json && !begins_as_json(head) {
        return Err(Refused::Mismatch);
    }
    Ok(name_of(media))
}

/// The media types that are supported.
pub fn supported() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(media, _, _)| name_of(*media))
}

fn name_of(media: Media) -> &'static str {
    KNOWN.iter().find(|(known, _, _)| *known == media).map_or("application/octet-stream", |(_, types, _)| types[0])
}

fn is_text(media: Media) -> bool {
    use Media::{Calendar, Card, Csv, Email, Html, Json, Markdown, Text};
    matches!(media, Text | Csv | Json | Markdown | Email | Html | Calendar | Card)
}

/// What a declaration claims; nothing when it says that it does not know.
fn declared_as(declared: &str) -> Result<Option<Media>, Refused> {
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if matches!(essence.as_str(), "" | "application/octet-stream" | "binary/octet-stream") {
        return Ok(None);
    }
    let known = KNOWN.iter().find(|(_, types, _)| types.contains(&essence.as_str()));
    known.map(|(media, _, _)| Some(*media)).ok_or(Refused::Unsupported)
}

/// What a name claims; nothing when it has no extension.
fn named_as(filename: &str) -> Result<Option<Media>, Refused> {
    let name = filename.rsplit(['/', '\\']).next().unwrap_or_default();
    let Some((_, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else { return Ok(None) };
    let extension = extension.to_ascii_lowercase();
    let known = KNOWN.iter().find(|(_, _, extensions)| extensions.contains(&extension.as_str()));
    known.map(|(media, _, _)| Some(*media)).ok_or(Refused::Unsupported)
}

/// One claim out of two. "Text" is no contradiction to a kind of text.
fn agreed(declared: Option<Media>, named: Option<Media>) -> Result<Option<Media>, Refused> {
    match (declared, named) {
        (Some(Media::Text), Some(kind)) | (Some(kind), Some(Media::Text)) if is_text(kind) => Ok(Some(kind)),
        (Some(declared), Some(named)) if declared != named => Err(Refused::Mismatch),
        (declared, named) => Ok(declared.or(named)),
    }
}

/// What the bytes are; every kind of text is just text.
fn seen_in(head: &[u8]) -> Option<Media> {
    match head {
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(Media::Pdf),
        [0xff, 0xd8, 0xff, ..] => Some(Media::Jpeg),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Media::Png),
        [b'P', b'K', 3, 4, ..] => Some(archive_of(head)),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(Media::Text),
        _ => reads_as_text(head).then_some(Media::Text),
    }
}

/// What kind of archive it is. The parts of office documents may be in any order, so what is another kind is ruled out first.
fn archive_of(head: &[u8]) -> Media {
    let holds = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    if holds(b"application/vnd.oasis.opendocument.text") {
        Media::Odt
    } else if holds(b"application/vnd.oasis.opendocument.spreadsheet") {
        Media::Ods
    } else if holds(b"word/") {
        Media::Docx
    } else if holds(b"xl/") || (holds(b"[Content_Types].xml") && !holds(b"ppt/")) {
        Media::Xlsx
    } else {
        Media::Zip
    }
}

/// UTF-8, or one of the ISO 8859 family: any byte above ASCII, but no NUL and no control characters that text does not use.
fn reads_as_text(head: &[u8]) -> bool {
    head.iter().all(|byte| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c))
}

fn begins_as_json(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    first.is_some_and(|byte| matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PDF: &[u8] = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";
    const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0";
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    const XLSX: &[u8] = b"PK\x03\x04\x14\0\x06\0[Content_Types].xml ... PK\x03\x04 xl/workbook.xml";
    const DOCX: &[u8] = b"PK\x03\x04\x14\0\x06\0[Content_Types].xml ... PK\x03\x04 word/document.xml";
    const ODT: &[u8] = b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.textPK";
    const XLSX_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

    #[track_caller]
    fn check(head: &[u8], declared: &str, filename: &str, expected: Result<&str, Refused>) {
        let given = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let (declared, filename) = (declared.to_owned().leak(), filename.to_owned().leak());
        assert_eq!(sniff(head, given(declared), given(filename)), expected, "{declared} {filename}");
    }

    // N-094
    #[test]
    fn the_bytes_decide() {
        check(PDF, "", "", Ok("application/pdf"));
        check(JPEG, "", "", Ok("image/jpeg"));
        check(PNG, "", "", Ok("image/png"));
        check(XLSX, "", "", Ok(XLSX_TYPE));
        check(b"hello", "", "", Ok("text/plain"));
        check(b"", "", "", Ok("text/plain"));
    }

    // N-094
    #[test]
    fn name_and_declaration_agree_with_the_bytes() {
        check(PDF, "application/pdf", "a.PDF", Ok("application/pdf"));
        check(JPEG, "image/jpg", "a.jpeg", Ok("image/jpeg"));
        check(JPEG, "", "a.jpg", Ok("image/jpeg"));
        check(PNG, "application/octet-stream", "a.png", Ok("image/png"));
        check(XLSX, XLSX_TYPE, "a.xlsx", Ok(XLSX_TYPE));
        check(b"a,b\n1,2\n", "text/csv; charset=utf-8", "a.csv", Ok("text/csv"));
        check(b" \n{\"a\":1}", "application/json", "a.json", Ok("application/json"));
        check(b"\xef\xbb\xbf[1]", "", "a.json", Ok("application/json"));
        check(b"# Title", "", "notes.md", Ok("text/markdown"));
        check(b"From: a@example.org\r\n\r\nhello", "message/rfc822", "", Ok("message/rfc822"));
        check(b"caf\xe9", "text/plain", "a.txt", Ok("text/plain"));
        check("café".as_bytes(), "", "folder/b.txt", Ok("text/plain"));
        check(b"a,b", "text/plain", "a.csv", Ok("text/csv"));
        check(b"a,b", "text/csv", "a.txt", Ok("text/csv"));
        check(b"hello", "", "README", Ok("text/plain"));
        check(DOCX, "", "a.docx", Ok("application/vnd.openxmlformats-officedocument.wordprocessingml.document"));
        check(ODT, "", "a.odt", Ok("application/vnd.oasis.opendocument.text"));
        check(b"<html>", "text/html", "", Ok("text/html"));
        check(b"<html>", "", "a.htm", Ok("text/html"));
        check(b"BEGIN:VCARD", "", "a.vcf", Ok("text/vcard"));
        check(b"BEGIN:VCALENDAR", "", "a.ics", Ok("text/calendar"));
        check(b"PK\x03\x04 something.txt", "application/zip", "", Ok("application/zip"));
        check(b"\xff\xfea\0,\0b\0", "", "a.csv", Ok("text/csv"));
    }

    // N-094
    #[test]
    fn what_contradicts_itself_is_refused() {
        check(PDF, "", "a.png", Err(Refused::Mismatch));
        check(PDF, "image/png", "", Err(Refused::Mismatch));
        check(PDF, "image/png", "a.pdf", Err(Refused::Mismatch));
        check(PNG, "text/plain", "a.txt", Err(Refused::Mismatch));
        check(b"hello", "application/pdf", "", Err(Refused::Mismatch));
        check(b"a\0b", "", "a.csv", Err(Refused::Mismatch));
        check(b"\x1f\x8b\x08", "", "a.txt", Err(Refused::Mismatch));
        check(b"hello", "", "a.json", Err(Refused::Mismatch));
        check(b"", "", "a.json", Err(Refused::Mismatch));
        check(DOCX, "", "a.xlsx", Err(Refused::Mismatch));
        check(b"{}", "text/csv", "a.json", Err(Refused::Mismatch));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        check(b"<svg/>", "image/svg+xml", "", Err(Refused::Unsupported));
        check(b"MZ\x90\0", "", "", Err(Refused::Unsupported));
        check(b"hello", "", "a.exe", Err(Refused::Unsupported));
        check(PDF, "", "a.pdf.exe", Err(Refused::Unsupported));
        check(b"PK\x03\x04 something.txt", "application/x-rar", "", Err(Refused::Unsupported));
    }

    #[test]
    fn every_type_has_its_own_name() {
        let names: std::collections::BTreeSet<_> = supported().collect();
        assert_eq!(names.len(), KNOWN.len());
    }
}
