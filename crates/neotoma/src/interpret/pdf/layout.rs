//! From what a page draws to lines of text: pieces at the same height form a line, wide gaps between them set cells apart.

use std::collections::BTreeMap;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Encoding, Object, ObjectId};

use super::super::Failure;
use super::super::effort::Effort;
use super::{PAGE_BYTES_MAX, failure, unicode};

/// Forms may draw forms; beyond this depth they are not followed.
const FORM_DEPTH_MAX: usize = 4;
/// Pieces of text on one page.
const PIECES_MAX: usize = 200_000;

/// The lines of a page, as text.
pub fn page(document: &Document, page: ObjectId, bytes_left: &mut usize, effort: &Effort) -> Result<String, Failure> {
    let too_large = |_| failure("what a page of the PDF draws is too large or cannot be read");
    let content = document.get_page_content_with_limit(page, PAGE_BYTES_MAX.min(*bytes_left)).map_err(too_large)?;
    let fonts = document.get_page_fonts(page).unwrap_or_default();
    let (resources, shared) = document.get_page_resources(page).unwrap_or_default();
    let shared = shared.into_iter().find_map(|id| document.get_dictionary(id).ok());
    let mut pen = Pen { document, pieces: Vec::new(), bytes_left, effort };
    pen.draw(&content, &fonts, resources.or(shared), Matrix::IDENTITY, 0)?;
    Ok(lines(pen.pieces))
}

/// Text that was drawn at one place.
struct Piece {
    x: f32,
    x_end: f32,
    y: f32,
    size: f32,
    text: String,
}

#[derive(Clone, Copy)]
struct Matrix([f32; 6]);

impl Matrix {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this one, then `outer`.
    fn then(self, outer: Self) -> Self {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, outer.0);
        Self([a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l])
    }

    fn shift(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    fn of(operands: &[Object]) -> Option<Self> {
        let mut values = [0.0; 6];
        for (value, operand) in values.iter_mut().zip(operands.get(..6)?) {
            *value = operand.as_float().ok()?;
        }
        Some(Self(values))
    }
}

struct Font<'a> {
    unicode: unicode::Map,
    encoding: Option<Encoding<'a>>,
    two_bytes: bool,
    first: i64,
    widths: Vec<f32>,
}

/// What `q` saves and `Q` brings back, and the state of text.
#[derive(Clone, Copy)]
struct State {
    outer: Matrix,
    text: Matrix,
    line: Matrix,
    font: Option<usize>,
    size: f32,
    leading: f32,
    spacing: f32,
}

struct Pen<'a, 'b> {
    document: &'a Document,
    pieces: Vec<Piece>,
    bytes_left: &'b mut usize,
    effort: &'b Effort,
}

impl<'a> Pen<'a, '_> {
    fn draw(
        &mut self,
        content: &[u8],
        fonts: &BTreeMap<Vec<u8>, &'a Dictionary>,
        resources: Option<&'a Dictionary>,
        outer: Matrix,
        depth: usize,
    ) -> Result<(), Failure> {
        *self.bytes_left = self.bytes_left.saturating_sub(content.len());
        let mut read = Vec::new();
        for (name, dictionary) in fonts {
            read.push((name.as_slice(), self.font(dictionary)?));
        }
        let start = Matrix::IDENTITY;
        let mut state = State { outer, text: start, line: start, font: None, size: 0.0, leading: 0.0, spacing: 0.0 };
        let mut saved = Vec::new();
        // What follows a fault in the drawing is not read; a page may well end in one.
        for (count, operation) in Content::decode_iter(content).map_while(Result::ok).enumerate() {
            if count % 4096 == 0 {
                self.effort.check()?;
            }
            match operation.operator.as_str() {
                "q" if saved.len() < 256 => saved.push(state),
                "Q" => state = saved.pop().unwrap_or(state),
                "Do" if depth < FORM_DEPTH_MAX => self.form(&operation, resources, state.outer, depth)?,
                _ => self.text(&operation, &mut state, &read)?,
            }
        }
        Ok(())
    }

    fn text(&mut self, operation: &Operation, state: &mut State, fonts: &[(&[u8], Font<'_>)]) -> Result<(), Failure> {
        let operands = operation.operands.as_slice();
        let number = |at: usize| operands.get(at).and_then(|operand| operand.as_float().ok()).unwrap_or(0.0);
        let next_line = |state: &mut State, x: f32, y: f32| {
            state.line = Matrix::shift(x, y).then(state.line);
            state.text = state.line;
        };
        match operation.operator.as_str() {
            "cm" => state.outer = Matrix::of(operands).unwrap_or(Matrix::IDENTITY).then(state.outer),
            "BT" => (state.text, state.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            "Tf" => {
                let name = operands.first().and_then(|name| name.as_name().ok());
                // They came from a map in the order of their names.
                state.font = name.and_then(|name| fonts.binary_search_by(|(known, _)| known.cmp(&name)).ok());
                state.size = number(1);
            }
            "Tc" => state.spacing = number(0),
            "TL" => state.leading = number(0),
            "Tm" => {
                state.line = Matrix::of(operands).unwrap_or(state.line);
                state.text = state.line;
            }
            "Td" => next_line(state, number(0), number(1)),
            "TD" => {
                state.leading = -number(1);
                next_line(state, number(0), number(1));
            }
            "T*" => next_line(state, 0.0, -state.leading),
            "Tj" => self.show(operands, state, fonts)?,
            "'" | "\"" => {
                next_line(state, 0.0, -state.leading);
                self.show(operands.last().map(std::slice::from_ref).unwrap_or_default(), state, fonts)?;
            }
            "TJ" => {
                if let Some(Ok(parts)) = operands.first().map(Object::as_array) {
                    self.show(parts, state, fonts)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a piece per string; a number between strings moves the place.
    fn show(&mut self, parts: &[Object], state: &mut State, fonts: &[(&[u8], Font<'_>)]) -> Result<(), Failure> {
        let font = state.font.and_then(|at| fonts.get(at)).map(|(_, font)| font);
        for part in parts {
            if let Ok(shift) = part.as_float() {
                state.text = Matrix::shift(-shift / 1000.0 * state.size, 0.0).then(state.text);
                continue;
            }
            let Ok(bytes) = part.as_str() else { continue };
            let text = decoded(font, bytes);
            let width = width(font, bytes, &text) * state.size + state.spacing * text.chars().count() as f32;
            let place = state.text.then(state.outer).0;
            state.text = Matrix::shift(width, 0.0).then(state.text);
            let end = state.text.then(state.outer).0;
            let size = (state.size * (place[2] * place[2] + place[3] * place[3]).sqrt()).abs();
            if !text.is_empty() && place.iter().chain([&end[4], &size]).all(|value| value.is_finite()) {
                self.pieces.push(Piece { x: place[4], x_end: end[4], y: place[5], size, text });
            }
            if self.pieces.len() > PIECES_MAX {
                return Err(failure("a page of the PDF has too many pieces of text"));
            }
        }
        Ok(())
    }

    fn form(
        &mut self,
        operation: &Operation,
        resources: Option<&'a Dictionary>,
        outer: Matrix,
        depth: usize,
    ) -> Result<(), Failure> {
        let document = self.document;
        let stream = || {
            let name = operation.operands.first()?.as_name().ok()?;
            let forms = document.get_dict_in_dict(resources?, b"XObject").ok()?;
            let (_, object) = document.dereference(forms.get(name).ok()?).ok()?;
            let stream = object.as_stream().ok()?;
            let is_form = stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Form");
            is_form.then_some(stream)
        };
        let Some(stream) = stream() else { return Ok(()) };
        let too_large = |_| failure("what a page of the PDF draws is too large or cannot be read");
        let content = stream.get_plain_content_with_limit(PAGE_BYTES_MAX.min(*self.bytes_left)).map_err(too_large)?;
        let own = document.get_dict_in_dict(&stream.dict, b"Resources").ok().or(resources);
        let mut fonts = BTreeMap::new();
        if let Some(list) = own.and_then(|own| document.get_dict_in_dict(own, b"Font").ok()) {
            for (name, _) in list.iter() {
                fonts.extend(document.get_dict_in_dict(list, name).ok().map(|font| (name.clone(), font)));
            }
        }
        let matrix = stream.dict.get(b"Matrix").and_then(Object::as_array).ok().and_then(|values| Matrix::of(values));
        self.draw(&content, &fonts, own, matrix.unwrap_or(Matrix::IDENTITY).then(outer), depth + 1)
    }

    fn font(&mut self, dictionary: &'a Dictionary) -> Result<Font<'a>, Failure> {
        self.effort.check()?;
        let document = self.document;
        let limit = PAGE_BYTES_MAX.min(*self.bytes_left);
        let unicode = match dictionary.get_deref(b"ToUnicode", document).and_then(Object::as_stream) {
            Ok(stream) => {
                let too_large = |_| failure("a font of the PDF is too large or cannot be read");
                let bytes = stream.get_plain_content_with_limit(limit).map_err(too_large)?;
                *self.bytes_left = self.bytes_left.saturating_sub(bytes.len());
                unicode::Map::read(&bytes)
            }
            Err(_) => unicode::Map::default(),
        };
        let two_bytes = dictionary.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Type0");
        // Without a map the codes of such a font are numbers of glyphs, not characters.
        let encoding = if unicode.is_empty() && !two_bytes {
            dictionary.get_font_encoding_with_limit(document, limit).ok()
        } else {
            None
        };
        let first = dictionary.get(b"FirstChar").and_then(Object::as_i64).unwrap_or(0);
        let widths = dictionary.get_deref(b"Widths", document).and_then(Object::as_array);
        let widths = widths.map(|list| list.iter().map(|width| width.as_float().unwrap_or(0.0)).collect());
        Ok(Font { unicode, encoding, two_bytes, first, widths: widths.unwrap_or_default() })
    }
}

fn decoded(font: Option<&Font<'_>>, bytes: &[u8]) -> String {
    let text = match font {
        Some(font) if !font.unicode.is_empty() => font.unicode.text(bytes, font.two_bytes),
        Some(font) if font.two_bytes => String::new(),
        font => font
            .and_then(|font| font.encoding.as_ref()?.bytes_to_string(bytes).ok())
            .unwrap_or_else(|| super::super::decode::text(bytes).into_owned()),
    };
    text.chars().filter(|c| !c.is_control() && *c != '\u{fffd}').collect()
}

/// The width of a string at size 1: what the font says, otherwise what such letters usually take.
fn width(font: Option<&Font<'_>>, bytes: &[u8], text: &str) -> f32 {
    if let Some(font) = font
        && !font.two_bytes
        && !font.widths.is_empty()
    {
        let of = |byte: &u8| {
            let at = usize::try_from(i64::from(*byte) - font.first).ok();
            at.and_then(|at| font.widths.get(at)).copied().unwrap_or(500.0)
        };
        return bytes.iter().map(of).sum::<f32>() / 1000.0;
    }
    let usual = |c: char| match c {
        ' ' | 'i' | 'j' | 'l' | 't' | 'f' | 'I' | '.' | ',' | ':' | ';' | '/' | '|' | '!' | '\'' => 0.278,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.85,
        'r' | '-' | '(' | ')' => 0.333,
        c if c.is_uppercase() => 0.69,
        _ => 0.545,
    };
    text.chars().map(usual).sum()
}

/// Joins pieces to lines from the top of the page to its bottom.
fn lines(mut pieces: Vec<Piece>) -> String {
    pieces.sort_by(|one, other| other.y.total_cmp(&one.y).then(one.x.total_cmp(&other.x)));
    let mut text = String::new();
    let mut rest = pieces.into_iter().peekable();
    let mut last: Option<(f32, f32)> = None;
    while let Some(first) = rest.next() {
        let (top, size) = (first.y, first.size.max(1.0));
        let mut line = vec![first];
        while let Some(next) = rest.next_if(|next| top - next.y < 0.4 * size) {
            line.push(next);
        }
        line.sort_by(|one, other| one.x.total_cmp(&other.x));
        // A gap of more than a line and a half is a blank line.
        if last.is_some_and(|(y, size)| y - top > 2.2 * size) {
            text.push('\n');
        }
        last = Some((top, size));
        text.push_str(joined(&line).trim_end());
        text.push('\n');
    }
    text
}

fn joined(line: &[Piece]) -> String {
    let mut text = String::new();
    let mut end = None;
    for piece in line {
        let gap = end.map_or(0.0, |end| piece.x - end) / piece.size.max(1.0);
        if gap > 1.2 {
            text.push_str("   ");
        } else if gap > 0.13 && !text.ends_with(' ') && !piece.text.starts_with(' ') {
            text.push(' ');
        }
        text.push_str(&piece.text);
        end = Some(piece.x_end);
    }
    text
}
