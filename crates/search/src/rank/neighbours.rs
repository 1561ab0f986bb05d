//! Neighbours: what stands beside a passage in its stream explains it.

use crate::index::view::View;

/// By place: a share of the two beside it and the square of that share of the two beyond, among what is visible of the stream.
pub fn scores(view: &View<'_>, base: &[f32], share: f32) -> Vec<f32> {
    let mut scores = vec![0.0; view.visible.len()];
    let mut stream = Vec::new();
    for places in view.index.streams.iter() {
        in_order(view, &places, &mut stream);
        for (distance, share) in [(1, share), (2, share * share)] {
            for (before, after) in stream.iter().zip(stream.iter().skip(distance)) {
                scores[*before as usize] += share * base[*after as usize];
                scores[*after as usize] += share * base[*before as usize];
            }
        }
    }
    scores
}

/// The visible places of a stream. Those at the same point of it stand in the order of their ids, not in which they came.
fn in_order(view: &View<'_>, places: &[(i64, u32)], to: &mut Vec<u32>) {
    to.clear();
    let mut visible = places.iter().filter(|(_, place)| view.sees(*place)).peekable();
    while let Some((order, place)) = visible.next() {
        let start = to.len();
        to.push(*place);
        while let Some((_, place)) = visible.next_if(|(next, _)| next == order) {
            to.push(*place);
        }
        if to.len() > start + 1 {
            to[start..].sort_unstable_by_key(|place| view.id(*place));
        }
    }
}
