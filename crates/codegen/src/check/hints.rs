//! Hints, and that they agree with the side of the service (534 §6.4).

use super::{braced, called};
use crate::capability::Side;
use crate::tool::Tool;
use crate::{Place, Problem};

/// The argument that makes retries of a write safe.
const EFFECT_KEY: &str = "client_request_id";

pub fn check(tool: &Tool<'_>, problems: &mut Vec<Problem>) {
    let mut found = Faults { place: &tool.place, problems };
    stated(tool, &mut found);
    sides(tool, &mut found);
    confirmation(tool, &mut found);
    let descriptor = &tool.method.descriptor;
    if descriptor.is_client_streaming() || descriptor.is_server_streaming() {
        found.report(format!("tool {} streams", tool.name()), "return one message, with pages if it is long");
    }
}

/// Collects the faults of one tool at its place.
struct Faults<'a> {
    place: &'a Place,
    problems: &'a mut Vec<Problem>,
}

impl Faults<'_> {
    fn report(&mut self, message: String, fix: &str) {
        self.problems.push(Problem::error(self.place.clone(), message, fix));
    }
}

fn stated(tool: &Tool<'_>, found: &mut Faults<'_>) {
    let hints = tool.hints();
    let all = [("read_only", hints.read_only), ("destructive", hints.destructive), ("idempotent", hints.idempotent)];
    let missing: Vec<_> = all.iter().filter(|(_, value)| value.is_none()).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        let fix = "state read_only, destructive and idempotent in hints";
        found.report(format!("tool {} does not state {}", tool.name(), missing.join(", ")), fix);
    }
}

fn sides(tool: &Tool<'_>, found: &mut Faults<'_>) {
    let (name, hints) = (tool.name(), tool.hints());
    match tool.side {
        None => found.report(
            format!(
                "tool {name} is in {}, which is neither query nor command",
                tool.method.descriptor.parent_service().name()
            ),
            "end the service's name in QueryService or WriteService",
        ),
        Some(Side::Query) if hints.read_only == Some(false) || hints.destructive() => found.report(
            format!("tool {name} is a query and says that it changes something"),
            "set read_only: true and destructive: false, or move it to a WriteService",
        ),
        Some(Side::Command) if hints.read_only() => found.report(
            format!("tool {name} is a command and says that it is read-only"),
            "set read_only: false, or move it to a QueryService",
        ),
        Some(_) => {}
    }
    if tool.side == Some(Side::Command) && tool.method.descriptor.input().get_field_by_name(EFFECT_KEY).is_none() {
        found.report(
            format!("tool {name} writes and takes no {EFFECT_KEY}"),
            "add optional string client_request_id to the request",
        );
    }
}

fn confirmation(tool: &Tool<'_>, found: &mut Faults<'_>) {
    if tool.hints().destructive() && tool.stated.confirm.is_empty() {
        found.report(
            format!("tool {} is destructive and asks nobody", called(tool.method)),
            "state the question in confirm",
        );
    }
    for name in braced(&tool.stated.confirm) {
        if !tool.input["properties"].as_object().is_some_and(|fields| fields.contains_key(&name)) {
            found.report(
                format!("confirm of {} names {{{name}}}, which is no argument", called(tool.method)),
                "use the name of an argument",
            );
        }
    }
}
