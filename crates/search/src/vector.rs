//! Vectors as they are kept: one byte for each number, and one scale for all of them.

use crate::Damaged;

/// A vector in a quarter of its size. A dot product of two is computed in integers, so it is the same on every machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantised {
    /// What a number is multiplied with to be itself again.
    pub scale: f32,
    pub values: Box<[i8]>,
}

impl Quantised {
    /// Rounds each number to one of 255 steps. An empty vector, or one of zeros, stays what it is.
    pub fn new(vector: &[f32]) -> Self {
        let largest =
            vector.iter().filter(|number| number.is_finite()).fold(0.0_f32, |most, number| most.max(number.abs()));
        let scale = largest / 127.0;
        let step = |number: &f32| if scale > 0.0 { (number / scale).round() as i8 } else { 0 };
        Self { scale, values: vector.iter().map(step).collect() }
    }

    /// The scale, then the numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + self.values.len());
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.values.iter().map(|value| value.cast_unsigned()));
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        let (scale, values) = bytes.split_first_chunk().ok_or(Damaged("a vector without a scale"))?;
        let scale = f32::from_le_bytes(*scale);
        if !scale.is_finite() || scale < 0.0 {
            return Err(Damaged("a vector whose scale is no number"));
        }
        Ok(Self { scale, values: values.iter().map(|byte| byte.cast_signed()).collect() })
    }
}
