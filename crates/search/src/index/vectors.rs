//! The vectors of an index, one after the other, and how near each is to that of a question.

use super::passages::NONE;
use crate::Quantised;

/// Vectors of equal length, some places without one.
#[derive(Debug, Default)]
pub struct Vectors {
    dimensions: usize,
    values: Vec<i8>,
    scales: Vec<f32>,
    /// By place: which of them.
    numbers: Vec<u32>,
}

impl Vectors {
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Another place, so far without a vector.
    pub fn push(&mut self) {
        self.numbers.push(NONE);
    }

    /// Sets the vector of a place. One of another length, of zeros, or for a place that has one already is left out.
    pub fn set(&mut self, place: u32, vector: &Quantised) {
        let fits = self.dimensions > 0 && vector.values.len() == self.dimensions && vector.scale > 0.0;
        let number = &mut self.numbers[place as usize];
        if fits && *number == NONE {
            *number = u32::try_from(self.scales.len()).expect("an index takes fewer");
            self.values.extend_from_slice(&vector.values);
            self.scales.push(vector.scale);
        }
    }

    pub fn has(&self, place: usize) -> bool {
        self.numbers[place] != NONE
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The vector of a place in its numbers, if it has one.
    pub fn at(&self, place: u32) -> Option<(&[i8], f32)> {
        let number = self.numbers[place as usize];
        (number != NONE).then(|| {
            let start = number as usize * self.dimensions;
            (&self.values[start..start + self.dimensions], self.scales[number as usize])
        })
    }

    /// The cosine of each chosen place with a unit vector; NaN where there is none.
    pub fn cosines(&self, vector: &[f32], chosen: &[bool]) -> Vec<f32> {
        let (scale, question) = steps(vector);
        let cosine = |(place, chosen): (usize, &bool)| {
            if !chosen {
                return f32::NAN;
            }
            match self.at(place as u32) {
                Some((values, own)) => (dot(&question, values) as f32 * own * scale).clamp(-1.0, 1.0),
                None => f32::NAN,
            }
        };
        chosen.iter().enumerate().map(cosine).collect()
    }

    pub fn bytes(&self) -> usize {
        self.values.capacity() + self.scales.capacity() * 4 + self.numbers.capacity() * 4
    }
}

/// A vector in steps finer than the stored ones, as small numbers: their products add up to less than 2^31.
fn steps(vector: &[f32]) -> (f32, Vec<i16>) {
    let largest =
        vector.iter().filter(|number| number.is_finite()).fold(0.0_f32, |most, number| most.max(number.abs()));
    let scale = largest / 2047.0;
    (scale, vector.iter().map(|number| if scale > 0.0 { (number / scale).round() as i16 } else { 0 }).collect())
}

fn dot(a: &[i16], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}
