//! The engine: documents that follow from facts, kept in a store, found at any point.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::future::BoxFuture;
use ledger::model::ModelLedger;
use ledger::{
    Change, DocumentRows, Effect, Fact, IndexBatch, KeptRow, Ledger, NewFact, PassageRow, Record, RecordKey,
    SearchStore, Seq,
};
use scope::{FixedClock, TenantId, Timestamp};
use search::embed::{EmbedError, StaticTable};
use search::{
    Document, Embedder, Finder, Found, Options, Passage, Placed, Question, Search, Source, SourceError, Space,
};

/// Notes: each line of a note is a passage, and what stands before a colon is its name.
struct Notes {
    ledger: Arc<ModelLedger>,
    read: Arc<AtomicUsize>,
}

impl Source for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn touched<'a>(
        &'a self,
        _: &'a TenantId,
        facts: &'a [Fact],
        _: Seq,
    ) -> BoxFuture<'a, Result<Vec<(Seq, String)>, SourceError>> {
        Box::pin(async move { Ok(facts.iter().map(|fact| (fact.seq, fact.subject.id.clone())).collect()) })
    }

    fn documents<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<Placed>>, SourceError>> {
        Box::pin(async move {
            self.read.fetch_add(ids.len(), Ordering::Relaxed);
            let keys: Vec<RecordKey> = ids.iter().map(|id| RecordKey::new("notes.note", id)).collect();
            let found = self.ledger.get(tenant, at, &keys).await?;
            Ok(found.into_iter().map(|version| version.map(|version| placed(&version.record))).collect())
        })
    }
}

fn placed(record: &Record) -> Placed {
    let passage = |text: &str| Passage { text: text.to_owned(), ..Passage::default() };
    let passages = record.body.lines().map(passage).collect();
    let document =
        Document { id: record.key.id.clone(), collection: "note".to_owned(), passages, ..Document::default() };
    Placed { partition: record.scope.clone(), document }
}

/// A ledger that several processes use.
struct World {
    ledger: Arc<ModelLedger>,
    read: Arc<AtomicUsize>,
}

impl World {
    fn new() -> Self {
        let ledger = Arc::new(ModelLedger::new(Arc::new(FixedClock::at(Timestamp(0)))));
        Self { ledger, read: Arc::default() }
    }

    /// Another process.
    fn process(&self) -> (Search, Finder) {
        self.process_with(Options::default())
    }

    fn process_with(&self, options: Options) -> (Search, Finder) {
        let search = Search::new(self.ledger.clone(), self.ledger.clone(), options);
        let finder = search.attach(Arc::new(Notes { ledger: self.ledger.clone(), read: self.read.clone() }));
        (search, finder)
    }

    /// Writes a note, or removes it if it is empty. Returns the point.
    async fn write(&self, tenant: &str, id: &str, text: &str) -> Seq {
        let key = RecordKey::new("notes.note", id);
        let effect = match text {
            "" => Effect::End(key.clone()),
            _ => {
                let record = Record { body: text.to_owned(), ..Record::new(key.clone(), "main", "note") };
                Effect::Put(Box::new(record))
            }
        };
        let fact = NewFact { kind: "notes.Written".to_owned(), subject: key, body: String::new(), meta: String::new() };
        let change = Change {
            tenant: tenant_id(tenant),
            at: Timestamp(0),
            idempotency: None,
            expectations: Vec::new(),
            facts: vec![(fact, vec![effect])],
            audit: None,
        };
        match self.ledger.commit(change).await.unwrap() {
            ledger::Commit::Done { seq, .. } => seq,
            ledger::Commit::Replayed(_) => unreachable!("no key was given"),
        }
    }

    async fn rows(&self, tenant: &str) -> Vec<KeptRow> {
        let place = ("notes", "main");
        let space = StaticTable::new().space().model.clone();
        self.ledger.rows(&tenant_id(tenant), place, &space, 0, 1_000).await.unwrap()
    }
}

fn tenant_id(tenant: &str) -> TenantId {
    TenantId::new(tenant).unwrap()
}

async fn found(finder: &Finder, tenant: &str, at: Seq, text: &str) -> Found {
    let question = Question { text: text.to_owned(), limit: 10, similarity_min: 0.9, ..Question::default() };
    finder.find(&tenant_id(tenant), "main", at, &question).await.unwrap()
}

async fn ids(finder: &Finder, at: Seq, text: &str) -> String {
    let found = found(finder, "acme", at, text).await;
    assert_eq!(found.notes, [""; 0]);
    found.hits.iter().map(|hit| hit.document.as_str()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn what_is_committed_is_found_and_the_past_stays() {
    let world = World::new();
    let (search, finder) = world.process();
    world.write("acme", "a", "the plumber comes on Monday").await;
    assert_eq!(ids(&finder, 1, "plumber").await, "a");
    world.write("acme", "a", "the painter comes on Monday").await;
    world.write("acme", "b", "a plumber was here").await;
    search.settle().await.unwrap();
    world.write("acme", "b", "").await;
    for (at, expected) in [(0, ""), (1, "a"), (2, ""), (3, "b"), (4, "")] {
        assert_eq!(ids(&finder, at, "plumber").await, expected, "{at}");
        // Another process that starts now sees the same.
        assert_eq!(ids(&world.process().1, at, "plumber").await, expected, "{at}");
    }
}

#[tokio::test]
async fn what_is_kept_is_not_derived_again() {
    let world = World::new();
    for number in 0..20 {
        world.write("acme", &format!("n{number}"), "a plumber\na painter").await;
    }
    world.process().0.settle().await.unwrap();
    let read = world.read.swap(0, Ordering::Relaxed);
    assert_eq!(read, 20);
    assert_eq!(found(&world.process().1, "acme", 20, "plumber").await.hits.len(), 10);
    assert_eq!(world.read.load(Ordering::Relaxed), 0);
}

// What is touched and stays the same is left as it is.
#[tokio::test]
async fn a_passage_that_stays_the_same_keeps_its_row() {
    let world = World::new();
    let (search, finder) = world.process();
    world.write("acme", "a", "one plumber\ntwo painters").await;
    search.settle().await.unwrap();
    let before = world.rows("acme").await;
    world.write("acme", "a", "one plumber\ntwo painters").await;
    search.settle().await.unwrap();
    assert_eq!(world.rows("acme").await, before);
    world.write("acme", "a", "one plumber\nthree painters").await;
    search.settle().await.unwrap();
    let after = world.rows("acme").await;
    assert_eq!((after.len(), &after[0], after[1].to), (3, &before[0], Some(3)));
    assert_eq!(ids(&finder, 3, "two").await, "");
    assert_eq!(ids(&finder, 2, "two").await, "a");
}

#[tokio::test]
async fn processes_that_share_a_store_make_the_same_index() {
    let world = World::new();
    let (one, two) = (world.process(), world.process());
    world.write("acme", "a", "plumber").await;
    assert_eq!(ids(&one.1, 1, "plumber").await, "a");
    assert_eq!(ids(&two.1, 1, "plumber").await, "a");
    one.0.settle().await.unwrap();
    world.write("acme", "a", "painter").await;
    // The other one has the first change pending, and keeps only what is new.
    two.0.settle().await.unwrap();
    world.write("acme", "b", "plumber").await;
    one.0.settle().await.unwrap();
    for (_, finder) in [&one, &two, &world.process()] {
        assert_eq!(ids(finder, 3, "plumber").await, "b");
        assert_eq!(ids(finder, 2, "painter").await, "a");
        assert_eq!(ids(finder, 1, "plumber").await, "a");
    }
    assert_eq!(world.rows("acme").await.len(), 3);
    // One makes it all again; the other notices, and goes on.
    one.0.reindex(None, |_| {}).await.unwrap();
    world.write("acme", "c", "plumber").await;
    two.0.settle().await.unwrap();
    assert_eq!(ids(&two.1, 4, "plumber").await, "b c");
    assert_eq!(ids(&one.1, 4, "plumber").await, "b c");
}

#[tokio::test]
async fn an_index_made_again_is_the_same() {
    let world = World::new();
    for round in 0..6 {
        let (search, finder) = world.process();
        for number in 0..30 {
            let text =
                if (number + round) % 7 == 0 { String::new() } else { format!("note {number}\nround {}", round / 2) };
            world.write("acme", &format!("n{number}"), &text).await;
        }
        // Some processes end before they have kept what they know.
        found(&finder, "acme", 30 * (round + 1), "note").await;
        if round % 3 == 1 {
            search.settle().await.unwrap();
        }
    }
    world.process().0.settle().await.unwrap();
    let plain = |rows: Vec<KeptRow>| {
        let mut rows: Vec<KeptRow> = rows.into_iter().map(|row| KeptRow { number: 0, ..row }).collect();
        rows.sort_by(|a, b| (&a.document, a.passage, a.from).cmp(&(&b.document, b.passage, b.from)));
        rows
    };
    let before = plain(world.rows("acme").await);
    let mut reports = Vec::new();
    world.process().0.reindex(Some("notes"), |progress| reports.push((progress.done, progress.total))).await.unwrap();
    assert_eq!(reports, [(180, 180)]);
    assert_eq!(plain(world.rows("acme").await), before);
    assert!(before.len() > 100 && before.iter().any(|row| row.to.is_some()));
}

#[tokio::test]
async fn tenants_with_equal_texts_never_see_each_other() {
    let world = World::new();
    let (search, finder) = world.process();
    for tenant in ["acme", "zenith"] {
        world.write(tenant, &format!("of-{tenant}"), "the plumber comes on Monday").await;
    }
    let alone = {
        let world = World::new();
        world.write("acme", "of-acme", "the plumber comes on Monday").await;
        found(&world.process().1, "acme", 1, "plumber on Monday").await
    };
    for _ in 0..2 {
        assert_eq!(found(&finder, "acme", 1, "plumber on Monday").await, alone);
        let other = found(&finder, "zenith", 1, "plumber on Monday").await;
        assert_eq!(other.hits.iter().map(|hit| hit.document.as_str()).collect::<Vec<_>>(), ["of-zenith"]);
        assert_eq!(other.hits[0].score, alone.hits[0].score);
        search.settle().await.unwrap();
    }
    assert_eq!(found(&finder, "nobody", 0, "plumber").await, Found::default());
}

#[tokio::test]
async fn damaged_rows_are_told_and_made_again() {
    let world = World::new();
    world.write("acme", "a", "plumber").await;
    world.process().0.settle().await.unwrap();
    let batch = IndexBatch {
        tenant: tenant_id("acme"),
        index: "notes".to_owned(),
        generation: 1,
        after: 1,
        through: 2,
        space: StaticTable::new().space().model.clone(),
        documents: vec![DocumentRows {
            document: "b".to_owned(),
            partition: "main".to_owned(),
            from: 2,
            passages: vec![PassageRow { hash: [7; 16], body: b"garbage".to_vec(), vector: Vec::new() }],
        }],
    };
    world.write("acme", "b", "plumber").await;
    assert!(world.ledger.append(batch).await.unwrap());
    let (search, finder) = world.process();
    let degraded = found(&finder, "acme", 2, "plumber").await;
    assert_eq!(degraded.hits.len(), 1);
    assert!(degraded.notes[0].contains("damaged"), "{:?}", degraded.notes);
    search.round().await;
    assert_eq!(ids(&finder, 2, "plumber").await, "a b");
}

/// Embeds every text alike, or fails.
struct Model {
    space: Space,
    fails: AtomicBool,
    embedded: AtomicUsize,
}

impl Model {
    fn new() -> Arc<Self> {
        let space = Space { model: "model-1".to_owned(), dimensions: 2 };
        Arc::new(Self { space, fails: AtomicBool::default(), embedded: AtomicUsize::default() })
    }
}

impl Embedder for Model {
    fn space(&self) -> &Space {
        &self.space
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            if self.fails.load(Ordering::Relaxed) {
                return Err(EmbedError::Timeout);
            }
            self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
        })
    }
}

// Text is found while the model has yet to embed it, or cannot.
#[tokio::test]
async fn another_model_embeds_in_the_background_while_the_table_serves() {
    let world = World::new();
    world.write("acme", "a", "the puppy sleeps").await;
    world.process().0.settle().await.unwrap();
    let model = Model::new();
    model.fails.store(true, Ordering::Relaxed);
    let (search, finder) = world.process_with(Options { model: Some(model.clone()), ..Options::default() });
    assert!(search.settle().await.is_err());
    world.write("acme", "b", "the kitten sleeps").await;
    let question = |text: &str| Question { text: text.to_owned(), limit: 10, ..Question::default() };
    let ask = async |text: &str| finder.find(&tenant_id("acme"), "main", 2, &question(text)).await.unwrap();
    // By meaning, and not by the model, for which all is alike.
    assert_eq!(ask("dog").await.hits[0].document, "a");
    assert!(ask("dog").await.hits[0].similarity.unwrap() < 0.99);
    model.fails.store(false, Ordering::Relaxed);
    search.settle().await.unwrap();
    assert_eq!(model.embedded.load(Ordering::Relaxed), 2);
    let by_model = ask("dog").await;
    assert!(by_model.hits.iter().all(|hit| hit.similarity.unwrap() > 0.99), "{by_model:?}");
    // Nothing is embedded twice, neither by this process nor by the next.
    search.settle().await.unwrap();
    world.process_with(Options { model: Some(model.clone()), ..Options::default() }).0.settle().await.unwrap();
    assert_eq!(model.embedded.load(Ordering::Relaxed), 3, "two passages and a question");
    // When it fails, words still find, and the answer says so.
    model.fails.store(true, Ordering::Relaxed);
    let degraded = ask("puppy").await;
    assert_eq!(degraded.hits[0].document, "a");
    assert_eq!(degraded.notes, ["Found by words only: the embedder did not answer in time."]);
}

#[tokio::test]
async fn without_a_store_all_is_found_too() {
    let world = World::new();
    let search = Search::in_memory(world.ledger.clone());
    let finder = search.attach(Arc::new(Notes { ledger: world.ledger.clone(), read: world.read.clone() }));
    world.write("acme", "a", "plumber").await;
    world.write("acme", "b", "painter").await;
    assert_eq!(ids(&finder, 2, "plumber").await, "a");
    world.write("acme", "a", "").await;
    search.settle().await.unwrap();
    assert_eq!(ids(&finder, 3, "plumber").await, "");
    assert_eq!(ids(&finder, 2, "plumber").await, "a");
}
