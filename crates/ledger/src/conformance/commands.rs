//! Random commands: small worlds with many collisions, made from a seed.

use scope::Timestamp;

use super::sample::{LINK, NOON, THING, audit, end, keyed, put, tenant};
use super::{change, link, record};
use crate::{
    AuditFind, Change, Direction, Effect, Expectation, FieldKey, FieldRange, Find, FindOrder, Idempotency, Record,
    RecordKey, Search, Seq, Traverse, UniqueName,
};

const CORRELATIONS: &[&str] = &["c1", "c2", "c3"];

/// Numbers that look random and are the same for the same seed (SplitMix64).
pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }

    pub(super) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.one_in(2) { Some(value(self)) } else { None }
    }

    fn some(&mut self, words: &[&str]) -> Vec<String> {
        words.iter().filter(|_| self.one_in(3)).map(|word| (*word).to_owned()).collect()
    }

    pub(super) fn tenant(&mut self) -> scope::TenantId {
        tenant(self.pick(&["acme", "zenith"]))
    }

    fn id(&mut self) -> String {
        self.pick(&["a", "b", "c", "d", "e", "f", "g", "h", "a/1", "a/2", "a0", "b/"]).to_owned()
    }

    pub(super) fn key(&mut self) -> RecordKey {
        if self.one_in(3) { RecordKey::new(LINK, self.id()) } else { RecordKey::new(THING, self.id()) }
    }

    fn record(&mut self) -> Record {
        let id = self.id();
        let plain = if self.one_in(3) { link(&id, &self.id(), &self.id()) } else { record(&id) };
        Record {
            scope: self.pick(&["m1", "m2"]).to_owned(),
            r#type: self.pick(&["Plain", "Flow", "Special"]).to_owned(),
            listed: !self.one_in(4),
            status: self.maybe(|dice| dice.pick(&["open", "done"]).to_owned()),
            name: self.maybe(|dice| dice.pick(&["orders", "order", "billing", "Ünïque"]).to_owned()),
            time: self.maybe(|dice| Timestamp(dice.below(5) as i64)),
            tags: self.some(&["red", "green", "blue"]),
            fields: self.fields(),
            unique: self.names(),
            text: self.some(&["order", "ledger", "Zoë", "order", "book keeping"]).join(" "),
            body: format!("{{\"n\":{}}}", self.below(1000)),
            ..plain
        }
    }

    fn fields(&mut self) -> Vec<(String, FieldKey)> {
        let mut fields = Vec::new();
        for name in self.some(&["size", "due"]) {
            fields.push((name.clone(), FieldKey::number(self.below(4) as f64)));
            if self.one_in(2) {
                fields.push((name, FieldKey::text(self.pick(&["a", "ab", "b"]))));
            }
        }
        fields
    }

    fn field_range(&mut self) -> FieldRange {
        let name = self.pick(&["size", "due"]);
        let (low, high) = (FieldKey::number(self.below(3) as f64), FieldKey::number(2.0));
        match self.below(5) {
            0 => FieldRange::all(name),
            1 => FieldRange::equal(name, &low),
            2 => FieldRange::of_sort(name, &low).at_least(&low).at_most(&high),
            3 => FieldRange::starting_with(name, "a"),
            _ => FieldRange::equal(name, &FieldKey::text("b")),
        }
    }

    fn names(&mut self) -> Vec<UniqueName> {
        let names = self.some(&["p", "q", "r", "s", "t", "u"]);
        names.into_iter().take(2).map(|name| UniqueName { space: "space".to_owned(), name }).collect()
    }

    fn effect(&mut self) -> Effect {
        if self.one_in(4) { end(self.key()) } else { put(self.record()) }
    }

    fn expectation(&mut self, head: Seq) -> Expectation {
        match self.below(6) {
            0 => Expectation::Version { key: self.key(), version: self.below(6) as u64 },
            1 => Expectation::Exists { key: self.key() },
            2 => Expectation::Absent { key: self.key() },
            3 => Expectation::LinksUnchanged { id: self.id(), since: self.point(head) },
            _ => {
                let types = self.some(&["Flow", "Special"]);
                Expectation::NoPath { kind: LINK.to_owned(), types, from: self.id(), to: self.id() }
            }
        }
    }

    pub(super) fn effect_key(&mut self) -> Idempotency {
        let (principal, operation) = (self.pick(&["alice", "bob"]), self.pick(&["create", "rename"]));
        keyed(principal, operation, self.pick(&["k1", "k2", "k3"]), self.pick(&["h1", "h1", "h1", "h2"])).0
    }

    pub(super) fn change(&mut self, head: Seq) -> Change {
        let tenant = self.tenant();
        let at = NOON.plus_micros(self.below(2000) as i64 - 500);
        let facts = (0..self.below(4)).flat_map(|_| {
            let effects = (0..self.below(4)).map(|_| self.effect()).collect();
            change(&tenant, effects).facts
        });
        let facts = facts.collect();
        let expectations = (0..self.below(2)).map(|_| self.expectation(head)).collect();
        let idempotency = self.maybe(|dice| {
            let effect = dice.effect_key();
            let (_, answer) = keyed("", "", "", &effect.request_hash);
            (effect, answer)
        });
        let audit = self.maybe(|dice| {
            let id = dice.below(1000).to_string();
            audit(&id, dice.pick(CORRELATIONS))
        });
        Change { tenant, at, idempotency, expectations, facts, audit }
    }

    pub(super) fn audit_find(&mut self) -> AuditFind {
        AuditFind {
            correlation_id: self.maybe(|dice| dice.pick(CORRELATIONS).to_owned()),
            before: self.maybe(|dice| NOON.plus_micros(dice.below(2000) as i64 - 500)),
            limit: self.below(5),
        }
    }

    /// A point in the past, mostly; sometimes the head, and sometimes one too far.
    pub(super) fn point(&mut self, head: Seq) -> Seq {
        if self.one_in(3) { head } else { self.below(head as usize + 2) as Seq }
    }

    pub(super) fn find(&mut self) -> Find {
        let orders = [
            FindOrder::Id,
            FindOrder::Id,
            FindOrder::Name,
            FindOrder::Time,
            FindOrder::Field,
            FindOrder::FieldDescending,
        ];
        let touching = self.one_in(4).then(|| (self.id(), self.direction()));
        Find {
            scope: self.maybe(|dice| dice.pick(&["m1", "m2"]).to_owned()),
            r#type: self.one_in(4).then(|| self.pick(&["Plain", "Flow"]).to_owned()),
            status: self.one_in(4).then(|| "open".to_owned()),
            name: self.one_in(6).then(|| self.pick(&["order", "billing"]).to_owned()),
            name_prefix: self.one_in(6).then(|| self.pick(&["ord", "order", "b", ""]).to_owned()),
            tag: self.one_in(4).then(|| self.pick(&["red", "blue"]).to_owned()),
            time: self.one_in(6).then(|| (Timestamp(self.below(4) as i64), Timestamp(self.below(6) as i64))),
            under: self.one_in(6).then(|| self.id()),
            touching,
            skip: if self.one_in(4) { self.below(4) } else { 0 },
            field: self.one_in(2).then(|| self.field_range()),
            order: orders[self.below(orders.len())],
            ..Find::all(self.key().kind)
        }
    }

    fn direction(&mut self) -> Direction {
        [Direction::Outgoing, Direction::Incoming, Direction::Both][self.below(3)]
    }

    pub(super) fn traverse(&mut self) -> Traverse {
        Traverse {
            from: self.id(),
            kind: LINK.to_owned(),
            types: self.some(&["Flow", "Special"]),
            direction: self.direction(),
            hops_max: self.below(5) as u32,
            records_max: self.below(8),
        }
    }

    pub(super) fn search(&mut self) -> Search {
        Search {
            kind: self.key().kind,
            scope: self.one_in(3).then(|| "m1".to_owned()),
            r#type: self.one_in(3).then(|| "Special".to_owned()),
            text: self.some(&["ORDER", "zoe", "ledger", "keeping", "bo"]).join(" "),
            all_words: self.one_in(2),
            prefix: self.one_in(2),
            weighed_max: self.below(6),
            limit: self.below(6),
        }
    }
}
