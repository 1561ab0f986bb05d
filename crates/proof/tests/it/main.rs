//! Trees over a ledger: whatever is committed can be proved, and what was signed stays true.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::sync::Arc;

use ledger::conformance::{change, record};
use ledger::model::ModelLedger;
use ledger::tree::{Tree, Trees};
use ledger::{AuditEntry, Change, Effect, Ledger as _};
use proof::{Changes, Error, Evidence, Notary, Sealed, SigningKey, Trust};
use scope::{FixedClock, TenantId, Timestamp};

struct World {
    ledger: Arc<ModelLedger>,
    notary: Notary,
}

impl World {
    fn new() -> Self {
        Self::with(SigningKey::generate())
    }

    fn with(key: SigningKey) -> Self {
        let clock = clock();
        let ledger = Arc::new(ModelLedger::new(clock.clone()));
        let notary = Notary::new(ledger.clone(), vec![Arc::new(Changes(ledger.clone()))], key, clock);
        Self { ledger, notary }
    }

    /// Commits a change with so many facts and an audit record.
    async fn commit(&self, tenant: &TenantId, facts: usize) {
        let put = vec![Effect::Put(Box::new(record("a")))];
        let one = change(tenant, put);
        let entry = AuditEntry {
            id: format!("r{facts}"),
            principal: "local|ann".to_owned(),
            correlation_id: "c".to_owned(),
            body: "{}".to_owned(),
        };
        let facts = one.facts.iter().cycle().take(facts).cloned().collect();
        self.ledger.commit(Change { facts, audit: Some(entry), ..one }).await.unwrap();
    }

    async fn prove(&self, tenant: &TenantId, sequence: u64) -> Evidence {
        self.notary.prove(tenant, sequence).await.unwrap()
    }
}

fn tenant(name: &str) -> TenantId {
    TenantId::new(name).unwrap()
}

#[tokio::test]
async fn every_fact_can_be_proved_whatever_the_size_of_the_tree() {
    let (world, acme) = (World::new(), tenant("acme"));
    let keys = [world.notary.key().verifying()];
    let mut head = 0;
    // Sizes at which a tile is begun, full, and one over; and batches that span several.
    for facts in [1, 1, 253, 1, 1, 254, 2, 700] {
        world.commit(&acme, facts).await;
        head += facts as u64;
        world.notary.seal().await.unwrap();
        for sequence in [1, head / 2 + 1, head] {
            let evidence = world.prove(&acme, sequence).await;
            let signed = evidence.check(&keys).unwrap();
            assert_eq!((signed.size, evidence.index), (head, sequence - 1));
            assert!(signed.origin.ends_with("/acme/facts"), "{}", signed.origin);
        }
    }
    let refused = world.notary.prove(&acme, head + 1).await;
    assert!(matches!(refused, Err(Error::NotYet { .. })), "{refused:?}");
    assert!(world.notary.prove(&acme, 0).await.is_err());
    assert!(world.notary.prove(&tenant("zenith"), 1).await.is_err());
}

#[tokio::test]
async fn evidence_holds_for_nothing_else() {
    let (world, acme) = (World::new(), tenant("acme"));
    world.commit(&acme, 5).await;
    let (good, other) = (world.prove(&acme, 3).await, world.prove(&acme, 4).await);
    let keys = [world.notary.key().verifying()];
    assert!(good.check(&keys).is_ok());
    assert!(good.check(&[SigningKey::generate().verifying()]).is_err());
    let wrong = [
        Evidence { leaf: good.leaf.replacen("\"3\"", "\"4\"", 1), ..good.clone() },
        Evidence { leaf: other.leaf, ..good.clone() },
        Evidence { index: 3, ..good.clone() },
        Evidence { index: 5, ..good.clone() },
        Evidence { path: other.path, ..good.clone() },
        Evidence { path: Vec::new(), ..good.clone() },
        Evidence { tree: "audit".to_owned(), ..good.clone() },
        Evidence { checkpoint: good.checkpoint.replacen("\n5\n", "\n6\n", 1), ..good.clone() },
    ];
    for wrong in wrong {
        assert!(wrong.check(&keys).is_err(), "{wrong:?}");
    }
}

#[tokio::test]
async fn what_was_signed_stays_true_as_the_tree_grows() {
    let (world, acme, zenith) = (World::new(), tenant("acme"), tenant("zenith"));
    world.commit(&acme, 100).await;
    world.commit(&zenith, 3).await;
    assert_eq!(world.notary.seal().await.unwrap(), Sealed { facts: 103, records: 2 });
    assert_eq!(world.notary.seal().await.unwrap(), Sealed::default());
    let early = world.prove(&acme, 50).await;
    let published = vec![early.checkpoint.clone()];
    world.commit(&acme, 600).await;
    world.notary.seal().await.unwrap();
    assert!(early.check(&[world.notary.key().verifying()]).is_ok());
    let found = world.notary.examine(&Trust { published, ..Trust::default() }).await.unwrap();
    assert_eq!(found.differences, [] as [String; 0]);
    assert_eq!((found.trees, found.leaves, found.unsealed), (4, 706, 0));
    // 100 facts, then 500 and 100; 3 facts; a record each, and one more.
    assert_eq!(found.checkpoints, 3 + 1 + 2 + 1);
    // A checkpoint of another history, signed by the same key.
    let elsewhere = World::with(key_of(&world));
    elsewhere.ledger.commit(change(&acme, vec![Effect::Put(Box::new(record("b")))])).await.unwrap();
    elsewhere.commit(&acme, 99).await;
    let published = vec![elsewhere.prove(&acme, 1).await.checkpoint];
    let found = world.notary.examine(&Trust { published, ..Trust::default() }).await.unwrap();
    let lines = found.differences.join("\n");
    assert!(
        lines.contains("facts of acme: the checkpoint that was published over 100 leaves says something else"),
        "{lines}"
    );
    let far = World::with(key_of(&world));
    far.commit(&acme, 5000).await;
    let published = vec![far.prove(&acme, 1).await.checkpoint];
    let found = world.notary.examine(&Trust { published, ..Trust::default() }).await.unwrap();
    assert!(found.differences[0].contains("is over 5000 leaves, and only 700 are sealed"), "{:?}", found.differences);
}

// A tenant's trees tell nothing about another tenant's: neither how many leaves there are, nor that it exists.
#[tokio::test]
async fn tenants_have_trees_of_their_own() {
    let (world, acme, zenith) = (World::new(), tenant("acme"), tenant("zenith"));
    world.commit(&acme, 2).await;
    let alone = world.prove(&acme, 1).await;
    world.commit(&zenith, 9).await;
    world.notary.seal().await.unwrap();
    assert_eq!(world.prove(&acme, 1).await, alone);
    for tree in Tree::ALL {
        let note = world.ledger.checkpoint(&acme, tree).await.unwrap().unwrap().note;
        assert!(!note.contains("zenith"), "{note}");
    }
}

fn key_of(world: &World) -> SigningKey {
    SigningKey::parse(&world.notary.key().text()).unwrap()
}

fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock::at(Timestamp(1_800_000_000_000_000)))
}
