//! The computation: pieces in, vectors out.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, Slice, concatenate};

use super::OpenError;
use super::settings::{Pooling, Settings};
use super::weights::Weights;

const ROWS: Axis = Axis(0);
const COLUMNS: Axis = Axis(1);

/// A stack of layers on top of a table of pieces.
#[derive(Debug)]
pub struct Model {
    pieces: Array2<f32>,
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    pooling: Pooling,
}

#[derive(Debug)]
struct Layer {
    /// Query, key and value beside each other.
    attention: Linear,
    heads: usize,
    attention_output: Linear,
    attention_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

#[derive(Debug)]
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

#[derive(Debug)]
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

impl Model {
    pub fn new(settings: &Settings, weights: &Weights<'_>) -> Result<Self, OpenError> {
        let (hidden, length) = (settings.hidden_size, settings.max_position_embeddings);
        let kinds = weights.matrix("embeddings.token_type_embeddings.weight", 2, hidden)?;
        let mut positions = weights.matrix("embeddings.position_embeddings.weight", length, hidden)?;
        // All texts are of the first kind, so its row is part of every position.
        positions += &kinds.row(0);
        Ok(Self {
            pieces: weights.matrix("embeddings.word_embeddings.weight", settings.vocab_size, hidden)?,
            positions,
            norm: Norm::new(settings, weights, "embeddings.LayerNorm")?,
            layers: (0..settings.num_hidden_layers)
                .map(|layer| Layer::new(settings, weights, layer))
                .collect::<Result<_, _>>()?,
            pooling: settings.pooling,
        })
    }

    /// The unit vector of each text. None may be empty or longer than the model's positions.
    pub fn embed(&self, texts: &[&[u32]]) -> Vec<Vec<f32>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for text in texts {
            let start = ranges.last().map_or(0, |range| range.end);
            ranges.push(start..start + text.len());
        }
        let mut state = Array2::zeros((ranges.last().map_or(0, |range| range.end), self.pieces.ncols()));
        for (text, range) in texts.iter().zip(&ranges) {
            for (position, (piece, row)) in text.iter().zip(range.clone()).enumerate() {
                state.row_mut(row).assign(&(&self.pieces.row(*piece as usize) + &self.positions.row(position)));
            }
        }
        self.norm.apply(&mut state);
        for layer in &self.layers {
            state = layer.apply(state, &ranges);
        }
        ranges.iter().map(|range| self.pool(state.slice_axis(ROWS, Slice::from(range.clone())))).collect()
    }

    fn pool(&self, text: ArrayView2<'_, f32>) -> Vec<f32> {
        let pooled = match self.pooling {
            Pooling::Mean => text.mean_axis(ROWS).expect("a text has pieces"),
            Pooling::First => text.row(0).to_owned(),
        };
        let length = pooled.dot(&pooled).sqrt();
        pooled.iter().map(|value| if length > 0.0 { value / length } else { 0.0 }).collect()
    }
}

impl Layer {
    fn new(settings: &Settings, weights: &Weights<'_>, number: usize) -> Result<Self, OpenError> {
        let (hidden, wide) = (settings.hidden_size, settings.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let part = |part: &str| Linear::new(weights, &name(&format!("attention.self.{part}")), hidden, hidden);
        Ok(Self {
            attention: Linear::beside(&[part("query")?, part("key")?, part("value")?]),
            heads: settings.num_attention_heads,
            attention_output: Linear::new(weights, &name("attention.output.dense"), hidden, hidden)?,
            attention_norm: Norm::new(settings, weights, &name("attention.output.LayerNorm"))?,
            wide: Linear::new(weights, &name("intermediate.dense"), wide, hidden)?,
            narrow: Linear::new(weights, &name("output.dense"), hidden, wide)?,
            norm: Norm::new(settings, weights, &name("output.LayerNorm"))?,
        })
    }

    fn apply(&self, state: Array2<f32>, texts: &[Range<usize>]) -> Array2<f32> {
        let mut attended = self.attention_output.apply(&self.attend(&state, texts));
        attended += &state;
        self.attention_norm.apply(&mut attended);
        let mut wide = self.wide.apply(&attended);
        wide.mapv_inplace(gelu);
        let mut state = self.narrow.apply(&wide);
        state += &attended;
        self.norm.apply(&mut state);
        state
    }

    /// Each piece looks at the pieces of its own text.
    fn attend(&self, state: &Array2<f32>, texts: &[Range<usize>]) -> Array2<f32> {
        let hidden = state.ncols();
        let size = hidden / self.heads;
        let scale = (size as f32).sqrt().recip();
        let all = self.attention.apply(state);
        let mut result = Array2::zeros(state.raw_dim());
        for text in texts {
            let own = all.slice_axis(ROWS, Slice::from(text.clone()));
            let mut seen = result.slice_axis_mut(ROWS, Slice::from(text.clone()));
            for head in 0..self.heads {
                let part = |number: usize| {
                    let start = number * hidden + head * size;
                    own.slice_axis(COLUMNS, Slice::from(start..start + size))
                };
                let mut shares = part(0).dot(&part(1).t());
                shares
                    .rows_mut()
                    .into_iter()
                    .for_each(|mut row| softmax(row.as_slice_mut().expect("rows are in one piece"), scale));
                seen.slice_axis_mut(COLUMNS, Slice::from(head * size..(head + 1) * size)).assign(&shares.dot(&part(2)));
            }
        }
        result
    }
}

impl Linear {
    fn new(weights: &Weights<'_>, name: &str, rows: usize, columns: usize) -> Result<Self, OpenError> {
        let weight = weights.matrix(&format!("{name}.weight"), rows, columns)?;
        Ok(Self { weight, bias: weights.vector(&format!("{name}.bias"), rows)? })
    }

    /// Several that take the same, as one.
    fn beside(parts: &[Self]) -> Self {
        const EQUAL: &str = "parts of equal shape";
        let weights: Vec<_> = parts.iter().map(|part| part.weight.view()).collect();
        let biases: Vec<_> = parts.iter().map(|part| part.bias.view()).collect();
        Self { weight: concatenate(ROWS, &weights).expect(EQUAL), bias: concatenate(ROWS, &biases).expect(EQUAL) }
    }

    fn apply(&self, input: &Array2<f32>) -> Array2<f32> {
        let mut output = input.dot(&self.weight.t());
        output += &self.bias;
        output
    }
}

impl Norm {
    fn new(settings: &Settings, weights: &Weights<'_>, name: &str) -> Result<Self, OpenError> {
        let vector = |part: &str| weights.vector(&format!("{name}.{part}"), settings.hidden_size);
        Ok(Self { weight: vector("weight")?, bias: vector("bias")?, epsilon: settings.layer_norm_eps })
    }

    fn apply(&self, state: &mut Array2<f32>) {
        for mut row in state.rows_mut() {
            let count = row.len() as f32;
            let mean = row.sum() / count;
            row -= mean;
            let spread = (row.dot(&row) / count + self.epsilon).sqrt();
            row /= spread;
            row *= &self.weight;
            row += &self.bias;
        }
    }
}

fn softmax(row: &mut [f32], scale: f32) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|value| *value = ((*value - most) * scale).exp());
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|value| *value /= sum);
}

fn gelu(value: f32) -> f32 {
    0.5 * value * (1.0 + erf(value * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function within 0.0000002, by formula 7.1.26 of Abramowitz and Stegun.
fn erf(value: f32) -> f32 {
    let x = value.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let sum = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_8 + t * (-1.453_152 + t * 1.061_405_4))));
    (1.0 - sum * (-x * x).exp()).copysign(value)
}
