//! From a tool name and JSON, or a URI, to a method of a service.

use std::fmt::Write as _;

use prost_build::Service;

use super::names;
use crate::Capability;
use crate::check::braced;

/// The struct `Services`, generic over the services that MCP can reach.
pub fn dispatcher(capability: &Capability, made: &[Service]) -> String {
    let services: Vec<_> =
        capability.reachable().filter_map(|service| rust_service(made, service.descriptor.name())).collect();
    let letters: Vec<String> = (0..services.len()).map(letter).collect();
    let bounds: Vec<_> =
        services.iter().zip(&letters).map(|(made, letter)| format!("{letter}: {}", made.name)).collect();
    let fields: String = services
        .iter()
        .zip(&letters)
        .map(|(made, letter)| format!("pub {}: {letter},\n", names::service_field(&made.proto_name)))
        .collect();
    let (letters, bounds) = (letters.join(", "), bounds.join(", "));
    format!(
        "/// The services that MCP reaches.\n\
         #[derive(Debug, Clone, Default)]\n\
         pub struct Services<{letters}> {{\n{fields}}}\n\n\
         impl<{bounds}> Services<{letters}> {{\n{}\n{}\n}}\n\n",
        call(capability, made),
        read(capability, made),
    )
}

fn call(capability: &Capability, made: &[Service]) -> String {
    let mut arms = String::new();
    for (service, method, stated) in capability.tools() {
        let Some(target) = target(made, service.descriptor.name(), method.descriptor.name()) else { continue };
        write!(
            arms,
            "{:?} => {{\nlet response = self.{}.{}(ctx, dispatch::request(arguments)?).await?;\n\
             Ok(dispatch::answer(&response))\n}}\n",
            stated.tool_name, target.field, target.method,
        )
        .expect("a string takes any text");
    }
    format!(
        "/// Calls a tool by its canonical name. The arguments have passed its schema.\n\
         pub async fn call(&self, ctx: &Context, tool: &str, arguments: ::serde_json::Map<String, ::serde_json::Value>) \
         -> Result<Answer, CallError> {{\n\
         match tool {{\n{arms}\
         _ => Err(CallError::new(ErrorKind::NotFound, \"TOOL_NOT_FOUND\", format!(\"there is no tool {{tool}}\"))),\n}}\n}}\n"
    )
}

fn read(capability: &Capability, made: &[Service]) -> String {
    let mut attempts = String::new();
    for (service, method, stated) in capability.resources() {
        let Some(target) = target(made, service.descriptor.name(), method.descriptor.name()) else { continue };
        let name = braced(&stated.pattern).into_iter().next().unwrap_or_default();
        let field = names::field(&name);
        let optional =
            method.descriptor.input().get_field_by_name(&name).is_some_and(|field| field.supports_presence());
        let value = if optional { "Some(value)" } else { "value" };
        write!(
            attempts,
            "if let Some(value) = dispatch::resource_argument({:?}, {:?}, uri) {{\n\
             let request = {} {{ {field}: {value}, ..Default::default() }};\n\
             let response = self.{}.{}(ctx, request).await?;\nreturn Ok(dispatch::body(&response));\n}}\n",
            capability.name, stated.pattern, target.input, target.field, target.method,
        )
        .expect("a string takes any text");
    }
    let ctx = if attempts.is_empty() { "_ctx" } else { "ctx" };
    format!(
        "/// Reads a resource by its URI.\n\
         pub async fn read(&self, {ctx}: &Context, uri: &str) -> Result<Blob, CallError> {{\n{attempts}\
         Err(CallError::new(ErrorKind::NotFound, \"RESOURCE_NOT_FOUND\", format!(\"there is no resource {{uri}}\")))\n}}\n"
    )
}

struct Target {
    field: String,
    method: String,
    input: String,
}

fn target(made: &[Service], service: &str, method: &str) -> Option<Target> {
    let service = rust_service(made, service)?;
    let method = service.methods.iter().find(|candidate| candidate.proto_name == method)?;
    Some(Target {
        field: names::service_field(&service.proto_name),
        method: method.name.clone(),
        input: method.input_type.clone(),
    })
}

fn rust_service<'a>(made: &'a [Service], name: &str) -> Option<&'a Service> {
    made.iter().find(|service| service.proto_name == name)
}

/// A, B … Z, then T26, T27 and so on.
fn letter(index: usize) -> String {
    match u8::try_from(index) {
        Ok(small @ 0..26) => char::from(b'A' + small).to_string(),
        _ => format!("T{index}"),
    }
}
