//! The words of a model, from `tokenizer.json`.

use std::path::Path;

use hashbrown::HashMap;
use serde::Deserialize;

use super::OpenError;
use super::settings::{Settings, json, unfit};
use crate::embed::pieces;

/// Pieces by text, and the marks that a model wants around them.
#[derive(Debug)]
pub struct Vocabulary {
    numbers: HashMap<String, u32>,
    begin: u32,
    end: u32,
    unknown: u32,
    pieces_max: usize,
}

#[derive(Deserialize)]
struct Tokenizer {
    normalizer: Option<Normalizer>,
    model: Pieces,
}

#[derive(Deserialize)]
struct Normalizer {
    r#type: String,
    #[serde(default)]
    lowercase: Option<bool>,
    #[serde(default)]
    strip_accents: Option<bool>,
}

#[derive(Deserialize)]
struct Pieces {
    r#type: Option<String>,
    vocab: std::collections::HashMap<String, u32>,
    #[serde(default)]
    unk_token: Option<String>,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
}

impl Vocabulary {
    pub fn read(directory: &Path, settings: &Settings) -> Result<Self, OpenError> {
        let path = directory.join("tokenizer.json");
        let tokenizer: Tokenizer = json(&path)?.ok_or_else(|| unfit(&path, "it is missing"))?;
        let Tokenizer { normalizer, model } = tokenizer;
        let plain = normalizer.is_some_and(|normalizer| {
            normalizer.r#type == "BertNormalizer"
                && normalizer.lowercase.unwrap_or(true)
                && normalizer.strip_accents.unwrap_or(true)
        });
        if !plain {
            return Err(unfit(&path, "only models that read lower case without accents are known"));
        }
        let pieces = model.r#type.as_deref().is_none_or(|kind| kind == "WordPiece")
            && model.continuing_subword_prefix.as_deref().is_none_or(|prefix| prefix == "##");
        if !pieces {
            return Err(unfit(&path, "only words in pieces that begin with ## are known"));
        }
        if model.vocab.values().any(|number| *number as usize >= settings.vocab_size) {
            return Err(unfit(&path, "it has more pieces than config.json says"));
        }
        let mark = |text: &str| {
            model.vocab.get(text).copied().ok_or_else(|| unfit(&path, &format!("the mark {text} is missing")))
        };
        Ok(Self {
            begin: mark("[CLS]")?,
            end: mark("[SEP]")?,
            unknown: mark(model.unk_token.as_deref().unwrap_or("[UNK]"))?,
            pieces_max: settings.pieces_max,
            numbers: model.vocab.into_iter().collect(),
        })
    }

    /// The pieces of a text between the marks for begin and end; none if there is nothing to read.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        let mut found = vec![self.begin];
        for word in pieces::words(text) {
            if !pieces::pieces(&word, |entry| self.numbers.get(entry).copied(), &mut found) {
                found.push(self.unknown);
            }
            if found.len() >= self.pieces_max {
                break;
            }
        }
        if found.len() == 1 {
            return Vec::new();
        }
        found.truncate(self.pieces_max - 1);
        found.push(self.end);
        found
    }
}
