//! By meaning: the cosine of question and passage.

use crate::index::view::View;

/// Unrelated texts may have this much in common before it is taken off. Some models put all texts close to each other.
const COMMON: f32 = 0.35;

/// The cosine of each place; NaN where there is none.
pub fn cosines(view: &View<'_>, vector: Option<&[f32]>) -> Vec<f32> {
    match vector.filter(|vector| !vector.is_empty() && vector.len() == view.index.vectors.dimensions()) {
        Some(vector) => view.index.vectors.cosines(vector, &view.visible),
        None => Vec::new(),
    }
}

/// From a cosine to a share.
#[derive(Debug, Default, Clone, Copy)]
pub struct Scale {
    floor: f32,
    mean: f32,
    /// Whether there is any.
    pub is_known: bool,
}

impl Scale {
    pub fn new(cosines: &[f32]) -> Self {
        // In whole steps, so that the sum is the same in any order.
        let (mut sum, mut count) = (0_i64, 0_i64);
        for cosine in cosines.iter().filter(|cosine| !cosine.is_nan()) {
            sum += (cosine * 65_536.0) as i64;
            count += 1;
        }
        let mean = if count > 0 { sum as f32 / count as f32 / 65_536.0 } else { 0.0 };
        Self { floor: (mean - COMMON).max(0.0), mean, is_known: count > 0 }
    }

    /// What a cosine gives, from 0 to 1. A passage without a vector is taken for an average one.
    pub fn share(&self, cosine: f32) -> f32 {
        let cosine = if cosine.is_nan() { self.mean } else { cosine };
        ((cosine - self.floor) / (1.0 - self.floor)).clamp(0.0, 1.0)
    }
}
