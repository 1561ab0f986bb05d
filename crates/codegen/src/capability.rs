//! A capability as its proto files describe it.

use prost_reflect::{EnumDescriptor, FileDescriptor, MessageDescriptor, MethodDescriptor, ServiceDescriptor};

use crate::options::{self, Expose, Resource};
use crate::{Place, Problem, Source};

/// One proto package with its services.
pub struct Capability {
    pub name: String,
    pub title: String,
    pub instructions: String,
    /// Of its tools; empty where none is published.
    pub version: String,
    /// Name and description of its endpoint; empty where the server's own do.
    pub server_name: String,
    pub server_description: String,
    /// The proto package, for example `guestbook.v1`.
    pub package: String,
    pub place: Place,
    pub files: Vec<FileDescriptor>,
    /// Queries before commands, each by name.
    pub services: Vec<Service>,
}

/// A service of a capability.
pub struct Service {
    pub descriptor: ServiceDescriptor,
    /// `None` when the name says neither.
    pub side: Option<Side>,
    pub methods: Vec<Method>,
}

/// Which half of command and query a service is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Query,
    Command,
}

/// A method with what makes it reachable; without either it is not.
pub struct Method {
    pub descriptor: MethodDescriptor,
    pub expose: Option<Expose>,
    pub resource: Option<Resource>,
}

impl Capability {
    /// The capabilities of a contract, by name.
    pub fn all(source: &Source, expose_option: &str, problems: &mut Vec<Problem>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for file in source.files() {
            let Some(stated) = options::read::<options::Capability>(&source.pool, &file.options(), options::CAPABILITY)
            else {
                continue;
            };
            let place = source.place(&file);
            if let Some(other) = found.iter().find(|other| other.package == file.package_name()) {
                problems.push(Problem::error(
                    place,
                    format!("package {} has the capability option twice", other.package),
                    format!("keep the one at {}", other.place),
                ));
                continue;
            }
            found.push(Self::of_package(source, &file, stated, expose_option));
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn of_package(source: &Source, stating: &FileDescriptor, stated: options::Capability, expose_option: &str) -> Self {
        let package = stating.package_name().to_owned();
        let files: Vec<_> = source.files().filter(|file| file.package_name() == package).collect();
        let services = files.iter().flat_map(|file| file.services().collect::<Vec<_>>());
        let mut services: Vec<_> = services.map(|service| Service::new(source, service, expose_option)).collect();
        services.sort_by_key(|service| (service.side.is_none(), service.side, service.descriptor.name().to_owned()));
        Self {
            name: stated.name,
            title: stated.title,
            instructions: stated.instructions,
            version: stated.version,
            server_name: stated.server_name,
            server_description: stated.server_description,
            package,
            place: source.place(stating),
            files,
            services,
        }
    }

    /// The last part of the package, when it is a version.
    pub fn proto_version(&self) -> &str {
        let last = self.package.rsplit('.').next().unwrap_or_default();
        let is_version =
            last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_digit()));
        if is_version { last } else { "" }
    }

    /// The methods that are tools, in the order in which they are listed.
    pub fn tools(&self) -> impl Iterator<Item = (&Service, &Method, &Expose)> {
        self.methods().filter_map(|(service, method)| Some((service, method, method.expose.as_ref()?)))
    }

    /// The methods that are resources.
    pub fn resources(&self) -> impl Iterator<Item = (&Service, &Method, &Resource)> {
        self.methods().filter_map(|(service, method)| Some((service, method, method.resource.as_ref()?)))
    }

    fn methods(&self) -> impl Iterator<Item = (&Service, &Method)> {
        self.services.iter().flat_map(|service| service.methods.iter().map(move |method| (service, method)))
    }

    /// Every message, nested ones included and map entries not, by name.
    pub fn messages(&self) -> Vec<MessageDescriptor> {
        let mut open: Vec<_> = self.files.iter().flat_map(|file| file.messages().collect::<Vec<_>>()).collect();
        let mut found = Vec::new();
        while let Some(message) = open.pop() {
            open.extend(message.child_messages().filter(|child| !child.is_map_entry()));
            found.push(message);
        }
        found.sort_by(|a, b| a.full_name().cmp(b.full_name()));
        found
    }

    /// Every enum: those of the files in their order, then those inside messages.
    pub fn enums(&self) -> Vec<EnumDescriptor> {
        let mut found: Vec<_> = self.files.iter().flat_map(|file| file.enums().collect::<Vec<_>>()).collect();
        found.extend(self.messages().iter().flat_map(|message| message.child_enums().collect::<Vec<_>>()));
        found
    }

    /// The services that something over MCP reaches.
    pub fn reachable(&self) -> impl Iterator<Item = &Service> {
        self.services.iter().filter(|service| service.methods.iter().any(Method::is_reachable))
    }
}

impl Service {
    fn new(source: &Source, descriptor: ServiceDescriptor, expose_option: &str) -> Self {
        let name = descriptor.name();
        let side = if name.ends_with("QueryService") {
            Some(Side::Query)
        } else if name.ends_with("WriteService") {
            Some(Side::Command)
        } else {
            None
        };
        let method = |descriptor: MethodDescriptor| Method {
            expose: options::read(&source.pool, &descriptor.options(), expose_option),
            resource: options::read(&source.pool, &descriptor.options(), options::RESOURCE),
            descriptor,
        };
        let methods = descriptor.methods().map(method).collect();
        Self { descriptor, side, methods }
    }
}

impl Method {
    pub fn is_reachable(&self) -> bool {
        self.expose.is_some() || self.resource.is_some()
    }

    /// `Service.Method`.
    pub fn rpc(&self) -> String {
        format!("{}.{}", self.descriptor.parent_service().name(), self.descriptor.name())
    }
}

impl Side {
    pub fn word(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Command => "command",
        }
    }
}
