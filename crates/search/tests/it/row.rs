//! Rows: what is kept of a passage.

use proptest::prelude::*;
use scope::Timestamp;
use search::{Analysed, Document, Passage, Quantised, Stream, embed_text};

#[test]
fn a_row_is_read_as_it_was_written() {
    let analysed = Analysed::new(&document(), 0);
    let bytes = analysed.to_bytes();
    assert_eq!(Analysed::from_bytes(&bytes), Ok(analysed.clone()));
    assert_eq!(analysed.place(), Some("line 1"));
    assert!(bytes.len() < 200, "{}", bytes.len());
}

#[test]
fn damaged_rows_are_refused() {
    let bytes = Analysed::new(&document(), 0).to_bytes();
    for length in 0..bytes.len() {
        assert!(Analysed::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    assert!(Analysed::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    assert!(Analysed::from_bytes(&[&[2], &bytes[1..]].concat()).is_err());
    assert!(Quantised::from_bytes(&[0, 0, 0]).is_err());
    assert!(Quantised::from_bytes(&[&f32::NAN.to_le_bytes()[..], &[1, 2]].concat()).is_err());
}

#[test]
fn a_passage_that_is_not_there_is_empty() {
    assert_eq!(Analysed::new(&document(), 9), Analysed::default());
    assert_eq!(embed_text(&document(), 9), "");
}

#[test]
fn the_name_is_embedded_once_and_the_author_not_at_all() {
    assert_eq!(embed_text(&document(), 0), "Order Service: Orders are kept.");
    let mut named = document();
    named.passages[0].text = "Order Service keeps orders.".to_owned();
    assert_eq!(embed_text(&named, 0), "Order Service keeps orders.");
}

#[test]
fn a_vector_is_read_nearly_as_it_was_written() {
    let vector = [0.6_f32, -0.8, 0.0, 0.01];
    let kept = Quantised::from_bytes(&Quantised::new(&vector).to_bytes()).expect("sound");
    for (value, number) in kept.values.iter().zip(vector) {
        assert!((f32::from(*value) * kept.scale - number).abs() < 0.004);
    }
    assert_eq!(Quantised::new(&[f32::NAN, f32::INFINITY, 1.0]).values[2], 127);
}

proptest! {
    #[test]
    fn bytes_of_any_kind_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Analysed::from_bytes(&bytes);
        let _ = Analysed::from_bytes(&[&[1], &bytes[..]].concat());
        let _ = Quantised::from_bytes(&bytes);
    }

    #[test]
    fn a_changed_byte_is_read_or_refused(at in 0..1000_usize, byte in any::<u8>()) {
        let mut bytes = Analysed::new(&document(), 0).to_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(read) = Analysed::from_bytes(&bytes) {
            prop_assert_eq!(Analysed::from_bytes(&read.to_bytes()), Ok(read));
        }
    }

    #[test]
    fn any_text_is_analysed(text in any::<String>(), name in any::<String>(), author in any::<String>()) {
        let passages = vec![Passage { text, author: Some(author), ..Passage::default() }];
        let document = Document { names: vec![name], passages, ..Document::default() };
        let analysed = Analysed::new(&document, 0);
        prop_assert_eq!(Analysed::from_bytes(&analysed.to_bytes()), Ok(analysed));
    }
}

fn document() -> Document {
    let passage = Passage {
        text: "Orders are kept.".to_owned(),
        place: Some("line 1".to_owned()),
        author: Some("Ava Lin".to_owned()),
        time: Some(Timestamp(1_700_000_000_000_000)),
        stream: Some(Stream { id: "notes".to_owned(), order: -3 }),
    };
    Document {
        id: "e1".to_owned(),
        collection: "element".to_owned(),
        r#type: "ApplicationComponent".to_owned(),
        tags: vec!["layer:application".to_owned()],
        names: vec!["Order Service".to_owned()],
        passages: vec![passage],
    }
}
