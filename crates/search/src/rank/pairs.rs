//! By pairs: words that stand together in the question and in the passage.

use super::asked::Wanted;
use super::words;
use crate::index::view::View;

/// So many words further the second may stand.
const DISTANCE_MAX: usize = 3;
/// A beginning that stands for more words than this is no word yet.
const TERMS_MAX: usize = 64;

/// By place, on the scale of [`words::shares`].
pub fn shares(view: &View<'_>, wanted: &[Wanted]) -> Vec<f32> {
    let mut shares = Vec::new();
    let ideal = words::ideal(wanted);
    for pair in wanted.windows(2) {
        let [first, second] = pair else { continue };
        if first.terms.len().max(second.terms.len()) > TERMS_MAX {
            continue;
        }
        let found = together(view, first, second);
        if !found.is_empty() {
            shares.resize(view.visible.len(), 0.0);
            words::add(view, &found, view.idf(found.len()) / ideal, &mut shares);
        }
    }
    shares
}

/// The places where the second word follows the first, with how often it does.
fn together(view: &View<'_>, first: &Wanted, second: &Wanted) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut others = second.holders.iter().map(|holder| holder.0).peekable();
    for (place, _) in &first.holders {
        while others.next_if(|other| other < place).is_some() {}
        if others.peek() != Some(place) {
            continue;
        }
        let order = view.index.passages.words(*place);
        let follows = |at: &usize| order[at + 1..].iter().take(DISTANCE_MAX).any(|word| second.terms.contains(word));
        let firsts = (0..order.len()).filter(|at| first.terms.contains(&order[*at]));
        let count = firsts.filter(follows).count();
        if count > 0 {
            found.push((*place, count as u32));
        }
    }
    found
}
