//! The table a second way: from what the metamodel states itself, by the derivation rules, to a fixpoint.
//!
//! A step looks at a chain `source - middle - target` of two relationships, each read along or against its arrow, and
//! adds a relationship from source to target when the domains and the passive types allow it. Valid steps run first,
//! then the potential ones join them; where a triple first appears is its [`Grade`].

use std::sync::OnceLock;

use super::RelationshipType::{
    Access, Aggregation, Assignment, Composition, Flow, Influence, Realization, Serving, Specialization, Triggering,
};
use super::table::Sets;
use super::{Concept, Concepts, RelationshipType, Table, rules};

/// How a permitted triple comes to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The metamodel states it.
    Direct,
    /// It follows from stated ones, always.
    Derived,
    /// It may follow, depending on what is meant.
    Potential,
}

/// The grade of a triple that the standard permits, or nothing when it does not.
pub fn grade(relationship: RelationshipType, source: impl Into<Concept>, target: impl Into<Concept>) -> Option<Grade> {
    let (source, target) = (source.into(), target.into());
    let Stages { base, valid, potential, whole } = stages();
    // Grouping and Association follow general rules, which state what they permit; so the whole comes last.
    [(base, Grade::Direct), (valid, Grade::Derived), (potential, Grade::Potential), (whole, Grade::Direct)]
        .into_iter()
        .find(|(table, _)| table.permits(relationship, source, target))
        .map(|(_, grade)| grade)
}

/// The whole table, general rules included.
pub fn table() -> &'static Table {
    &stages().whole
}

struct Stages {
    base: Table,
    valid: Table,
    potential: Table,
    whole: Table,
}

fn stages() -> &'static Stages {
    static STAGES: OnceLock<Stages> = OnceLock::new();
    STAGES.get_or_init(|| {
        let sets = Sets::read(rules::SETS).expect("the sets of this crate are well formed");
        let limits = Limits::new(&sets);
        let mut base = Table::stated(&sets, rules::BASE).expect("the base of this crate is well formed");
        for concept in limits.elements.iter() {
            for of in [Composition, Aggregation, Specialization] {
                base.add(of, concept, concept.bit());
            }
        }
        let mut steps = valid_steps();
        let valid = fixpoint(base.clone(), &steps, &limits);
        steps.extend(potential_steps());
        let potential = fixpoint(valid.clone(), &steps, &limits);
        let mut whole = potential.clone();
        whole.add_general_rules();
        Stages { base, valid, potential, whole }
    })
}

/// One half of a chain: a relationship, read along its arrow or against it.
#[derive(Clone, Copy)]
enum Leg {
    Along(RelationshipType),
    Against(RelationshipType),
}
use Leg::{Against, Along};

/// Source to middle, middle to target, and what then holds from source to target.
type Step = (Leg, Leg, RelationshipType);

const STRUCTURAL: [RelationshipType; 4] = [Realization, Assignment, Aggregation, Composition];
const DEPENDENCY: [RelationshipType; 3] = [Influence, Access, Serving];

fn valid_steps() -> Vec<Step> {
    let mut steps = vec![
        (Along(Triggering), Along(Triggering), Triggering),
        (Along(Specialization), Along(Specialization), Specialization),
    ];
    for (strength, &structural) in STRUCTURAL.iter().enumerate() {
        for (other, &second) in STRUCTURAL.iter().enumerate() {
            steps.push((Along(structural), Along(second), STRUCTURAL[strength.min(other)]));
        }
        for dependency in DEPENDENCY {
            steps.push((Along(structural), Along(dependency), dependency));
            steps.push((Along(dependency), Against(structural), dependency));
        }
        steps.push((Along(structural), Along(Triggering), Triggering));
        steps.push((Along(structural), Along(Flow), Flow));
        steps.push((Along(Flow), Against(structural), Flow));
        steps.push((Along(Triggering), Along(structural), Triggering));
    }
    steps
}

fn potential_steps() -> Vec<Step> {
    let mut steps = vec![(Along(Flow), Along(Flow), Flow)];
    for structural in STRUCTURAL {
        for dependency in DEPENDENCY {
            steps.push((Along(dependency), Along(structural), dependency));
            steps.push((Against(structural), Along(dependency), dependency));
        }
        steps.push((Along(Flow), Along(structural), Flow));
        steps.push((Against(structural), Along(Triggering), Triggering));
        steps.push((Against(structural), Along(Flow), Flow));
        steps.push((Along(Triggering), Against(structural), Triggering));
    }
    for (strength, &first) in DEPENDENCY.iter().enumerate() {
        for (other, &second) in DEPENDENCY.iter().enumerate() {
            steps.push((Along(first), Along(second), DEPENDENCY[strength.min(other)]));
        }
    }
    steps
}

fn fixpoint(mut table: Table, steps: &[Step], limits: &Limits) -> Table {
    loop {
        let mut changed = false;
        for &(first, second, result) in steps {
            let outward: Vec<Concepts> = Concept::all().map(|source| follow(&table, first, source)).collect();
            let onward: Vec<Concepts> = Concept::all().map(|middle| follow(&table, second, middle)).collect();
            for source in limits.elements.iter() {
                let allowed = limits.across_domains(result, source).common(limits.by_passivity(result, source));
                for middle in outward[source.index()].iter() {
                    let reached = onward[middle.index()].common(allowed).common(limits.near(source, middle));
                    changed |= table.add(result, source, reached);
                }
            }
        }
        if !changed {
            return table;
        }
    }
}

fn follow(table: &Table, leg: Leg, from: Concept) -> Concepts {
    match leg {
        Along(of) => table.targets(of, from),
        Against(of) => table.sources(of, from),
    }
}

/// Where a derived relationship may lead.
struct Limits {
    elements: Concepts,
    motivation: Concepts,
    strategy: Concepts,
    core: Concepts,
    implementation: Concepts,
    passive: Concepts,
    location: Concepts,
}

impl Limits {
    fn new(sets: &Sets) -> Self {
        let set = |expression| sets.evaluate(expression).expect("a set of the rules");
        Self {
            elements: set("ELEM"),
            motivation: set("MOT"),
            strategy: set("STRAT"),
            core: set("CORE"),
            implementation: set("IMPL"),
            passive: set("PAS Deliverable"),
            location: set("Location"),
        }
    }

    /// The targets near enough for a derivation through `middle`: it shares its domain with one of the ends,
    /// except that change work sees through the core.
    fn near(&self, source: Concept, middle: Concept) -> Concepts {
        let domain = self.domain(middle);
        if domain.contains(source) {
            return self.elements;
        }
        let seen_through = self.implementation.contains(source) && self.core.without(self.location).contains(middle);
        if seen_through { domain.union(self.motivation).union(self.strategy) } else { domain }
    }

    /// The targets that a derived relationship of this type may reach across domains.
    fn across_domains(&self, of: RelationshipType, source: Concept) -> Concepts {
        let own = self.domain(source);
        let mut allowed = own;
        let mut open = |domain: Concepts, types: &[RelationshipType]| {
            if types.contains(&of) {
                allowed = allowed.union(domain);
            }
        };
        if own != self.motivation {
            open(self.motivation, &[Assignment, Realization, Influence]);
        }
        if own == self.implementation || own == self.core {
            open(self.strategy, &[Realization]);
        }
        if own == self.implementation {
            open(self.core, &[Realization]);
        }
        if own == self.core {
            open(self.implementation, &[Assignment]);
        }
        if of == Influence { allowed.common(self.motivation) } else { allowed }
    }

    /// The targets that a derived relationship of this type may have, given which ends only suffer behaviour.
    fn by_passivity(&self, of: RelationshipType, source: Concept) -> Concepts {
        let active = self.elements.without(self.passive);
        let to_passive =
            if self.passive.contains(source) { of == Realization } else { matches!(of, Access | Assignment) };
        let to_active =
            if self.passive.contains(source) { matches!(of, Realization | Influence) } else { of != Access };
        let pick = |wanted: bool, set: Concepts| if wanted { set } else { Concepts::NONE };
        pick(to_passive, self.passive).union(pick(to_active, active))
    }

    fn domain(&self, concept: Concept) -> Concepts {
        [self.motivation, self.strategy, self.core, self.implementation]
            .into_iter()
            .find(|domain| domain.contains(concept))
            .unwrap_or(Concepts::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metamodel::ElementType;

    #[test]
    fn each_stage_has_the_measured_size() {
        let sizes = [&stages().base, &stages().valid, &stages().potential].map(Table::permitted_count);
        assert_eq!(sizes, [2_126, 4_981, 6_013]);
    }

    #[test]
    fn triples_are_graded() {
        check("Serving", "ApplicationService", "ApplicationProcess", Some(Grade::Direct));
        check("Realization", "ApplicationComponent", "ApplicationService", Some(Grade::Derived));
        check("Association", "Gap", "Node", Some(Grade::Direct));
        check("Realization", "Capability", "ApplicationComponent", None);
    }

    #[track_caller]
    fn check(of: &str, source: &str, target: &str, expected: Option<Grade>) {
        let element = |label| ElementType::from_label(label).unwrap();
        let actual = grade(RelationshipType::from_label(of).unwrap(), element(source), element(target));
        assert_eq!(actual, expected);
    }
}
