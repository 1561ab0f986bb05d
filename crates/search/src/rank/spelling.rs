//! By spelling: for a word that hardly any passage holds, words that are written nearly like it.

use super::asked::Wanted;
use super::words;
use crate::index::view::View;

/// A word that more passages hold is taken to be meant as it is written.
const HOLDERS_MAX: usize = 3;
/// Two words are alike if they share so many of their groups of three letters.
const LIKENESS_MIN: f32 = 0.5;
/// So many words may stand for one.
const ALIKE_MAX: usize = 16;

/// By place: what it holds beyond the words themselves, on the scale of [`words::shares`].
pub fn shares(view: &View<'_>, wanted: &[Wanted]) -> Vec<f32> {
    let mut shares = Vec::new();
    let ideal = words::ideal(wanted);
    for word in wanted.iter().filter(|word| word.holders.len() <= HOLDERS_MAX) {
        for (place, score) in alike(view, word) {
            shares.resize(view.visible.len(), 0.0);
            shares[place as usize] += word.weight * score / ideal;
        }
    }
    shares
}

/// The places that hold a word like this one but not the word itself, each with the score of the most alike.
fn alike(view: &View<'_>, word: &Wanted) -> Vec<(u32, f32)> {
    let vocabulary = &view.index.vocabulary;
    let mut alike = vocabulary.alike(&word.stem, LIKENESS_MIN);
    alike.retain(|(term, _)| !word.terms.contains(term));
    alike.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| vocabulary.text(a.0).cmp(vocabulary.text(b.0))));
    let holders = alike.into_iter().map(|(term, likeness)| (words::holders(view, &[term]), likeness));
    let mut found: Vec<(u32, f32)> = Vec::new();
    // What nobody holds at this point must not take a place among the few.
    for (holders, likeness) in holders.filter(|(holders, _)| !holders.is_empty()).take(ALIKE_MAX) {
        let idf = view.idf(holders.len()).min(word.idf);
        found.extend(
            holders.iter().map(|(place, count)| (*place, likeness * idf * words::saturated(view, *place, *count))),
        );
    }
    found.retain(|(place, _)| word.holders.binary_search_by_key(place, |holder| holder.0).is_err());
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    found.dedup_by_key(|(place, _)| *place);
    found
}
