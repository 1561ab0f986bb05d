//! Isolation: no call sees or touches another tenant's rows.

use super::sample::{LINK, THING, end, key, put, tenant};
use super::{Harness, Sample, change, link, record};
use crate::{At, Change, Direction, Expectation, FieldKey, FieldRange, Find, FindOrder, Record, Traverse};

/// Tenants that could be confused with `acme`.
const STRANGERS: [&str; 6] = ["acm", "acme2", "ACME", "acme%", "a_me", "'--"];

fn secret() -> Record {
    Record {
        name: Some("secret".to_owned()),
        status: Some("open".to_owned()),
        time: Some(scope::Timestamp(1)),
        tags: vec!["red".to_owned()],
        fields: vec![("size".to_owned(), FieldKey::number(1.0))],
        text: "secret words".to_owned(),
        ..record("a")
    }
}

fn finds() -> Vec<Find> {
    let mut finds = vec![Find { touching: Some(("a".to_owned(), Direction::Both)), ..Find::all(LINK) }];
    for scope in [None, Some("m1".to_owned())] {
        for order in [FindOrder::Id, FindOrder::Name, FindOrder::Time] {
            let base = Find { scope: scope.clone(), order, ..Find::all(THING) };
            finds.push(Find { name: Some("secret".to_owned()), ..base.clone() });
            finds.push(Find { tag: Some("red".to_owned()), ..base.clone() });
            finds.push(Find { status: Some("open".to_owned()), ..base.clone() });
            finds.push(Find { r#type: Some("Plain".to_owned()), ..base.clone() });
            let field = Some(FieldRange::all("size"));
            finds.push(Find { field: field.clone(), ..base.clone() });
            finds.push(Find { field, order: FindOrder::Field, ..base.clone() });
            finds.push(base);
        }
    }
    finds
}

pub async fn no_read_crosses_tenants(harness: &mut dyn Harness) {
    let acme = Sample::new(harness);
    acme.write(vec![put(secret()), put(link("l", "a", "b"))]).await;
    let walk = Traverse {
        from: "a".to_owned(),
        kind: LINK.to_owned(),
        types: Vec::new(),
        direction: Direction::Both,
        hops_max: 3,
        records_max: 10,
    };
    for stranger in STRANGERS {
        let sample = Sample::of(harness, stranger);
        assert_eq!(sample.head().await, 0, "{stranger}");
        // Both without any history, and with as much as the other has.
        for at in [0, 1] {
            let (ledger, tenant) = (&sample.ledger, &sample.tenant);
            assert_eq!(sample.get_at("a", at).await, None);
            for find in finds() {
                assert_eq!(sample.ids_at(at, find.clone()).await, [""; 0], "{stranger}: {find:?}");
                assert_eq!(ledger.count(tenant, at, find, 9).await.expect("records can be counted"), 0);
            }
            assert_eq!(ledger.counts(tenant, at, THING, "m1").await.expect("records can be counted"), []);
            assert_eq!(ledger.traverse(tenant, at, walk.clone()).await.expect("links can be followed").reached, []);
            assert_eq!(
                ledger.search(tenant, at, super::searches::any("secret")).await.expect("it can be searched"),
                []
            );
            assert_eq!(ledger.facts(tenant, at, 9).await.expect("facts can be read").len(), 0);
            if at == 0 {
                sample.put(Record { key: crate::RecordKey::new("conformance.other", "z"), ..record("z") }).await;
            }
        }
        assert_eq!(sample.ledger.point(&sample.tenant, At::Head).await.expect("the head can be read"), 1);
    }
    let mut known = acme.ledger.tenants().await.expect("tenants can be read");
    known.sort();
    let mut expected: Vec<_> = STRANGERS.iter().copied().chain(["acme"]).map(tenant).collect();
    expected.sort();
    assert_eq!(known, expected);
}

pub async fn no_write_crosses_tenants(harness: &mut dyn Harness) {
    let acme = Sample::new(harness);
    acme.write(vec![put(secret()), put(link("l", "a", "b"))]).await;
    for stranger in STRANGERS {
        let sample = Sample::of(harness, stranger);
        let expectations = vec![
            Expectation::Absent { key: key("a") },
            Expectation::LinksUnchanged { id: "a".to_owned(), since: 0 },
            Expectation::NoPath { kind: LINK.to_owned(), types: Vec::new(), from: "a".to_owned(), to: "b".to_owned() },
        ];
        let own = Change { expectations, ..change(&sample.tenant, vec![put(record("a"))]) };
        assert!(sample.commit(own).await.is_ok(), "{stranger}");
        sample.write(vec![end(key("a")), end(crate::RecordKey::new(LINK, "l"))]).await;
    }
    assert_eq!(
        acme.get("a").await.map(|found| (found.record, found.version)),
        Some((Record { fields: Vec::new(), ..secret() }, 1))
    );
    for find in finds() {
        assert_eq!(acme.ids(find.clone()).await.len(), 1, "{find:?}");
    }
}
