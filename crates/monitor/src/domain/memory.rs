//! Memories: how they are ranked.

use std::cmp::Ordering;

use scope::Timestamp;

use super::narrative::Memory;

/// A memory is half as recent after this many days.
const HALF_LIFE_DAYS: f64 = 30.0;
const MICROS_PER_DAY: f64 = 86_400.0 * 1e6;

/// A memory with what it is ranked by.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    pub memory: Memory,
    /// When it was last recalled; when it was made, if never.
    pub last_accessed: Timestamp,
    pub access_count: u64,
    /// Likeness to the question, from 0 to 1, when there is one.
    pub similarity: Option<f64>,
}

impl Recalled {
    /// With a question: 0.4 likeness, 0.3 importance, 0.3 recency.
    pub fn score(&self, now: Timestamp) -> Option<f64> {
        let likeness = self.similarity?;
        Some(0.4 * likeness + 0.3 * self.memory.importance + 0.3 * recency(self.last_accessed, now))
    }
}

/// From 1 for now towards 0 for long ago.
pub fn recency(last_accessed: Timestamp, now: Timestamp) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a day more or less does not matter in 285 years")]
    let days = now.0.saturating_sub(last_accessed.0).max(0) as f64 / MICROS_PER_DAY;
    0.5_f64.powf(days / HALF_LIFE_DAYS)
}

/// Puts the ones that matter most first: by score with a question, otherwise by importance, then the latest.
pub fn rank(memories: &mut [Recalled], now: Timestamp) {
    let better = |one: &Recalled, other: &Recalled| -> Ordering {
        let by_score = match (one.score(now), other.score(now)) {
            (Some(one), Some(other)) => other.total_cmp(&one),
            _ => other.memory.importance.total_cmp(&one.memory.importance),
        };
        by_score
            .then(other.last_accessed.cmp(&one.last_accessed))
            .then_with(|| one.memory.memory_id.cmp(&other.memory.memory_id))
    };
    memories.sort_by(better);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(day: i64) -> Timestamp {
        Timestamp(day * 86_400_000_000)
    }

    fn recalled(id: &str, importance: f64, day: i64, similarity: Option<f64>) -> Recalled {
        let memory = Memory {
            memory_id: id.to_owned(),
            entity_id: "e".to_owned(),
            universe_id: "u".to_owned(),
            text: "t".to_owned(),
            linked_fact_id: None,
            scene_id: None,
            emotional_valence: 0.0,
            importance,
            certainty: 1.0,
            created_at: moment(0),
        };
        Recalled { memory, last_accessed: moment(day), access_count: 0, similarity }
    }

    #[track_caller]
    fn check(mut memories: Vec<Recalled>, expected: &str) {
        rank(&mut memories, moment(100));
        assert_eq!(memories.iter().map(|one| one.memory.memory_id.as_str()).collect::<Vec<_>>().join(" "), expected);
    }

    //
    #[test]
    fn memories_are_ranked_by_importance_then_recency_or_by_the_question() {
        let plain = |id: &str, importance: f64, day: i64| recalled(id, importance, day, None);
        check(vec![plain("old", 0.5, 1), plain("new", 0.5, 2), plain("big", 0.9, 0)], "big new old");
        let asked = vec![
            recalled("like", 0.1, 100, Some(0.9)),
            recalled("big", 0.9, 100, Some(0.0)),
            recalled("stale", 0.9, 0, Some(0.3)),
        ];
        check(asked, "like big stale");
    }

    #[test]
    fn recency_halves_in_thirty_days_and_never_exceeds_one() {
        assert!((recency(moment(0), moment(30)) - 0.5).abs() < 1e-12);
        assert!((recency(moment(0), moment(60)) - 0.25).abs() < 1e-12);
        assert!((recency(moment(9), moment(0)) - 1.0).abs() < 1e-12);
    }
}
