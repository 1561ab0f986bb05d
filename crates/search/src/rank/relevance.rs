//! Relevance: from a sum of weighed reasons to a number that means the same for every question.

/// How well something answers, from 0 to 1, by what speaks for it.
pub fn of(total: f32) -> f64 {
    let total = f64::from(total.max(0.0));
    1.0 - (-total).exp()
}
