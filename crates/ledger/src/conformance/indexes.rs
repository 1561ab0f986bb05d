//! Indexes: what search keeps is taken in steps, ends where its document changes, and belongs to one tenant.

use scope::TenantId;

use super::Harness;
use super::sample::tenant;
use crate::{DocumentRows, IndexBatch, IndexState, KeptRow, PassageRow, SearchStore};

const SPACE: &str = "table";

pub async fn rows_follow_their_documents(harness: &mut dyn Harness) {
    let (store, acme) = (harness.search_store(), tenant("acme"));
    let store = store.as_ref();
    start(store, &acme).await;
    append(store, &acme, 0, 2, vec![document("a", 1, &["one", "two"]), document("b", 2, &["three"])]).await;
    // The first passage of a is the same, the second is another, and there is a third; b is gone.
    append(store, &acme, 2, 5, vec![document("a", 4, &["one", "TWO", "four"]), document("b", 5, &[])]).await;
    let shown = ["a0 one 1..", "a1 two 1..4", "b0 three 2..5", "a1 TWO 4..", "a2 four 4.."];
    assert_eq!(rows(store, &acme).await, shown);
    // A document that moves leaves its partition.
    let moved = DocumentRows { partition: "book/other".to_owned(), ..document("a", 6, &["one"]) };
    append(store, &acme, 5, 6, vec![moved]).await;
    assert_eq!(rows(store, &acme).await[0], "a0 one 1..6");
    let there = store.rows(&acme, ("book", "book/other"), SPACE, 0, 10).await.expect("it can be read");
    assert_eq!(there.iter().map(show).collect::<Vec<_>>(), ["a0 one 6.."]);
}

pub async fn a_step_that_does_not_go_on_is_left_out(harness: &mut dyn Harness) {
    let (store, acme) = (harness.search_store(), tenant("acme"));
    let store = store.as_ref();
    assert_eq!(state(store, &acme).await, IndexState::default());
    assert!(!store.append(batch(&acme, 1, 0, 1, Vec::new())).await.expect("it can be written"));
    start(store, &acme).await;
    append(store, &acme, 0, 3, vec![document("a", 1, &["one"])]).await;
    for (generation, after) in [(1, 0), (1, 2), (1, 4), (2, 3), (0, 3)] {
        let other = batch(&acme, generation, after, 9, vec![document("b", 9, &["two"])]);
        assert!(!store.append(other).await.expect("it can be written"), "{generation} {after}");
    }
    assert_eq!(rows(store, &acme).await, ["a0 one 1.."]);
    assert_eq!(state(store, &acme).await, IndexState { generation: 1, through: 3, made_by: "1".to_owned() });
}

pub async fn an_index_that_starts_anew_is_empty(harness: &mut dyn Harness) {
    let (store, acme) = (harness.search_store(), tenant("acme"));
    let store = store.as_ref();
    start(store, &acme).await;
    append(store, &acme, 0, 3, vec![document("a", 1, &["one"])]).await;
    let anew = store.restart(&acme, "book", 1, "2").await.expect("it can be written");
    assert_eq!(anew, IndexState { generation: 2, through: 0, made_by: "2".to_owned() });
    // Whoever comes too late with the same wish changes nothing.
    assert_eq!(store.restart(&acme, "book", 1, "3").await.expect("it can be written"), anew);
    assert_eq!(rows(store, &acme).await, [""; 0]);
    let again = batch(&acme, 2, 0, 1, vec![document("a", 1, &["one"])]);
    assert!(store.append(again).await.expect("it can be written"));
    assert_eq!(rows(store, &acme).await, ["a0 one 1.."]);
}

pub async fn vectors_belong_to_a_row_and_a_space(harness: &mut dyn Harness) {
    let (store, acme) = (harness.search_store(), tenant("acme"));
    let store = store.as_ref();
    start(store, &acme).await;
    append(store, &acme, 0, 1, vec![document("a", 1, &["one", "two", ""])]).await;
    let vectors = async |space: &str| {
        let rows = store.rows(&acme, ("book", "book/main"), space, 0, 10).await.expect("it can be read");
        rows.into_iter().map(|row| String::from_utf8(row.vector).expect("plain")).collect::<Vec<_>>()
    };
    assert_eq!(vectors(SPACE).await, ["v-one", "v-two", ""]);
    assert_eq!(vectors("model").await, ["", "", ""]);
    let lacking = async |space: &str, after| {
        let rows = store.rows_without_vector(&acme, "book", space, after, 2).await.expect("it can be read");
        rows.into_iter().map(|row| (row.number, row.passage)).collect::<Vec<_>>()
    };
    assert_eq!(lacking(SPACE, 0).await.iter().map(|row| row.1).collect::<Vec<_>>(), [2]);
    let all = lacking("model", 0).await;
    assert_eq!(all.iter().map(|row| row.1).collect::<Vec<_>>(), [0, 1]);
    let given = vec![(all[0].0, b"m-one".to_vec()), (all[1].0, Vec::new()), (9_999, b"nothing".to_vec())];
    store.put_vectors(&acme, "model", given).await.expect("it can be written");
    assert_eq!(vectors("model").await, ["m-one", "", ""]);
    assert_eq!(vectors(SPACE).await, ["v-one", "v-two", ""]);
    assert_eq!(lacking("model", 0).await.iter().map(|row| row.1).collect::<Vec<_>>(), [2]);
    assert_eq!(lacking("model", all[1].0 + 1).await, []);
}

pub async fn rows_are_read_in_pages(harness: &mut dyn Harness) {
    let (store, acme) = (harness.search_store(), tenant("acme"));
    let store = store.as_ref();
    start(store, &acme).await;
    let documents = (1..=7).map(|number| document(&format!("d{number}"), number, &["text"])).collect();
    append(store, &acme, 0, 7, documents).await;
    let (mut after, mut seen) = (0, Vec::new());
    loop {
        let page = store.rows(&acme, ("book", "book/main"), SPACE, after, 3).await.expect("it can be read");
        let Some(last) = page.last() else { break };
        after = last.number;
        seen.extend(page.into_iter().map(|row| row.document));
    }
    assert_eq!(seen, ["d1", "d2", "d3", "d4", "d5", "d6", "d7"]);
}

pub async fn an_index_is_of_one_tenant(harness: &mut dyn Harness) {
    let (store, acme) = (harness.search_store(), tenant("acme"));
    let store = store.as_ref();
    start(store, &acme).await;
    append(store, &acme, 0, 1, vec![document("a", 1, &["one"])]).await;
    let own = store.rows_without_vector(&acme, "book", "model", 0, 9).await.expect("it can be read");
    for stranger in ["acm", "acme2", "ACME", "acme%", "a_me", "'--"].map(tenant) {
        assert_eq!(state(store, &stranger).await, IndexState::default());
        assert_eq!(rows(store, &stranger).await, [""; 0]);
        assert_eq!(store.rows_without_vector(&stranger, "book", "model", 0, 9).await.expect("it can be read"), []);
        let given = vec![(own[0].number, b"stolen".to_vec())];
        store.put_vectors(&stranger, "model", given).await.expect("it can be written");
        start(store, &stranger).await;
        append(store, &stranger, 0, 9, vec![document("a", 9, &["one"])]).await;
    }
    assert_eq!(rows(store, &acme).await, ["a0 one 1.."]);
    assert_eq!(store.rows_without_vector(&acme, "book", "model", 0, 9).await.expect("it can be read"), own);
}

pub async fn an_index_outlives_a_crash(harness: &mut dyn Harness) {
    let acme = tenant("acme");
    start(harness.search_store().as_ref(), &acme).await;
    append(harness.search_store().as_ref(), &acme, 0, 4, vec![document("a", 1, &["one"])]).await;
    harness.crash();
    let store = harness.search_store();
    assert_eq!(rows(store.as_ref(), &acme).await, ["a0 one 1.."]);
    assert_eq!(state(store.as_ref(), &acme).await.through, 4);
}

fn document(id: &str, from: u64, texts: &[&str]) -> DocumentRows {
    let passage = |text: &&str| {
        let mut hash = [0; 16];
        hash[..text.len()].copy_from_slice(text.as_bytes());
        let vector = if text.is_empty() { Vec::new() } else { format!("v-{text}").into_bytes() };
        PassageRow { hash, body: text.as_bytes().to_vec(), vector }
    };
    let (document, partition) = (id.to_owned(), "book/main".to_owned());
    DocumentRows { document, partition, from, passages: texts.iter().map(passage).collect() }
}

fn batch(tenant: &TenantId, generation: u64, after: u64, through: u64, documents: Vec<DocumentRows>) -> IndexBatch {
    let (tenant, index, space) = (tenant.clone(), "book".to_owned(), SPACE.to_owned());
    IndexBatch { tenant, index, generation, after, through, space, documents }
}

async fn start(store: &dyn SearchStore, tenant: &TenantId) {
    let state = store.restart(tenant, "book", 0, "1").await.expect("it can be written");
    assert_eq!(state, IndexState { generation: 1, through: 0, made_by: "1".to_owned() });
}

async fn append(store: &dyn SearchStore, tenant: &TenantId, after: u64, through: u64, documents: Vec<DocumentRows>) {
    assert!(store.append(batch(tenant, 1, after, through, documents)).await.expect("it can be written"));
}

async fn state(store: &dyn SearchStore, tenant: &TenantId) -> IndexState {
    store.state(tenant, "book").await.expect("it can be read")
}

/// The rows of the main partition, each in a few words.
async fn rows(store: &dyn SearchStore, tenant: &TenantId) -> Vec<String> {
    let rows = store.rows(tenant, ("book", "book/main"), SPACE, 0, 100).await.expect("it can be read");
    rows.iter().map(show).collect()
}

fn show(row: &KeptRow) -> String {
    let to = row.to.map(|to| to.to_string()).unwrap_or_default();
    let text = String::from_utf8_lossy(&row.body);
    format!("{}{} {text} {}..{to}", row.document, row.passage, row.from)
}
