//! An analysed passage in bytes: numbers of variable length, texts with their length in front.

use scope::Timestamp;

use super::{Analysed, Terms};
use crate::Stream;
use crate::words::Language;

/// The first byte of a row. Rows of another version are made again from the document.
pub const VERSION: u8 = 1;

/// The bytes are no row of this version. What they were made from is indexed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an index row is damaged: {0}")]
pub struct Damaged(pub &'static str);

impl Analysed {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = vec![VERSION, self.language.number()];
        number(&mut to, self.length.into());
        number(&mut to, self.terms.len() as u64);
        self.terms.iter().for_each(|term| text(&mut to, term));
        number(&mut to, self.order.len() as u64);
        self.order.iter().for_each(|place| number(&mut to, (*place).into()));
        text(&mut to, &self.collection);
        text(&mut to, &self.r#type);
        for texts in [&self.tags, &self.names] {
            number(&mut to, texts.len() as u64);
            texts.iter().for_each(|each| text(&mut to, each));
        }
        option(&mut to, self.author.as_deref(), text);
        option(&mut to, self.place.as_deref(), text);
        option(&mut to, self.time, |to, time| to.extend(time.0.to_le_bytes()));
        option(&mut to, self.stream.as_ref(), |to, stream| {
            text(to, &stream.id);
            to.extend(stream.order.to_le_bytes());
        });
        to
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        let mut from = Reader(bytes);
        if from.byte()? != VERSION {
            return Err(Damaged("it is of another version"));
        }
        let language = Language::from_number(from.byte()?).ok_or(Damaged("it is in no known language"))?;
        let length = u32::try_from(from.number()?).map_err(|_| Damaged("it is too long"))?;
        let terms = from.terms()?;
        let order = from.order(terms.len())?;
        let row = Self {
            language,
            length,
            terms,
            order,
            collection: from.text()?.to_owned(),
            r#type: from.text()?.to_owned(),
            tags: from.texts()?,
            names: from.texts()?,
            author: from.option(|from| from.text().map(str::to_owned))?,
            place: from.option(|from| from.text().map(str::to_owned))?,
            time: from.option(|from| from.long().map(Timestamp))?,
            stream: from.option(|from| Ok(Stream { id: from.text()?.to_owned(), order: from.long()? }))?,
        };
        if from.0.is_empty() { Ok(row) } else { Err(Damaged("it goes on after its end")) }
    }
}

fn number(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn text(to: &mut Vec<u8>, value: &str) {
    number(to, value.len() as u64);
    to.extend_from_slice(value.as_bytes());
}

fn option<T>(to: &mut Vec<u8>, value: Option<T>, write: impl FnOnce(&mut Vec<u8>, T)) {
    to.push(u8::from(value.is_some()));
    if let Some(value) = value {
        write(to, value);
    }
}

/// What is still to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8, Damaged> {
        let (first, rest) = self.0.split_first().ok_or(Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<u64, Damaged> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Damaged("a number has no end"))
    }

    /// How many items follow: each takes a byte at least, so more than what is left cannot be.
    fn count(&mut self) -> Result<usize, Damaged> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > self.0.len() { Err(Damaged("it ends too early")) } else { Ok(count) }
    }

    fn text(&mut self) -> Result<&'a str, Damaged> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        std::str::from_utf8(text).map_err(|_| Damaged("a text is not UTF-8"))
    }

    fn long(&mut self) -> Result<i64, Damaged> {
        let (long, rest) = self.0.split_first_chunk().ok_or(Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(i64::from_le_bytes(*long))
    }

    fn texts(&mut self) -> Result<Vec<String>, Damaged> {
        let count = self.count()?;
        (0..count).map(|_| self.text().map(str::to_owned)).collect()
    }

    fn terms(&mut self) -> Result<Terms, Damaged> {
        let count = self.count()?;
        let mut terms = Terms { text: String::with_capacity(count * 8), ends: Vec::with_capacity(count) };
        for _ in 0..count {
            let term = self.text()?;
            if u32::try_from(terms.text.len() + term.len()).is_err() {
                return Err(Damaged("it is too long"));
            }
            terms.push(term);
        }
        Ok(terms)
    }

    fn order(&mut self, terms: usize) -> Result<Vec<u16>, Damaged> {
        let count = self.count()?;
        let place = |from: &mut Self| match u16::try_from(from.number()?) {
            Ok(place) if usize::from(place) < terms => Ok(place),
            _ => Err(Damaged("a word stands at no place")),
        };
        (0..count).map(|_| place(self)).collect()
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Damaged>) -> Result<Option<T>, Damaged> {
        match self.byte()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(Damaged("neither there nor missing")),
        }
    }
}
