//! gRPC: tonic's clients and servers, and the adapter that serves a plain service over tonic.

use std::fmt::Write as _;

use prost_build::Service;

use super::messages::Made;
use crate::Capability;

pub fn glue(capability: &Capability, made: &Made, runtime: &str) -> String {
    let adapters: String = made.services.iter().map(|service| adapter(service, runtime)).collect();
    let name = &capability.name;
    format!(
        "#![allow(clippy::all, clippy::pedantic, missing_docs, rustdoc::all)]\n\n\
         use std::sync::Arc;\n\nuse super::*;\n\n\
         /// Serves a service of {name} over gRPC: wrap it in this and give it to the generated server.\n\
         pub struct Grpc<S>(pub Arc<S>);\n\n\
         impl<S> Clone for Grpc<S> {{\nfn clone(&self) -> Self {{\nSelf(Arc::clone(&self.0))\n}}\n}}\n\n\
         {adapters}{}",
        made.tonic
    )
}

fn adapter(service: &Service, runtime: &str) -> String {
    let name = &service.name;
    // tonic names its modules after the service in snake case.
    let module = format!("{}_server", heck::ToSnakeCase::to_snake_case(name.as_str()));
    let mut methods = String::new();
    for method in &service.methods {
        let (method, input, output) = (&method.name, &method.input_type, &method.output_type);
        write!(
            methods,
            "async fn {method}(&self, request: ::tonic::Request<{input}>) \
             -> Result<::tonic::Response<{output}>, ::tonic::Status> {{\n\
             let (ctx, request) = {runtime}::grpc::arrived(request)?;\n\
             let response = self.0.{method}(&ctx, request).await.map_err({runtime}::grpc::status)?;\n\
             Ok(::tonic::Response::new(response))\n}}\n"
        )
        .expect("a string takes any text");
    }
    format!("#[::tonic::async_trait]\nimpl<S: {name} + 'static> {module}::{name} for Grpc<S> {{\n{methods}}}\n\n")
}
