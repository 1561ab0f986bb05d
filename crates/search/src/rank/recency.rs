//! Recency: among what answers well enough, the newer.

use crate::index::view::View;

/// What is at least this share of the best answers well enough.
const ENOUGH: f32 = 0.4;

/// By place: up to `share` of the best for the newest among what is good enough. Passages with a time are compared by it, the others
/// by when they were recorded.
pub fn scores(view: &View<'_>, base: &[f32], share: f32) -> Vec<f32> {
    let passages = &view.index.passages;
    let best = view.places().map(|place| base[place as usize]).fold(0.0, f32::max);
    let mut scores = vec![0.0; view.visible.len()];
    let (mut timed, mut recorded) = (Vec::new(), Vec::new());
    for place in view.places().filter(|place| base[*place as usize] >= best * ENOUGH) {
        match passages.time(place) {
            Some(time) => timed.push(((time.0, passages.from(place)), place)),
            None => recorded.push(((0, passages.from(place)), place)),
        }
    }
    for mut group in [timed, recorded] {
        group.sort_unstable();
        let last = group.len().saturating_sub(1).max(1) as f32;
        let mut older = 0;
        for (at, (moment, place)) in group.iter().enumerate() {
            if at > 0 && group[at - 1].0 != *moment {
                older = at;
            }
            scores[*place as usize] = share * best * older as f32 / last;
        }
    }
    scores
}
