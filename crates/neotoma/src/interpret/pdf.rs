//! The text of a PDF, page by page, with its columns kept apart.
//!
//! PDFs come from strangers. What a stream may unpack to, the number of objects and of pages, and the time are bounded;
//! names are counted in the raw bytes before anything is unpacked, because the reader unpacks object streams eagerly.

mod layout;
mod names;
mod unicode;

use std::cell::Cell;
use std::time::Instant;

use lopdf::{Document, LoadOptions, Object, ObjectId};

use super::Failure;
use super::effort::Effort;

/// What a PDF may cost.
const PAGES_MAX: usize = 500;
/// Bytes that all object streams together may unpack to, and the same for documents under encryption, whose objects
/// cannot be counted while they are loaded.
const OBJECT_BYTES_MAX: usize = 256 << 20;
const ENCRYPTED_OBJECT_BYTES_MAX: usize = 64 << 20;
const OBJECTS_MAX: usize = 500_000;
/// Bytes that the drawing of all pages together may unpack to.
const CONTENT_BYTES_MAX: usize = 64 << 20;
/// Bytes that the drawing of one page, or one font's map of characters, may unpack to.
const PAGE_BYTES_MAX: usize = 8 << 20;
/// Characters of text, beyond which the rest is not read.
const TEXT_CHARS_MAX: usize = 8 << 20;

thread_local! {
    /// What the document being loaded on this thread may still cost: objects, and until when. The reader's filter takes
    /// no state, so it stands here.
    static LOAD: Cell<(usize, Option<Instant>)> = const { Cell::new((0, None)) };
}

/// The text of all pages, with a blank line between them.
pub fn text(bytes: &[u8], effort: &Effort) -> Result<String, Failure> {
    let document = load(bytes, effort.deadline())?;
    let mut text = String::new();
    let mut bytes_left = CONTENT_BYTES_MAX;
    for (count, page) in document.page_iter().enumerate() {
        if count >= PAGES_MAX {
            return Err(failure(format!("the PDF has more than {PAGES_MAX} pages")));
        }
        effort.check()?;
        let page = layout::page(&document, page, &mut bytes_left, effort)?;
        text.push_str(&page);
        text.push('\n');
        if text.len() > TEXT_CHARS_MAX {
            return Err(failure("the PDF has too much text"));
        }
    }
    effort.unpacked(text.len());
    Ok(text)
}

fn load(bytes: &[u8], deadline: Instant) -> Result<Document, Failure> {
    let object_streams = names::count(bytes, b"ObjStm");
    let encrypted = names::count(bytes, b"Encrypt") > 0;
    let total = if encrypted { ENCRYPTED_OBJECT_BYTES_MAX } else { OBJECT_BYTES_MAX };
    let options = LoadOptions {
        max_decompressed_size: Some((total / object_streams.max(1)).min(PAGE_BYTES_MAX)),
        filter: Some(keep),
        ..LoadOptions::default()
    };
    LOAD.set((OBJECTS_MAX, Some(deadline)));
    let document = Document::load_mem_with_options(bytes, options).map_err(|_| failure("the PDF cannot be read"))?;
    if LOAD.get().0 == 0 {
        return Err(failure("the PDF has too many objects or takes too long to read"));
    }
    if document.is_encrypted() {
        return Err(failure("the PDF needs a password"));
    }
    Ok(document)
}

/// Keeps an object while the budget lasts. Images are dropped: they hold no text.
fn keep(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let (left, deadline) = LOAD.get();
    let left = left.saturating_sub(1);
    let in_time = deadline.is_some_and(|deadline| Instant::now() <= deadline);
    LOAD.set((if in_time { left } else { 0 }, deadline));
    if left == 0 || !in_time {
        return None;
    }
    match object {
        // Of an object of its own the reader keeps what it has and asks only whether to; streams are always such.
        Object::Stream(stream) => {
            let subtype = stream.dict.get(b"Subtype").and_then(Object::as_name);
            (!subtype.is_ok_and(|name| name == b"Image")).then_some((id, Object::Null))
        }
        object => Some((id, object.clone())),
    }
}

fn failure(reason: impl Into<String>) -> Failure {
    Failure { reason: reason.into() }
}
