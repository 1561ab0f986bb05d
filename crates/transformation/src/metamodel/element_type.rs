//! The sixty element types and Junction, each with its layer, its aspect and what it stands for.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Layer::{self, Application, Business, Implementation, Motivation, Other, Physical, Strategy, Technology};
use super::spelling;

/// An ArchiMate element type. Copies are free, and its index fits a bit of a [`super::Concepts`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct ElementType(u8);

impl ElementType {
    pub const CAPABILITY: Self = Self(1);
    pub const VALUE_STREAM: Self = Self(2);
    pub const APPLICATION_COMPONENT: Self = Self(17);
    pub const APPLICATION_SERVICE: Self = Self(24);
    pub const LOCATION: Self = Self(58);
    pub const GROUPING: Self = Self(59);
    /// Joins relationships; many of them may share a name.
    pub const JUNCTION: Self = Self(60);

    /// How many element types there are.
    pub const COUNT: usize = TYPES.len();

    /// All types, in the order of the proto enum.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..TYPES.len()).map(|index| Self(u8::try_from(index).expect("all types fit a byte")))
    }

    /// The type that is spelled exactly so.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::all().find(|candidate| candidate.label() == label)
    }

    /// The type that is meant by a looser spelling: case, blanks, `_`, `-` and the prefix `archimate:` do not count.
    pub fn from_spelling(text: &str) -> Option<Self> {
        Self::from_label(text).or_else(|| {
            let folded = spelling::folded(text);
            Self::all().find(|candidate| spelling::folded(candidate.label()) == folded)
        })
    }

    /// The type at a position of [`Self::all`].
    pub fn from_index(index: usize) -> Option<Self> {
        u8::try_from(index).ok().filter(|_| index < TYPES.len()).map(Self)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    pub fn label(self) -> &'static str {
        TYPES[self.index()].0
    }

    /// The layer, which no caller is ever asked for.
    pub fn layer(self) -> Layer {
        TYPES[self.index()].1
    }

    pub fn aspect(self) -> &'static str {
        TYPES[self.index()].2
    }

    pub fn description(self) -> &'static str {
        TYPES[self.index()].3
    }

    /// The labels of all types of a layer.
    pub fn labels_of(layer: Layer) -> Vec<&'static str> {
        Self::all().filter(|candidate| candidate.layer() == layer).map(Self::label).collect()
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl fmt::Debug for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl From<ElementType> for &'static str {
    fn from(of: ElementType) -> Self {
        of.label()
    }
}

impl TryFrom<String> for ElementType {
    type Error = String;

    fn try_from(label: String) -> Result<Self, String> {
        Self::from_label(&label).ok_or_else(|| format!("there is no element type {label}"))
    }
}

const ACTIVE: &str = "active structure";
const INSIDE: &str = "active structure (internal)";
const OUTSIDE: &str = "active structure (external)";
const BEHAVIOUR: &str = "behaviour";
const DOES: &str = "behaviour (internal)";
const OFFERS: &str = "behaviour (external)";
const EVENT: &str = "behaviour (event)";
const PASSIVE: &str = "passive structure";
const COMPOSITE: &str = "composite";
const WHY: &str = "motivation";

/// Label, layer, aspect, description; in the order of the proto enum.
#[rustfmt::skip]
const TYPES: [(&str, Layer, &str, &str); 61] = [
    ("Resource", Strategy, ACTIVE, "An asset the organisation can put to use: people, money, knowledge, goods"),
    ("Capability", Strategy, BEHAVIOUR, "An ability to do something, whatever the way it is done"),
    ("ValueStream", Strategy, BEHAVIOUR, "Stages that together create value for a customer or stakeholder"),
    ("CourseOfAction", Strategy, BEHAVIOUR, "A plan for using resources and capabilities to reach a goal"),
    ("BusinessActor", Business, INSIDE, "A person, team or organisation that acts"),
    ("BusinessRole", Business, INSIDE, "A responsibility that an actor takes on"),
    ("BusinessCollaboration", Business, INSIDE, "Actors or roles that work together"),
    ("BusinessInterface", Business, OUTSIDE, "A channel through which a business service is reached"),
    ("BusinessProcess", Business, DOES, "Business steps in sequence with a defined result"),
    ("BusinessFunction", Business, DOES, "Business behaviour grouped by skill or responsibility"),
    ("BusinessInteraction", Business, DOES, "Business behaviour that takes a collaboration"),
    ("BusinessEvent", Business, EVENT, "A happening that changes the state of the business"),
    ("BusinessService", Business, OFFERS, "Behaviour the business offers to the outside"),
    ("BusinessObject", Business, PASSIVE, "A thing the business deals with, such as an order"),
    ("Contract", Business, PASSIVE, "An agreement with rights and duties"),
    ("Representation", Business, PASSIVE, "A form in which information is seen, such as a letter"),
    ("Product", Business, COMPOSITE, "Services and objects offered together under terms"),
    ("ApplicationComponent", Application, INSIDE, "A deployable, replaceable unit of software"),
    ("ApplicationCollaboration", Application, INSIDE, "Application components that work together"),
    ("ApplicationInterface", Application, OUTSIDE, "An access point to application services, such as an API"),
    ("ApplicationFunction", Application, DOES, "What a component can do automatically"),
    ("ApplicationInteraction", Application, DOES, "Automated behaviour that takes several components"),
    ("ApplicationProcess", Application, DOES, "Automated steps in sequence with a defined result"),
    ("ApplicationEvent", Application, EVENT, "A state change that software raises or notices"),
    ("ApplicationService", Application, OFFERS, "Automated behaviour offered to users or systems"),
    ("DataObject", Application, PASSIVE, "Data in a form that software processes"),
    ("Node", Technology, INSIDE, "A computing or physical resource that hosts others"),
    ("Device", Technology, INSIDE, "Hardware that runs software"),
    ("SystemSoftware", Technology, INSIDE, "Software that other software runs on"),
    ("TechnologyCollaboration", Technology, INSIDE, "Technology elements that work together"),
    ("TechnologyInterface", Technology, OUTSIDE, "An access point to technology services"),
    ("Path", Technology, INSIDE, "A logical connection between nodes"),
    ("CommunicationNetwork", Technology, INSIDE, "Connections that carry data between devices"),
    ("TechnologyFunction", Technology, DOES, "What a node can do"),
    ("TechnologyProcess", Technology, DOES, "Technology steps in sequence with a defined result"),
    ("TechnologyInteraction", Technology, DOES, "Technology behaviour that takes several nodes"),
    ("TechnologyEvent", Technology, EVENT, "A state change in the technology"),
    ("TechnologyService", Technology, OFFERS, "Technology behaviour offered to applications or users"),
    ("Artifact", Technology, PASSIVE, "A concrete piece of data: a file, a table, a message"),
    ("Equipment", Physical, INSIDE, "Machines and tools that work on material"),
    ("Facility", Physical, INSIDE, "A building or site that houses equipment or people"),
    ("DistributionNetwork", Physical, INSIDE, "A network that moves material or energy"),
    ("Material", Physical, PASSIVE, "Physical matter or energy"),
    ("Stakeholder", Motivation, WHY, "Someone with an interest in the architecture"),
    ("Driver", Motivation, WHY, "A condition that moves the organisation to change"),
    ("Assessment", Motivation, WHY, "What an analysis of a driver found"),
    ("Goal", Motivation, WHY, "An end state that someone wants"),
    ("Outcome", Motivation, WHY, "A result that can be shown"),
    ("Principle", Motivation, WHY, "A guideline that holds in general"),
    ("Requirement", Motivation, WHY, "A property that a system must have"),
    ("Constraint", Motivation, WHY, "A limit on the ways to a goal"),
    ("Meaning", Motivation, WHY, "How a concept is understood in a context"),
    ("Value", Motivation, WHY, "The worth of something to someone"),
    ("WorkPackage", Implementation, BEHAVIOUR, "Planned work towards a result, such as a project"),
    ("Deliverable", Implementation, PASSIVE, "A defined result of a work package"),
    ("ImplementationEvent", Implementation, EVENT, "A moment in a change, such as a go-live"),
    ("Plateau", Implementation, COMPOSITE, "A state of the architecture that lasts for a while"),
    ("Gap", Implementation, PASSIVE, "The difference between two plateaus"),
    ("Location", Other, COMPOSITE, "A place, real or virtual, where something is or happens"),
    ("Grouping", Other, COMPOSITE, "A named collection of concepts that have something in common"),
    ("Junction", Other, "connector", "Joins or splits relationships of one type, as and or as or"),
];

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn a_layer_follows_from_the_type() {
        check(&["Capability", "Resource", "CourseOfAction", "ValueStream"], Strategy);
        check(&["BusinessProcess", "BusinessService", "BusinessActor"], Business);
        check(&["ApplicationComponent", "ApplicationService", "ApplicationInterface", "DataObject"], Application);
        check(&["Node", "Device", "SystemSoftware"], Technology);
    }

    #[track_caller]
    fn check(labels: &[&str], expected: Layer) {
        for label in labels {
            assert_eq!(ElementType::from_label(label).map(ElementType::layer), Some(expected), "{label}");
        }
    }

    //
    #[test]
    fn looser_spellings_are_understood() {
        for text in [
            "APPLICATION_COMPONENT",
            "application component",
            "archimate:ApplicationComponent",
            "application-component",
        ] {
            assert_eq!(
                ElementType::from_spelling(text).map(ElementType::label),
                Some("ApplicationComponent"),
                "{text}"
            );
        }
        assert_eq!(ElementType::from_spelling("AppComponent"), None);
    }

    #[test]
    fn constants_name_the_right_rows() {
        assert_eq!(ElementType::CAPABILITY.label(), "Capability");
        assert_eq!(ElementType::VALUE_STREAM.label(), "ValueStream");
        assert_eq!(ElementType::APPLICATION_COMPONENT.label(), "ApplicationComponent");
        assert_eq!(ElementType::APPLICATION_SERVICE.label(), "ApplicationService");
        assert_eq!(ElementType::LOCATION.label(), "Location");
        assert_eq!(ElementType::GROUPING.label(), "Grouping");
        assert_eq!(ElementType::JUNCTION.label(), "Junction");
    }

    #[test]
    fn a_type_reads_back_from_its_label() {
        for of in ElementType::all() {
            assert_eq!(ElementType::from_label(of.label()), Some(of));
            assert_eq!(ElementType::from_index(of.index()), Some(of));
        }
    }
}
