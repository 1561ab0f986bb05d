//! Templates, proposals and baselines.

use std::sync::Arc;

use contract::generated::transformation::{
    ApproveProposalRequest, CommitMode, CreateElementRequest, ElementType, ProposalWriteService,
    TransformationArchitectureWriteService,
};
use contract::{AuditDraft, Context, NoClient, RequestMeta, Verdict};
use scope::{Clock as _, Principal, RandomIds, Scope, SystemClock};
use serde_json::{Value, json};
use server::Platform;
use tokio_util::sync::CancellationToken;
use transformation::write::{ArchitectureWrite, ProposalWrite};

use crate::load::{Request, cpu_s};
use crate::report::{Report, median};
use crate::seed;
use crate::subject::chancery;

/// Elements of the model that a baseline is made of.
const BASELINE_ELEMENTS: usize = 10_000;

/// A capability with ten parts, over HTTP.
pub async fn templates(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let server = chancery(folder.path()).await?;
    let create = |call: usize| {
        let parts: Vec<String> = (0..10).map(|part| format!("Part {call} {part}")).collect();
        let arguments = json!({ "name": format!("Capability {call}"), "sub_capabilities": parts });
        Request::tool("transformation.createCapabilityStructure", &arguments)
    };
    let cost = server.load(8, if quick { 160 } else { 800 }, create).await?;
    let each = format!("{:.0} us each of 21", cost.cpu_us / 21.0);
    report.row("createCapabilityStructure with 10 parts", format!("{:.0} us CPU", cost.cpu_us), each);
    Ok(())
}

/// Somebody of this machine, without a door.
pub fn context(subject: &str) -> Context {
    Context {
        scope: Scope::local(),
        principal: Principal::local(subject),
        request: RequestMeta::default(),
        now: SystemClock.now(),
        ids: Arc::new(RandomIds),
        client: Arc::new(NoClient),
        cancelled: CancellationToken::new(),
        effect: None,
        verdict: Verdict::default(),
        audit: AuditDraft::default(),
    }
}

/// Filing and accepting, through the typed interface: accepting is not a tool.
pub async fn proposals(report: &mut Report, quick: bool) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let platform = Platform::open(&seed::config(folder.path())).await?;
    let settings = transformation::Config::default();
    let write = ArchitectureWrite::new(platform.ledger.clone(), &settings);
    let proposals = ProposalWrite::new(platform.ledger.clone(), &settings);
    let (author, reviewer) = (context("author"), context("reviewer"));
    let count = if quick { 100 } else { 500 };
    let before = cpu_s(std::process::id());
    let mut filed = Vec::with_capacity(count);
    for number in 0..count {
        let request = CreateElementRequest {
            r#type: ElementType::Capability.into(),
            name: format!("Capability {number}"),
            commit_mode: CommitMode::Propose.into(),
            ..Default::default()
        };
        let answer = write.create_element(&author, request).await?;
        filed.push(answer.proposal.map(|proposal| proposal.id).unwrap_or_default());
    }
    let between = cpu_s(std::process::id());
    for proposal_id in filed {
        proposals.approve_proposal(&reviewer, ApproveProposalRequest { proposal_id, ..Default::default() }).await?;
    }
    let after = cpu_s(std::process::id());
    #[expect(clippy::cast_precision_loss, reason = "a number of calls is small")]
    let per_call = |seconds: f64| seconds * 1e6 / count as f64;
    report.row("proposal filed, in process", format!("{:.0} us CPU", per_call(between - before)), String::new());
    report.row("proposal accepted, in process", format!("{:.0} us CPU", per_call(after - between)), String::new());
    Ok(())
}

/// A baseline of a whole model: made, published, read through; and the model as it was at a moment.
pub async fn baselines(report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (ledger, _) = seed::elements(folder.path(), BASELINE_ELEMENTS).await?;
    drop(ledger);
    let server = chancery(folder.path()).await?;
    let mut connection = server.connect().await?;
    let (mut made, mut promoted) = (Vec::new(), Vec::new());
    for number in 0..9 {
        let start = server.cpu_s();
        let create = Request::tool("transformation.createBaseline", &json!({ "name": format!("Release {number}") }));
        let answer: Value = serde_json::from_slice(&connection.call(&create).await?)?;
        let middle = server.cpu_s();
        let id = &answer["result"]["structuredContent"]["baseline"]["id"];
        connection.call(&Request::tool("transformation.promoteBaseline", &json!({ "baseline_id": id }))).await?;
        made.push((middle - start) * 1e6);
        promoted.push((server.cpu_s() - middle) * 1e6);
    }
    let what = |act: &str| format!("baseline of {BASELINE_ELEMENTS} elements, {act}");
    report.row(&what("create"), format!("{:.0} us CPU", median(made)), String::new());
    report.row(&what("promote"), format!("{:.0} us CPU", median(promoted)), String::new());
    // What is published lies in the past from now on.
    let now = SystemClock.now().to_string();
    let change = json!({ "type": "Node", "name": "Later" });
    connection.call(&Request::tool("transformation.createElement", &change)).await?;
    let list = |context: Value| {
        let arguments =
            json!({ "model_id": "default", "layer": "application", "page_size": 100, "read_context": context });
        move |_| Request::tool("transformation.listElements", &arguments)
    };
    let readings = [json!({ "selector": "published" }), json!({ "as_of": now })];
    let mut ratios = [Vec::new(), Vec::new()];
    let mut costs = [Vec::new(), Vec::new()];
    for _round in 0..9 {
        let head = server.load(4, 400, list(json!({ "selector": "head" }))).await?.cpu_us;
        for (position, reading) in readings.iter().enumerate() {
            let cost = server.load(4, 400, list(reading.clone())).await?.cpu_us;
            ratios[position].push(cost / head);
            costs[position].push(cost);
        }
    }
    let [published, as_of] = ratios.map(median);
    let [through, past] = costs.map(median);
    report.row(&what("list 100 through it"), format!("{through:.0} us CPU"), format!("{published:.2} of head"));
    report.row(&what("list 100 as_of"), format!("{past:.0} us CPU"), format!("{as_of:.2} of head"));
    Ok(())
}
