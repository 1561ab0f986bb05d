//! A small contract without faults, for tests that spoil it in one place.

use protox::Error;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use crate::{Capability, Problem, Source, check, options};

/// Lines are numbered in tests: leave their count alone.
pub const STUB: &str = r#"syntax = "proto3";
package stub.v1;
import "ameide/mcp/annotations.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
option (ameide.mcp.capability) = { name: "stub" title: "Stub" instructions: "Things." };
service ThingQueryService {
  // List things.
  rpc ListThings(ListThingsRequest) returns (ListThingsResponse) {
    option (ameide.mcp.expose) = { tool_name: "stub.listThings" title: "List things"
      hints: { read_only: true destructive: false idempotent: true }
      examples: { description: "Five" input: "{\"page_size\": 5}" } };
  }
  // Get a thing.
  rpc GetThing(GetThingRequest) returns (GetThingResponse) {
    option (ameide.mcp.resource) = { pattern: "thing/{thing_id}" title: "Thing" };
  }
  rpc InternalReconcile(GetThingRequest) returns (GetThingResponse);
}
service ThingWriteService {
  // Delete a thing.
  rpc DeleteThing(DeleteThingRequest) returns (GetThingResponse) {
    option (ameide.mcp.expose) = { tool_name: "stub.deleteThing" title: "Delete a thing"
      hints: { read_only: false destructive: true idempotent: true } confirm: "Delete {thing_id}?" };
  }
}
enum Colour {
  COLOUR_UNSPECIFIED = 0;
  DARK_RED = 1 [(ameide.mcp.value).label = "DarkRed"];
  BLUE = 2;
}
// A place in the world.
message Spot {
  string street = 1;
}
message ListThingsRequest {
  // How many,
  // at most.
  //
  // Not part of the description.
  uint32 page_size = 1 [(ameide.mcp.field) = { minimum: 1 maximum: 9 default: "3" }];
  repeated Colour colours = 2 [(ameide.mcp.field) = { max_items: 4 }];
  Spot near = 3;
  google.protobuf.Struct filter = 4;
  optional string since = 5 [(ameide.mcp.field) = { format: "date-time" }];
  string internal_note = 6 [(ameide.mcp.field) = { hidden: true }];
}
message Thing {
  option (ameide.mcp.entity).uri = "stub://thing/{id}";
  string id = 1;
  Colour colour = 2;
  optional int64 weight = 3;
  google.protobuf.Timestamp made_at = 4;
}
message ListThingsResponse {
  repeated Thing things = 1;
}
message GetThingRequest {
  string thing_id = 1 [(ameide.mcp.field) = { required: true }];
}
message GetThingResponse {
  Thing thing = 1;
  bool found = 2;
}
message DeleteThingRequest {
  string thing_id = 1 [(ameide.mcp.field) = { required: true pattern: "^[a-z]+$" }];
  optional string client_request_id = 2;
}
"#;

/// The stub with one piece of text replaced.
#[track_caller]
pub fn changed(from: &str, to: &str) -> String {
    assert!(STUB.contains(from), "the stub does not contain {from:?}");
    STUB.replacen(from, to, 1)
}

/// Compiles one proto file called `stub.proto`.
pub fn source(text: &str) -> Result<Source, Problem> {
    let mut resolver = ChainFileResolver::new();
    resolver.add(GoogleFileResolver::new());
    resolver.add(OneFile(text.to_owned()));
    Source::resolve(vec!["stub.proto".to_owned()], resolver)
}

/// The capabilities of a proto file, and everything that is wrong with them.
#[track_caller]
pub fn compiled(text: &str) -> (Source, Vec<Capability>, Vec<Problem>) {
    let source = source(text).unwrap();
    let mut problems = Vec::new();
    let capabilities = Capability::all(&source, options::EXPOSE, &mut problems);
    problems.extend(check::check(&source, &capabilities));
    (source, capabilities, problems)
}

struct OneFile(String);

impl FileResolver for OneFile {
    fn open_file(&self, name: &str) -> Result<File, Error> {
        match name {
            "stub.proto" => File::from_source(name, &self.0),
            "ameide/mcp/annotations.proto" => {
                File::from_source(name, include_str!("../../../proto/ameide/mcp/annotations.proto"))
            }
            other => Err(Error::file_not_found(other)),
        }
    }
}
