//! The viewpoints of ArchiMate 3.2 and the element types that each of them shows.

use super::spelling::folded;

/// A viewpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewpoint {
    pub id: &'static str,
    /// The name in exchange files.
    pub name: &'static str,
    /// Labels of element types, with a blank between two; empty for all types.
    types: &'static str,
}

impl Viewpoint {
    /// Whether elements of this type belong on it.
    pub fn shows(&self, element_type: &str) -> bool {
        self.types.is_empty()
            || matches!(element_type, "Grouping" | "Junction")
            || self.types.split(' ').any(|of| of == element_type)
    }
}

const fn viewpoint(id: &'static str, name: &'static str, types: &'static str) -> Viewpoint {
    Viewpoint { id, name, types }
}

/// The viewpoint a caller means, whatever the case and the word breaks.
pub fn from_spelling(text: &str) -> Option<Viewpoint> {
    let wanted = folded(text);
    ALL.iter().copied().find(|viewpoint| folded(viewpoint.id) == wanted || folded(viewpoint.name) == wanted)
}

/// Every viewpoint.
#[rustfmt::skip]
pub const ALL: &[Viewpoint] = &[
    viewpoint(
        "organization",
        "Organization",
        "BusinessActor BusinessCollaboration BusinessInterface BusinessRole Location",
    ),
    viewpoint(
        "business_process_cooperation",
        "Business Process Cooperation",
        "ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject BusinessActor BusinessCollaboration BusinessEvent BusinessFunction BusinessInteraction BusinessInterface BusinessObject BusinessProcess BusinessRole BusinessService Location Representation",
    ),
    viewpoint(
        "product",
        "Product",
        "ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject Artifact BusinessActor BusinessCollaboration BusinessEvent BusinessFunction BusinessInteraction BusinessInterface BusinessObject BusinessProcess BusinessRole BusinessService Contract Material Product TechnologyService Value",
    ),
    viewpoint(
        "application_cooperation",
        "Application Cooperation",
        "ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject Location",
    ),
    viewpoint(
        "application_structure",
        "Application Structure",
        "ApplicationComponent ApplicationCollaboration ApplicationInterface DataObject",
    ),
    viewpoint(
        "application_usage",
        "Application Usage",
        "ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject BusinessActor BusinessCollaboration BusinessEvent BusinessFunction BusinessInteraction BusinessObject BusinessProcess BusinessRole",
    ),
    viewpoint(
        "implementation_deployment",
        "Implementation and Deployment",
        "ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject Artifact Path SystemSoftware TechnologyFunction TechnologyInteraction TechnologyInterface TechnologyProcess TechnologyService",
    ),
    viewpoint(
        "technology",
        "Technology",
        "Node Device SystemSoftware TechnologyCollaboration TechnologyInterface Path CommunicationNetwork TechnologyFunction TechnologyProcess TechnologyInteraction TechnologyEvent TechnologyService Artifact Location",
    ),
    viewpoint(
        "technology_usage",
        "Technology Usage",
        "ApplicationComponent ApplicationCollaboration ApplicationEvent ApplicationFunction ApplicationInteraction ApplicationProcess Node Device SystemSoftware TechnologyCollaboration TechnologyInterface Path CommunicationNetwork TechnologyFunction TechnologyProcess TechnologyInteraction TechnologyEvent TechnologyService Artifact",
    ),
    viewpoint(
        "information_structure",
        "Information Structure",
        "Artifact BusinessObject DataObject Meaning Representation",
    ),
    viewpoint(
        "service_realization",
        "Service Realization",
        "ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject BusinessActor BusinessCollaboration BusinessEvent BusinessFunction BusinessInteraction BusinessInterface BusinessObject BusinessProcess BusinessRole BusinessService Representation",
    ),
    viewpoint(
        "physical",
        "Physical",
        "Equipment Facility DistributionNetwork Material CommunicationNetwork Device Location Node Path",
    ),
    viewpoint(
        "stakeholder",
        "Stakeholder",
        "Assessment Driver Goal Outcome Stakeholder",
    ),
    viewpoint(
        "goal_realization",
        "Goal Realization",
        "Constraint Goal Outcome Principle Requirement",
    ),
    viewpoint(
        "requirements_realization",
        "Requirements Realization",
        "Constraint Goal Meaning Outcome Principle Requirement Value Resource Capability ValueStream CourseOfAction BusinessActor BusinessRole BusinessCollaboration BusinessInterface BusinessProcess BusinessFunction BusinessInteraction BusinessEvent BusinessService BusinessObject Contract Representation Product ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject Node Device SystemSoftware TechnologyCollaboration TechnologyInterface Path CommunicationNetwork TechnologyFunction TechnologyProcess TechnologyInteraction TechnologyEvent TechnologyService Artifact Location",
    ),
    viewpoint(
        "motivation",
        "Motivation",
        "Stakeholder Driver Assessment Goal Outcome Principle Requirement Constraint Meaning Value",
    ),
    viewpoint(
        "strategy",
        "Strategy",
        "Resource Capability ValueStream CourseOfAction Outcome",
    ),
    viewpoint(
        "capability",
        "Capability Map",
        "Capability Outcome Resource",
    ),
    viewpoint(
        "value_stream",
        "Value Stream",
        "Capability Outcome Stakeholder ValueStream",
    ),
    viewpoint(
        "outcome_realization",
        "Outcome Realization",
        "Capability Meaning Outcome Resource Value ValueStream BusinessActor BusinessRole BusinessCollaboration BusinessInterface BusinessProcess BusinessFunction BusinessInteraction BusinessEvent BusinessService BusinessObject Contract Representation Product ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject Node Device SystemSoftware TechnologyCollaboration TechnologyInterface Path CommunicationNetwork TechnologyFunction TechnologyProcess TechnologyInteraction TechnologyEvent TechnologyService Artifact Location",
    ),
    viewpoint(
        "resource",
        "Resource Map",
        "Capability Resource WorkPackage",
    ),
    viewpoint(
        "project",
        "Project",
        "BusinessActor BusinessRole Deliverable Goal ImplementationEvent Outcome WorkPackage",
    ),
    viewpoint(
        "migration",
        "Migration",
        "Gap Plateau",
    ),
    viewpoint(
        "implementation_migration",
        "Implementation and Migration",
        "BusinessActor BusinessRole BusinessCollaboration BusinessInterface BusinessProcess BusinessFunction BusinessInteraction BusinessEvent BusinessService BusinessObject Contract Representation Product ApplicationComponent ApplicationCollaboration ApplicationInterface ApplicationFunction ApplicationInteraction ApplicationProcess ApplicationEvent ApplicationService DataObject Node Device SystemSoftware TechnologyCollaboration TechnologyInterface Path CommunicationNetwork TechnologyFunction TechnologyProcess TechnologyInteraction TechnologyEvent TechnologyService Artifact WorkPackage Deliverable ImplementationEvent Plateau Gap Constraint Goal Location Requirement",
    ),
    viewpoint(
        "layered",
        "Layered",
        "",
    ),
];
