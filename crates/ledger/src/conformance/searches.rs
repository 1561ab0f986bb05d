//! Searches: words are data, and the past keeps its own.

use super::sample::{THING, end, key, put};
use super::{Harness, Sample, record};
use crate::{Record, Search, Seq};

/// A search for any of the words.
pub fn any(text: &str) -> Search {
    Search {
        kind: THING.to_owned(),
        scope: None,
        r#type: None,
        text: text.to_owned(),
        all_words: false,
        prefix: false,
        weighed_max: crate::words::CANDIDATES_MAX,
        limit: 10,
    }
}

fn all(text: &str) -> Search {
    Search { all_words: true, ..any(text) }
}

fn saying(id: &str, text: &str) -> Record {
    Record { text: text.to_owned(), ..record(id) }
}

async fn told(harness: &dyn Harness, texts: &[(&str, &str)]) -> Sample {
    let sample = Sample::new(harness);
    sample.write(texts.iter().map(|(id, text)| put(saying(id, text))).collect()).await;
    sample
}

/// The ids found at a point, in the order of ids.
async fn found_at(sample: &Sample, at: Seq, search: Search) -> Vec<String> {
    let hits = sample.ledger.search(&sample.tenant, at, search).await.expect("records can be searched");
    let mut ids: Vec<String> = hits.into_iter().map(|hit| hit.version.record.key.id).collect();
    ids.sort();
    ids
}

async fn found(sample: &Sample, search: Search) -> Vec<String> {
    found_at(sample, sample.head().await, search).await
}

pub async fn words_are_found_whatever_their_form(harness: &mut dyn Harness) {
    let sample = told(harness, &[("a", "Order-Service"), ("b", "Überweisung an Zoë"), ("c", "売上報告")]).await;
    for (text, id) in [("SERVICE", "a"), ("order", "a"), ("uberweisung", "b"), ("ZOE", "b"), ("Zoë", "b"), ("報", "c")]
    {
        assert_eq!(found(&sample, all(text)).await, [id], "{text}");
    }
    assert_eq!(found(&sample, all("serv")).await, [""; 0]);
}

pub async fn all_words_or_any(harness: &mut dyn Harness) {
    let sample = told(harness, &[("a", "red apple"), ("b", "green apple"), ("c", "red brick")]).await;
    assert_eq!(found(&sample, all("red apple")).await, ["a"]);
    assert_eq!(found(&sample, any("red apple")).await, ["a", "b", "c"]);
    assert_eq!(found(&sample, all("apple unknown")).await, [""; 0]);
    assert_eq!(found(&sample, any("brick unknown")).await, ["c"]);
}

pub async fn the_last_word_may_be_a_prefix(harness: &mut dyn Harness) {
    let sample = told(harness, &[("a", "order management"), ("b", "order manager"), ("c", "ordering man")]).await;
    let prefix = |text, all_words| Search { prefix: true, all_words, ..any(text) };
    assert_eq!(found(&sample, prefix("order man", true)).await, ["a", "b"]);
    assert_eq!(found(&sample, prefix("manag", true)).await, ["a", "b"]);
    assert_eq!(found(&sample, prefix("order", false)).await, ["a", "b", "c"]);
    assert_eq!(found(&sample, prefix("man order", true)).await, ["c"]);
}

pub async fn words_are_data(harness: &mut dyn Harness) {
    let sample = told(harness, &[("a", "this OR that NOT near"), ("b", "quote \" and star *"), ("c", "")]).await;
    for text in ["", " ", "\0", "\"", "*", "-", "()", "^", "NEAR(", "words:", "{a b}:"] {
        for search in [any(text), all(text), Search { prefix: true, ..all(text) }] {
            let ids = found(&sample, search).await;
            assert!(ids.is_empty() || text.contains("NEAR") || text.contains("a b"), "{text:?} found {ids:?}");
        }
    }
    for (text, id) in [("OR", "a"), ("not", "a"), ("NEAR(this, 2)", "a"), ("\"quote\"*", "b"), ("star\0and", "b")] {
        assert_eq!(found(&sample, any(text)).await, [id], "{text:?}");
    }
    assert_eq!(found(&sample, all("this NOT that")).await, ["a"]);
    assert_eq!(found(&sample, all("quote OR this")).await, [""; 0]);
    let long = "word ".repeat(2000);
    assert_eq!(found(&sample, any(&long)).await, [""; 0]);
}

pub async fn a_search_in_the_past_sees_the_text_of_then(harness: &mut dyn Harness) {
    let sample = told(harness, &[("a", "draft")]).await;
    let renamed = sample.put(saying("a", "final")).await;
    let silent = sample.put(saying("a", "")).await;
    let ended = sample.write(vec![end(key("a")), put(saying("b", "draft"))]).await;
    assert_eq!(found_at(&sample, renamed - 1, any("draft final")).await, ["a"]);
    assert_eq!(found_at(&sample, renamed, any("draft")).await, [""; 0]);
    assert_eq!(found_at(&sample, renamed, any("final")).await, ["a"]);
    assert_eq!(found_at(&sample, silent, any("draft final")).await, [""; 0]);
    assert_eq!(found_at(&sample, ended, any("draft final")).await, ["b"]);
    assert_eq!(found_at(&sample, 0, any("draft final")).await, [""; 0]);
}

pub async fn kind_scope_and_limit_narrow(harness: &mut dyn Harness) {
    let sample = told(harness, &[("a", "word"), ("b", "word")]).await;
    sample.put(Record { scope: "m2".to_owned(), ..saying("c", "word") }).await;
    sample.put(Record { key: crate::RecordKey::new("conformance.other", "d"), ..saying("d", "word") }).await;
    assert_eq!(found(&sample, any("word")).await, ["a", "b", "c"]);
    assert_eq!(found(&sample, Search { scope: Some("m2".to_owned()), ..any("word") }).await, ["c"]);
    assert_eq!(found(&sample, Search { kind: "conformance.other".to_owned(), ..any("word") }).await, ["d"]);
    assert_eq!(found(&sample, Search { limit: 2, ..any("word") }).await.len(), 2);
    assert_eq!(found(&sample, Search { limit: 0, ..any("word") }).await, [""; 0]);
}

pub async fn a_type_is_chosen_among_the_newest_that_are_weighed(harness: &mut dyn Harness) {
    let of = |id: &str, r#type: &str| Record { r#type: r#type.to_owned(), ..saying(id, "word") };
    let sample = Sample::new(harness);
    for record in [of("a", "Red"), of("b", "Blue"), of("c", "Red"), of("d", "Blue")] {
        sample.put(record).await;
    }
    let red = Search { r#type: Some("Red".to_owned()), ..all("word") };
    assert_eq!(found(&sample, red.clone()).await, ["a", "c"]);
    assert_eq!(found(&sample, Search { limit: 1, ..red.clone() }).await.len(), 1);
    assert_eq!(found(&sample, Search { weighed_max: 2, ..all("word") }).await, ["c", "d"]);
    assert_eq!(found(&sample, Search { weighed_max: 2, ..red }).await, ["c"]);
    assert_eq!(found(&sample, Search { r#type: Some("Green".to_owned()), ..all("word") }).await, [""; 0]);
}

//
pub async fn the_better_match_comes_first_and_stays_first(harness: &mut dyn Harness) {
    let texts = [("a", "ledger of many other things and words"), ("b", "ledger order"), ("c", "order"), ("d", "order")];
    let sample = told(harness, &texts).await;
    let at = sample.head().await;
    let ranked = async || -> Vec<(String, f64)> {
        let hits =
            sample.ledger.search(&sample.tenant, at, any("ledger order")).await.expect("records can be searched");
        hits.into_iter().map(|hit| (hit.version.record.key.id, hit.score)).collect()
    };
    let before = ranked().await;
    assert_eq!(before[0].0, "b");
    assert!(before.windows(2).all(|pair| pair[0].1 > pair[1].1 || (pair[0].1 == pair[1].1 && pair[0].0 < pair[1].0)));
    for number in 0..50 {
        sample.put(saying(&format!("later{number}"), "ledger ledger ledger")).await;
        Sample::of(harness, "zenith").put(saying(&format!("other{number}"), "order order")).await;
    }
    assert_eq!(ranked().await, before);
}
