//! The rules of the metamodel as data.
//!
//! A line of [`SETS`] names a set of types; a minus removes a member. A line of [`RULES`] or [`BASE`] reads
//! `letters : sources -> targets`; `SELF` means each source with itself. Letters are those of
//! [`super::RelationshipType::letter`]. [`super::Table`] and [`super::derivation`] read them.

/// Sets of types, each made of types and of sets above it.
pub const SETS: &str = "\
B_ACT = BusinessActor BusinessRole BusinessCollaboration
B_BEH = BusinessProcess BusinessFunction BusinessInteraction
B_PAS = BusinessObject Contract Representation
A_ACT = ApplicationComponent ApplicationCollaboration
A_BEH = ApplicationProcess ApplicationFunction ApplicationInteraction
T_ACT = Node Device SystemSoftware TechnologyCollaboration Path CommunicationNetwork Equipment Facility DistributionNetwork
T_BEH = TechnologyProcess TechnologyFunction TechnologyInteraction
IF = BusinessInterface ApplicationInterface TechnologyInterface
BEH = B_BEH A_BEH T_BEH
EVT = BusinessEvent ApplicationEvent TechnologyEvent
SVC = BusinessService ApplicationService TechnologyService
PAS = B_PAS DataObject Artifact Material
DYN = B_ACT A_ACT T_ACT IF BEH EVT SVC Product Location
CORE = DYN PAS
STRAT = Resource Capability ValueStream CourseOfAction
MOT = Stakeholder Driver Assessment Goal Outcome Principle Requirement Constraint Meaning Value
MREAL = Goal Outcome Principle Requirement Constraint
IMPL = WorkPackage Deliverable ImplementationEvent Plateau Gap
CHANGE = WorkPackage ImplementationEvent Plateau
ELEM = CORE STRAT MOT IMPL
B_OUT = BusinessInterface B_BEH BusinessEvent BusinessService
A_OUT = A_ACT ApplicationInterface A_BEH ApplicationEvent ApplicationService
T_LOW = SystemSoftware TechnologyInterface T_BEH TechnologyEvent TechnologyService
T_BOX = Node Facility Equipment Device SystemSoftware TechnologyInterface
HOST = Node TechnologyCollaboration Path Facility DistributionNetwork Location
B_WORK = Stakeholder WorkPackage ImplementationEvent
";

/// What may be joined, between elements other than Grouping; the general rules of [`super::Table`] add the rest.
pub const RULES: &str = "\
c g s : ELEM -> SELF
c g s : BusinessObject Contract -> BusinessObject Contract
c g s : Requirement Constraint -> Requirement Constraint
c g : B_BEH -> B_BEH
c g : A_BEH -> A_BEH
c g : T_BEH -> T_BEH
c g : B_ACT -> BusinessInterface
c g : A_ACT -> ApplicationInterface
c g : SystemSoftware TechnologyCollaboration -> TechnologyInterface
c g : Device -> SystemSoftware TechnologyInterface
c g : Equipment -> Device SystemSoftware TechnologyInterface
c g : Node Facility -> T_BOX
c g : Product -> SVC PAS
c g : Plateau -> CORE STRAT Goal Outcome Requirement Constraint
c g : Location -> ELEM
g : BusinessCollaboration -> BusinessActor BusinessRole
g : ApplicationCollaboration -> ApplicationComponent
g : TechnologyCollaboration Path DistributionNetwork -> T_BOX
g : Path -> TechnologyCollaboration
g : CommunicationNetwork -> Device SystemSoftware TechnologyInterface
i : Resource -> Capability ValueStream
i : B_ACT -> B_BEH BusinessEvent BusinessService B_WORK
i : BusinessActor BusinessCollaboration -> BusinessRole BusinessInterface
i : BusinessInterface -> BusinessService
i : A_ACT -> A_BEH ApplicationEvent ApplicationService
i : ApplicationInterface -> ApplicationService
i : TechnologyInterface -> TechnologyService
i : Device SystemSoftware CommunicationNetwork Equipment -> T_LOW Artifact
i : Equipment -> Material
i : HOST -> B_ACT B_OUT B_WORK T_LOW Artifact Material Node Device Equipment Facility
i : Location -> A_BEH ApplicationEvent ApplicationService
i : Plateau -> Stakeholder
r : CORE STRAT -> MREAL
r : Resource Capability ValueStream -> CourseOfAction
r : CORE -EVT -> Capability ValueStream CourseOfAction
r : CORE -EVT -BEH -SVC -> Resource
r : Outcome -> Goal
r : Principle -> Goal Outcome
r : Requirement Constraint -> Goal Outcome Principle
r : B_ACT B_BEH -> BusinessService
r : Representation DataObject -> BusinessObject Contract
r : A_ACT -> B_OUT A_OUT -ApplicationCollaboration
r : ApplicationInterface -> BusinessInterface BusinessService
r : A_BEH -> B_BEH BusinessService ApplicationService
r : ApplicationService -> BusinessService
r : ApplicationEvent -> BusinessEvent
r : TechnologyInterface -> BusinessInterface BusinessService ApplicationInterface ApplicationService
r : T_BEH -> B_BEH BusinessService A_BEH ApplicationService TechnologyService
r : TechnologyService -> BusinessService ApplicationService
r : TechnologyEvent -> BusinessEvent ApplicationEvent
r : T_ACT Product Location Artifact Material -> B_OUT A_OUT T_LOW
r : T_ACT -Device -SystemSoftware Product Location Material -> Device Equipment
r : CommunicationNetwork DistributionNetwork Location -> B_ACT Node TechnologyCollaboration Path Facility Stakeholder
r : Artifact Material -> Artifact DataObject BusinessObject Contract
r : Material -> Material
r : WorkPackage Deliverable Plateau -> CORE STRAT MREAL Stakeholder
r : WorkPackage Deliverable -> Plateau
r : WorkPackage -> Deliverable
a : DYN -> PAS
a : CHANGE -> Deliverable
v t f : STRAT -> STRAT
v t f : DYN -> DYN
t f : CHANGE -> CHANGE
n : ELEM -Gap -> MOT
";

/// The relationships that the metamodel states itself; [`super::derivation`] derives the others.
pub const BASE: &str = "\
c g : B_BEH -> B_BEH
c g : A_BEH -> A_BEH
c g : T_BEH -> T_BEH
c g s : BusinessObject Contract -> BusinessObject Contract
c g s : Requirement Constraint -> Requirement Constraint
c : B_ACT -> BusinessInterface
c : A_ACT -> ApplicationInterface
c : T_BOX -TechnologyInterface TechnologyCollaboration -> TechnologyInterface
g : BusinessCollaboration -> BusinessActor BusinessRole
g : ApplicationCollaboration -> ApplicationComponent
g : TechnologyCollaboration -> T_BOX -TechnologyInterface
g : Path -> T_BOX -TechnologyInterface TechnologyCollaboration
g : CommunicationNetwork -> Device SystemSoftware
g : DistributionNetwork -> Equipment Facility
c g : Node -> Facility Equipment Device SystemSoftware
c g : Facility -> Node Equipment
c g : Equipment -> Device
c g : Device -> SystemSoftware
c g : Product -> SVC PAS
c g : Plateau -> CORE STRAT Goal Outcome Requirement Constraint
c g : Location -> ELEM
i : B_ACT -> B_BEH BusinessEvent
i : A_ACT -> A_BEH ApplicationEvent
i : T_BOX -TechnologyInterface TechnologyCollaboration -> T_BEH TechnologyEvent
i : BusinessActor -> BusinessRole
i : BusinessInterface -> BusinessService
i : ApplicationInterface -> ApplicationService
i : TechnologyInterface -> TechnologyService
i : Device SystemSoftware -> Artifact SystemSoftware
i : Equipment -> Material
i : CommunicationNetwork -> SystemSoftware
i : Facility -> B_ACT Node
i : Resource -> Capability ValueStream
i : B_ACT -> B_WORK
r : B_BEH -> BusinessService
r : A_BEH -> ApplicationService
r : T_BEH -> TechnologyService
r : Representation DataObject -> BusinessObject Contract
r : Material -> BusinessObject Equipment
r : Artifact -> BusinessObject DataObject A_ACT SystemSoftware
r : ApplicationComponent -> ApplicationComponent
r : A_BEH -> B_BEH
r : ApplicationEvent -> BusinessEvent
r : ApplicationService -> BusinessService
r : ApplicationInterface -> BusinessInterface
r : T_BEH -> A_BEH
r : TechnologyEvent -> ApplicationEvent
r : TechnologyService -> ApplicationService
r : TechnologyInterface -> ApplicationInterface
r : CommunicationNetwork DistributionNetwork -> Path
r : CORE -EVT -BEH -SVC -> Resource
r : BEH SVC -> Capability ValueStream
r : Resource Capability ValueStream -> CourseOfAction
r : CORE STRAT -> Requirement Constraint
r : Requirement Constraint -> Principle Outcome
r : Principle -> Outcome
r : Outcome -> Goal
r : WorkPackage -> Deliverable
r : WorkPackage Deliverable -> Plateau
r : WorkPackage Deliverable Plateau -> CORE STRAT Requirement Constraint
a : BEH EVT SVC -> PAS
a : WorkPackage ImplementationEvent -> Deliverable
v : SVC -> BEH
v : IF -> B_ACT A_ACT Node Facility Equipment Device SystemSoftware
v : Resource CourseOfAction -> CourseOfAction
v : Capability ValueStream -> Capability ValueStream
v : CourseOfAction -> Capability ValueStream
t f : BEH EVT SVC -> BEH EVT SVC
t f : Capability ValueStream CourseOfAction -> Capability ValueStream CourseOfAction
t f : CHANGE -> CHANGE
n : ELEM -Gap -> MOT
";
