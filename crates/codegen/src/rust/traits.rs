//! One plain async trait per service.

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
