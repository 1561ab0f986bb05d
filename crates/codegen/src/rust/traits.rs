//! One plain async trait per service, and a stand-in for the services that a process does not have.

use std::fmt::Write as _;

use prost_build::{Comments, Method, Service};

pub fn traits(services: &[Service]) -> String {
    let mut code = String::new();
    for service in services {
        let name = &service.name;
        code += &documentation(&service.comments);
        writeln!(code, "pub trait {name}: Send + Sync {{").expect("a string takes any text");
        for method in &service.methods {
            code += &documentation(&method.comments);
            code += &signature(method);
            code += ";\n";
        }
        writeln!(code, "}}\n\nimpl<T: {name}> {name} for Arc<T> {{").expect("a string takes any text");
        for method in &service.methods {
            writeln!(code, "{} {{ T::{}(self, ctx, request) }}", signature(method), method.name)
                .expect("a string takes any text");
        }
        code += "}\n\n";
    }
    code += &absent(services);
    code
}

/// A type that refuses every method of every service.
fn absent(services: &[Service]) -> String {
    let mut code = "/// Stands for a service that this process does not have: every call is refused.\n\
         #[derive(Debug, Clone, Copy, Default)]\npub struct Absent;\n\n"
        .to_owned();
    for service in services {
        let name = &service.name;
        writeln!(code, "impl {name} for Absent {{").expect("a string takes any text");
        for method in &service.methods {
            let Method { name: method, input_type, output_type, .. } = method;
            writeln!(
                code,
                "async fn {method}(&self, _: &Context, _: {input_type}) -> Result<{output_type}, CallError> \
                 {{ Err(CallError::absent(\"{name}\")) }}"
            )
            .expect("a string takes any text");
        }
        code += "}\n\n";
    }
    code
}

fn signature(method: &Method) -> String {
    let Method { name, input_type, output_type, .. } = method;
    format!(
        "fn {name}(&self, ctx: &Context, request: {input_type}) \
         -> impl Future<Output = Result<{output_type}, CallError>> + Send"
    )
}

fn documentation(comments: &Comments) -> String {
    comments.leading.iter().map(|line| format!("///{line}\n")).collect()
}
