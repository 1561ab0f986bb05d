//! Everyday words for types, for callers who do not speak ArchiMate: what is probably meant comes first.

use super::spelling::folded;

/// What an everyday word for a relationship means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verb {
    pub types: &'static [&'static str],
    /// True when the arrow points the other way: who uses is served.
    pub swapped: bool,
}

/// The element types that people mean by a word; empty for a word that is not listed.
pub fn element_types(word: &str) -> &'static [&'static str] {
    let word = folded(word);
    let singular = word.strip_suffix('s').unwrap_or(&word);
    let listed = |wanted: &str| {
        NOUNS.iter().find(|(words, _)| words.split(' ').any(|known| known == wanted)).map(|(_, types)| *types)
    };
    listed(&word).or_else(|| listed(singular)).unwrap_or_default()
}

/// What people mean by a word for a relationship.
pub fn relationship_types(word: &str) -> Option<Verb> {
    let word = folded(word);
    let known = VERBS.iter().find(|(words, _, _)| words.split(' ').any(|known| known == word));
    known.map(|&(_, types, swapped)| Verb { types, swapped })
}

const NOUNS: &[(&str, &[&str])] = &[
    (
        "server host vm virtualmachine container pod cluster instance loadbalancer cloud",
        &["Node", "Device", "SystemSoftware"],
    ),
    ("computer laptop desktop phone smartphone router switch hardware disk storage sensor", &["Device", "Node"]),
    (
        "os operatingsystem middleware runtime dbms hypervisor webserver applicationserver cache",
        &["SystemSoftware", "Node"],
    ),
    ("database db datastore datawarehouse", &["SystemSoftware", "DataObject", "Artifact"]),
    ("table schema data dataset entity dataentity record dto datamodel", &["DataObject", "BusinessObject"]),
    ("file document image binary jar script log", &["Artifact", "Representation", "DataObject"]),
    (
        "microservice app application system software softwaresystem webapp website frontend backend module library package program bot",
        &["ApplicationComponent"],
    ),
    ("api restapi endpoint webservice gui ui screen webhook", &["ApplicationInterface", "ApplicationService"]),
    (
        "queue topic broker messagebroker messagequeue eventbus bus gateway apigateway",
        &["SystemSoftware", "ApplicationComponent", "Node"],
    ),
    ("service", &["ApplicationService", "BusinessService", "TechnologyService"]),
    ("interface port", &["ApplicationInterface", "BusinessInterface", "TechnologyInterface"]),
    ("component", &["ApplicationComponent"]),
    ("function operation job task", &["BusinessFunction", "ApplicationFunction", "TechnologyFunction"]),
    ("process workflow procedure step activity", &["BusinessProcess", "ApplicationProcess"]),
    ("event message signal trigger", &["BusinessEvent", "ApplicationEvent"]),
    (
        "team department organisation organization orgunit unit company vendor supplier partner",
        &["BusinessActor", "BusinessCollaboration"],
    ),
    ("user customer person employee human actor", &["BusinessActor", "BusinessRole", "Stakeholder"]),
    ("role position responsibility", &["BusinessRole"]),
    ("channel touchpoint", &["BusinessInterface"]),
    ("object thing concept", &["BusinessObject"]),
    ("agreement sla", &["Contract"]),
    ("network lan wan vpc subnet internet", &["CommunicationNetwork", "Path"]),
    ("connection link", &["Path", "CommunicationNetwork"]),
    ("machine tool robot", &["Equipment", "Device"]),
    ("building office site factory plant datacenter datacentre warehouse", &["Facility", "Location"]),
    ("place country city region", &["Location"]),
    ("project initiative programme epic sprint", &["WorkPackage"]),
    ("milestone release golive", &["ImplementationEvent", "Plateau"]),
    ("transitionarchitecture targetarchitecture state", &["Plateau"]),
    ("objective okr target kpi metric vision", &["Goal", "Outcome"]),
    ("result benefit", &["Outcome", "Value"]),
    ("risk issue problem weakness strength swot", &["Assessment", "Driver"]),
    ("need story userstory feature", &["Requirement"]),
    ("rule policy standard guideline", &["Principle", "Constraint", "Requirement"]),
    ("ability skill competence", &["Capability"]),
    ("strategy tactic plan", &["CourseOfAction"]),
    ("asset budget", &["Resource"]),
    ("valuechain customerjourney journey", &["ValueStream"]),
    ("group folder domain boundedcontext layer area", &["Grouping"]),
    ("and or andjunction orjunction gate", &["Junction"]),
];

const VERBS: &[(&str, &[&str], bool)] = &[
    ("uses use using dependson depends dependency requires needs consumes", &["Serving", "Access", "Flow"], true),
    ("calls call invokes requests", &["Serving", "Triggering", "Flow"], true),
    ("servedby isservedby", &["Serving"], true),
    ("serves serve usedby supports provides offers exposes providesto", &["Serving"], false),
    ("reads read writes write readsfrom writesto stores updates queries accesses persists", &["Access"], false),
    ("partof ispartof belongsto memberof childof in", &["Composition", "Aggregation"], true),
    (
        "has contains includes consistsof composedof composes owns parentof comprises",
        &["Composition", "Aggregation"],
        false,
    ),
    ("aggregates groups collects", &["Aggregation"], false),
    (
        "realises realizes realised realized realisation implements implementation fulfils fulfills delivers",
        &["Realization"],
        false,
    ),
    ("realizedby realisedby implementedby", &["Realization"], true),
    ("runson hostedon deployedon deployedto hostedby performedby assignedfrom", &["Assignment"], true),
    ("assigned assignedto assigns hosts runs executes performs responsiblefor carriesout does", &["Assignment"], false),
    ("triggers trigger causes precedes starts initiates then leadsto before", &["Triggering"], false),
    ("follows after triggeredby", &["Triggering"], true),
    ("flows flowsto sends sendsto publishes transfers streams passes dataflow emits", &["Flow"], false),
    ("receives receivesfrom subscribes subscribesto listensto", &["Flow"], true),
    ("influences affects impacts helps drives motivates hinders", &["Influence"], false),
    (
        "specialises specializes specialisation inherits inheritsfrom extends isa kindof subclassof subtypeof",
        &["Specialization"],
        false,
    ),
    ("generalizes generalises generalization generalisation", &["Specialization"], true),
    (
        "relatedto relates related linked linkedto link connectedto connects connected associates associated associatedwith references",
        &["Association"],
        false,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metamodel::{ElementType, RelationshipType};

    #[test]
    fn every_listed_type_exists_and_no_word_is_listed_twice() {
        let nouns = NOUNS.iter().flat_map(|(words, types)| {
            assert!(types.iter().all(|label| ElementType::from_label(label).is_some()), "{types:?}");
            words.split(' ')
        });
        let verbs = VERBS.iter().flat_map(|(words, types, _)| {
            assert!(types.iter().all(|label| RelationshipType::from_label(label).is_some()), "{types:?}");
            words.split(' ')
        });
        for mut words in [nouns.collect::<Vec<_>>(), verbs.collect()] {
            words.sort_unstable();
            assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "{words:?}");
        }
    }

    #[test]
    fn a_word_is_found_in_other_casing_and_in_the_plural() {
        assert_eq!(element_types("Server").first(), Some(&"Node"));
        assert_eq!(element_types("virtual machines").first(), Some(&"Node"));
        assert_eq!(element_types("Microservice").first(), Some(&"ApplicationComponent"));
        assert_eq!(element_types("qqqq"), &[] as &[&str]);
        assert_eq!(relationship_types("Realises").map(|verb| verb.types[0]), Some("Realization"));
        assert_eq!(relationship_types("uses"), Some(Verb { types: &["Serving", "Access", "Flow"], swapped: true }));
        assert_eq!(relationship_types("part of").map(|verb| verb.types[0]), Some("Composition"));
    }
}
