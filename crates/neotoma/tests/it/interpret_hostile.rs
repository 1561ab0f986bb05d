//! Documents made to hurt: the rules answer with a failure or a bounded list, and never fall over.

use std::io::Write as _;
use std::time::{Duration, Instant};

use contract::Object;
use neotoma::interpret::{Document, Extracted, Failure, Interpreter, Rules, Understood};

#[tokio::test]
async fn a_small_pdf_that_unpacks_to_gigabytes_is_refused() {
    let bomb = spaces(4096);
    assert!(bomb.len() < 6 << 20);
    let object = stream("/Filter /FlateDecode", &bomb);
    check(&pdf(&[&object]), "what a page of the PDF draws is too large or cannot be read").await;
}

#[tokio::test]
async fn layers_of_compression_are_bounded_too() {
    let object = stream("/Filter [/FlateDecode /FlateDecode]", &deflated(&spaces(2048)));
    check(&pdf(&[&object]), "what a page of the PDF draws is too large or cannot be read").await;
}

#[tokio::test]
async fn bombs_in_fonts_and_object_streams_are_bounded_too() {
    let font = b"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 5 0 R >>";
    let page = b"<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /Font << /F 4 0 R >> >> >>";
    let map = stream("/Filter /FlateDecode", &spaces(1024));
    let draw = stream("", b"BT /F 9 Tf (x) Tj ET");
    check(&file(&[CATALOG, PAGES, page, font, &map, &draw]), "a font of the PDF is too large or cannot be read").await;
    let packed = stream("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", &spaces(1024));
    let answer = interpret(&pdf(&[&stream("", b"q Q"), &packed]), "application/pdf").await;
    assert_eq!(answer, Ok(Vec::new()));
}

#[tokio::test]
async fn garbage_is_not_a_pdf() {
    check(b"%PDF-1.7\n\xff\xfe garbage", "the PDF cannot be read").await;
    check(b"", "the PDF cannot be read").await;
    for length in [10, 100, 300, 500] {
        let whole = pdf(&[&stream("", b"BT (x) Tj ET")]);
        // A cut file may still be readable in part; it must only not end the process.
        let _ = interpret(&whole[..length.min(whole.len())], "application/pdf").await;
    }
}

#[tokio::test]
async fn references_in_a_circle_end() {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [2 0 R 3 0 R] /Parent 3 0 R >>",
        "<< /Type /Page /Parent 2 0 R /Resources 4 0 R /Contents 5 0 R >>",
        "<< /XObject << /A 6 0 R >> /Font 7 0 R >>",
        "<< /Length 4 >>\nstream\n/A Do\nendstream",
        "<< /Type /XObject /Subtype /Form /Resources 4 0 R /Length 12 >>\nstream\n/A Do /A Do \nendstream",
        "7 0 R",
    ];
    let started = Instant::now();
    let _ = interpret(&file(&objects.map(str::as_bytes)), "application/pdf").await;
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn deep_nesting_ends() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let _ = interpret(&file(&[b"<< /Type /Catalog /Pages 2 0 R >>", deep.as_bytes()]), "application/pdf").await;
    assert!(interpret(deep.as_bytes(), "application/json").await.is_err());
}

#[tokio::test]
async fn a_million_rows_give_five_thousand_entities() {
    let mut csv = "Date,Payee,Amount\n".to_owned();
    csv.push_str(&"2026-03-03,Otterby Rail,-12.50\n".repeat(1_000_000));
    let found = interpret(csv.as_bytes(), "text/csv").await.unwrap();
    assert_eq!(found.len(), 5_000);
    assert!(found.iter().all(|entity| entity.entity_type == "transaction"));
}

#[tokio::test]
async fn very_long_texts_stay_one_note() {
    let text = "word ".repeat(2_000_000);
    let found = interpret(text.as_bytes(), "text/plain").await.unwrap();
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn texts_that_repeat_one_mark_are_read_in_time() {
    let started = Instant::now();
    for part in [
        "Total: 1.00 : : : ",
        "word ",
        "a\n",
        "| a | b | c |\n",
        "- [ ] x due 2026-01-01 ",
        "2026-01-01 ",
        "Item  Qty\nx  1.00\n",
    ] {
        let text = part.repeat((128 << 10) / part.len());
        assert!(interpret(text.as_bytes(), "text/plain").await.is_ok(), "{part}");
    }
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[tokio::test]
async fn images_give_nothing_and_that_is_remarked() {
    for (mime_type, remark) in [
        ("image/png", "Pictures are stored but not read"),
        ("image/jpeg", "Pictures are stored but not read"),
        ("application/x-other", "Files of this type are stored but not read"),
    ] {
        let found = understood(b"\x89PNG", mime_type).await.unwrap();
        assert_eq!((found.entities.len(), found.remarks.len()), (0, 1), "{mime_type}");
        assert!(found.remarks[0].starts_with(remark), "{}", found.remarks[0]);
    }
}

async fn interpret(bytes: &[u8], mime_type: &str) -> Result<Vec<Extracted>, Failure> {
    Ok(understood(bytes, mime_type).await?.entities)
}

async fn understood(bytes: &[u8], mime_type: &str) -> Result<Understood, Failure> {
    let document = Document { bytes: &bytes::Bytes::copy_from_slice(bytes), mime_type, filename: None };
    Rules::new(Duration::from_secs(20)).interpret(document, &Object::default()).await
}

#[track_caller]
fn check<'a>(bytes: &'a [u8], expected: &'a str) -> impl Future<Output = ()> + 'a {
    let caller = std::panic::Location::caller();
    async move {
        let answer = interpret(bytes, "application/pdf").await;
        assert_eq!(answer.map_err(|failure| failure.reason), Err(expected.to_owned()), "{caller}");
    }
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A stream that unpacks to that many million spaces: one block, repeated.
fn spaces(megabytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
    encoder.flush().unwrap();
    let block = encoder.get_ref().clone();
    [[0x78, 0x9c].as_slice(), &block.repeat(megabytes)].concat()
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< /Length {} {entries} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

const CATALOG: &[u8] = b"<< /Type /Catalog /Pages 2 0 R >>";
const PAGES: &[u8] = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>";

/// A PDF with one page whose drawing is the first of `objects`.
fn pdf(objects: &[&[u8]]) -> Vec<u8> {
    let page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>";
    let mut all: Vec<&[u8]> = vec![CATALOG, PAGES, page];
    all.extend(objects);
    file(&all)
}

fn file(objects: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.5\n".to_vec();
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n", at + 1).bytes());
        bytes.extend(*object);
        bytes.extend(b"\nendobj\n");
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        bytes.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    bytes
        .extend(format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1).bytes());
    bytes
}
