//! How a fact changes its canon level: it becomes canon, or it is retconned, with another fact in its place or without.

use scope::Timestamp;

use super::node::Fact;
use super::words::{Authority, CanonLevel};
use crate::Error;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Retcon {
    pub level: CanonLevel,
    /// What is true instead.
    pub replacement: Option<String>,
    pub authority: Authority,
    pub evidence_refs: Vec<String>,
    pub now: Timestamp,
}

/// The fact as it is then, and the one that takes its place. A retconned fact stays what it is.
pub fn decide(fact: &Fact, wanted: Retcon, next_id: impl FnOnce() -> String) -> Result<(Fact, Option<Fact>), Error> {
    let (from, to) = (fact.canon_level, wanted.level);
    let permitted = matches!(
        (from, to),
        (CanonLevel::Proposed, CanonLevel::Canon | CanonLevel::Retconned) | (CanonLevel::Canon, CanonLevel::Retconned)
    );
    if !permitted {
        let fix = match from {
            CanonLevel::Retconned => "leave it; state what is true now with neo4j_create_fact",
            CanonLevel::Canon => "give retconned, or leave it",
            CanonLevel::Proposed => "give canon or retconned",
        };
        return Err(Error::constraint("canon_level", format!("the fact is {from} and cannot become {to}"), fix)
            .detail("canon_level", from.as_str()));
    }
    if wanted.replacement.is_some() && to != CanonLevel::Retconned {
        let fix = "leave it out, or give canon_level retconned";
        return Err(Error::invalid("replacement_statement", "goes with canon_level retconned only", fix));
    }
    let replacement = wanted.replacement.map(|statement| Fact {
        fact_id: next_id(),
        statement,
        confidence: 1.0,
        authority: wanted.authority,
        canon_level: CanonLevel::Canon,
        evidence_refs: wanted.evidence_refs,
        replaces: Some(fact.fact_id.clone()),
        replaced_by: None,
        state_change: None,
        created_at: wanted.now,
        ..fact.clone()
    });
    let replaced_by = replacement.as_ref().map(|new| new.fact_id.clone()).or_else(|| fact.replaced_by.clone());
    Ok((Fact { canon_level: to, replaced_by, ..fact.clone() }, replacement))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(level: CanonLevel) -> Fact {
        Fact {
            fact_id: "f1".to_owned(),
            statement: "The gate is open".to_owned(),
            canon_level: level,
            ..Fact::default()
        }
    }

    #[track_caller]
    fn check(from: CanonLevel, to: CanonLevel, replacement: Option<&str>, expected: &str) {
        let wanted = Retcon {
            level: to,
            replacement: replacement.map(str::to_owned),
            authority: Authority::Gm,
            evidence_refs: Vec::new(),
            now: Timestamp(7),
        };
        let shown = match decide(&fact(from), wanted, || "f2".to_owned()) {
            Ok((old, new)) => {
                let new = new.map(|new| format!(" {} replaces {:?}", new.statement, new.replaces)).unwrap_or_default();
                format!("{} by {:?}{new}", old.canon_level, old.replaced_by)
            }
            Err(refusal) => refusal.to_string(),
        };
        assert_eq!(shown, expected);
    }

    //
    #[test]
    fn a_fact_moves_forward_only_and_leaves_a_trace() {
        use CanonLevel::{Canon, Proposed, Retconned};
        check(Proposed, Canon, None, "canon by None");
        check(Proposed, Retconned, None, "retconned by None");
        check(Canon, Retconned, None, "retconned by None");
        check(
            Canon,
            Retconned,
            Some("The gate is shut"),
            "retconned by Some(\"f2\") The gate is shut replaces Some(\"f1\")",
        );
        check(Canon, Proposed, None, "the fact is canon and cannot become proposed");
        check(Canon, Canon, None, "the fact is canon and cannot become canon");
        check(Retconned, Canon, None, "the fact is retconned and cannot become canon");
        check(Proposed, Canon, Some("x"), "replacement_statement goes with canon_level retconned only");
    }
}
