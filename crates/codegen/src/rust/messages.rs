//! Messages and tonic services, made by prost-build and tonic-prost-build from our descriptors.

use std::cell::RefCell;
use std::rc::Rc;

use prost_build::{Config, Module, Service, ServiceGenerator};
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::names;
use crate::schema::{is_any_value, is_timestamp};
use crate::{Capability, Problem, Source};

/// What prost and tonic make of a package.
pub struct Made {
    pub messages: String,
    /// The services with the Rust names of methods and messages.
    pub services: Vec<Service>,
    /// Clients and servers.
    pub tonic: String,
}

pub fn compile(source: &Source, capability: &Capability, runtime: &str) -> Result<Made, Problem> {
    let aside = Rc::new(RefCell::new(Aside::default()));
    let mut config = Config::new();
    config.extern_path(".google.protobuf.Struct", format!("{runtime}::Object"));
    config.extern_path(".google.protobuf.Value", format!("{runtime}::Json"));
    config.extern_path(".google.protobuf.ListValue", format!("{runtime}::List"));
    config.service_generator(Box::new(SetAside {
        tonic: tonic_prost_build::configure().build_transport(false).service_generator(),
        package: capability.package.clone(),
        aside: Rc::clone(&aside),
    }));
    let package = format!(".{}", capability.package);
    config.message_attribute(&package, "#[derive(::serde::Serialize, ::serde::Deserialize)]");
    config.message_attribute(&package, "#[serde(default, deny_unknown_fields)]");
    for message in capability.messages() {
        let name = format!(".{}", message.full_name());
        for field in message.fields() {
            // What may be null is always written.
            let nullable = source.field(&field).nullable || is_any(&field);
            if let Some(attribute) = json_form(&field, runtime).filter(|_| !nullable) {
                config.field_attribute(format!("{name}.{}", field.name()), attribute);
            }
        }
    }
    let module = Module::from_protobuf_package_name(&capability.package);
    let requests =
        source.protos.iter().map(|proto| (Module::from_protobuf_package_name(proto.package()), proto.clone()));
    let mut made = config.generate(requests.collect()).map_err(|error| {
        Problem::error(
            capability.place.clone(),
            format!("prost refuses the package: {error}"),
            "correct the proto files",
        )
    })?;
    let aside = aside.take();
    Ok(Made { messages: made.remove(&module).unwrap_or_default(), services: aside.services, tonic: aside.tonic })
}

/// How a field differs from what serde does by itself.
fn json_form(field: &FieldDescriptor, runtime: &str) -> Option<String> {
    let absent = "skip_serializing_if = \"Option::is_none\"";
    match field.kind() {
        Kind::Enum(list) => {
            // Nested messages live in modules, so the path starts at the package's own.
            let depth =
                std::iter::successors(Some(field.parent_message().clone()), MessageDescriptor::parent_message).count();
            let list = format!("{}{}", "super::".repeat(depth - 1), names::enumeration(&list));
            let (suffix, skip) = if field.is_list() {
                ("_list", String::new())
            } else if field.supports_presence() {
                ("_optional", format!(", {absent}"))
            } else {
                ("", format!(", skip_serializing_if = \"{runtime}::labels::is_unspecified\""))
            };
            Some(format!(
                "#[serde(serialize_with = \"{runtime}::labels::write{suffix}::<{list}, _>\", \
                 deserialize_with = \"{runtime}::labels::read{suffix}::<{list}, _>\"{skip})]"
            ))
        }
        Kind::Message(message) if is_timestamp(&message) && !field.is_list() => {
            Some(format!("#[serde(with = \"{runtime}::moment\", {absent})]"))
        }
        _ if field.supports_presence() && !field.is_list() && !in_oneof(field) => Some(format!("#[serde({absent})]")),
        _ => None,
    }
}

fn is_any(field: &FieldDescriptor) -> bool {
    matches!(field.kind(), Kind::Message(message) if is_any_value(&message))
}

fn in_oneof(field: &FieldDescriptor) -> bool {
    field.containing_oneof().is_some_and(|oneof| !oneof.is_synthetic())
}

/// What the service generator sees, kept out of the file of the messages.
#[derive(Default)]
struct Aside {
    services: Vec<Service>,
    tonic: String,
}

struct SetAside {
    tonic: Box<dyn ServiceGenerator>,
    /// Services of other packages are theirs to make.
    package: String,
    aside: Rc<RefCell<Aside>>,
}

impl ServiceGenerator for SetAside {
    fn generate(&mut self, service: Service, _: &mut String) {
        if service.package != self.package {
            return;
        }
        let mut aside = self.aside.borrow_mut();
        aside.services.push(service.clone());
        self.tonic.generate(service, &mut aside.tonic);
    }
}
