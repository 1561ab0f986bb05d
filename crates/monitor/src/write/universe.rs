//! Writes of universes, of what they are taken from, and of their laws.

use contract::generated::monitor::{
    self as proto, CreateAxiomRequest, CreateAxiomResponse, CreateMultiverseRequest, CreateMultiverseResponse,
    CreateSourceRequest, CreateSourceResponse, CreateUniverseRequest, CreateUniverseResponse, UniverseWriteService,
};
use contract::{CallError, Context};
use desk::Stored;
use ledger::Expectation;

use super::direct::evidence_resolves;
use super::entity::decision;
use super::{Decision, Write, receipt};
use crate::Error;
use crate::domain::fact::{Fact, Happening};
use crate::domain::node::{Axiom, Multiverse, Source, Universe};
use crate::domain::policy::{self, Case, Reason};
use crate::domain::row::{Row, kind};
use crate::domain::words::{Authority, CanonLevel, SourceLevel, SourceType};
use crate::domain::{check, limit};
use crate::error::Flaws;
use crate::projection::message::{self, number, word};

impl UniverseWriteService for Write {
    async fn create_multiverse(
        &self,
        ctx: &Context,
        request: CreateMultiverseRequest,
    ) -> Result<CreateMultiverseResponse, CallError> {
        let decide = || async { self.new_multiverse(ctx, &request) };
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn create_universe(
        &self,
        ctx: &Context,
        request: CreateUniverseRequest,
    ) -> Result<CreateUniverseResponse, CallError> {
        let decide = || self.new_universe(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn create_source(
        &self,
        ctx: &Context,
        request: CreateSourceRequest,
    ) -> Result<CreateSourceResponse, CallError> {
        let decide = || self.new_source(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn create_axiom(&self, ctx: &Context, request: CreateAxiomRequest) -> Result<CreateAxiomResponse, CallError> {
        let decide = || self.new_axiom(ctx, &request);
        Ok(self.recorder.once(ctx, decide).await?)
    }
}

impl Write {
    fn new_multiverse(
        &self,
        ctx: &Context,
        request: &CreateMultiverseRequest,
    ) -> Result<Decision<CreateMultiverseResponse>, Error> {
        let mut flaws = Flaws::default();
        let name = flaws.check(check::name("name", &request.name));
        let system_name = check::optional("system_name", request.system_name.as_deref(), limit::NAME_CHARS_MAX);
        let system_name = flaws.check(system_name);
        let description = check::optional("description", request.description.as_deref(), limit::DESCRIPTION_CHARS_MAX);
        let description = flaws.check(description);
        flaws.refuse()?;
        let row = Multiverse { multiverse_id: ctx.ids.next(), name, system_name, description, created_at: ctx.now };
        let answer = CreateMultiverseResponse {
            multiverse_id: row.multiverse_id.clone(),
            created_at: row.created_at.to_string(),
            multiverse: Some(message::multiverse(&row)),
            receipt: receipt(),
        };
        Ok(decision(Happening::MultiverseCreated, vec![Row::Multiverse(row)], Vec::new(), answer))
    }

    async fn new_universe(
        &self,
        ctx: &Context,
        request: &CreateUniverseRequest,
    ) -> Result<Decision<CreateUniverseResponse>, Error> {
        let mut flaws = Flaws::default();
        let name = flaws.check(check::name("name", &request.name));
        let description = check::optional("description", request.description.as_deref(), limit::DESCRIPTION_CHARS_MAX);
        let description = flaws.check(description);
        let genre = flaws.check(check::optional("genre", request.genre.as_deref(), limit::NAME_CHARS_MAX));
        let tone = flaws.check(check::optional("tone", request.tone.as_deref(), limit::NAME_CHARS_MAX));
        let tech_level = check::optional("tech_level", request.tech_level.as_deref(), limit::NAME_CHARS_MAX);
        let tech_level = flaws.check(tech_level);
        flaws.refuse()?;
        let (multiverse, expectations) = self.multiverse(ctx, request.multiverse_id.as_deref(), &name).await?;
        let universe = Universe {
            universe_id: ctx.ids.next(),
            multiverse_id: multiverse.0.clone(),
            name,
            description,
            genre,
            tone,
            tech_level,
            authority: world_authority(request.authority),
            canon_level: CanonLevel::Canon,
            confidence: 1.0,
            created_at: ctx.now,
        };
        let answer = CreateUniverseResponse {
            universe_id: universe.universe_id.clone(),
            multiverse_id: multiverse.0,
            canon_level: number::<proto::CanonLevel>(universe.canon_level.as_str()),
            created_at: universe.created_at.to_string(),
            universe: Some(message::universe(&universe)),
            receipt: receipt(),
        };
        let mut decision = decision(Happening::UniverseCreated, vec![Row::Universe(universe)], expectations, answer);
        if let Some(new) = multiverse.1 {
            decision.facts.insert(0, Fact::new(Happening::MultiverseCreated, vec![Row::Multiverse(new)]));
        }
        Ok(decision)
    }

    /// The multiverse that is named, or a new one.
    async fn multiverse(
        &self,
        ctx: &Context,
        id: Option<&str>,
        name: &str,
    ) -> Result<((String, Option<Multiverse>), Vec<Expectation>), Error> {
        if let Some(id) = id {
            let what = ("multiverse_id", "multiverse");
            let found: Stored<Multiverse> = self.reader(ctx).get(kind::MULTIVERSE, what, id).await?;
            let expectation = Expectation::Exists { key: found.key.clone() };
            return Ok(((found.into_row().multiverse_id, None), vec![expectation]));
        }
        let new = Multiverse {
            multiverse_id: ctx.ids.next(),
            name: name.to_owned(),
            system_name: String::new(),
            description: String::new(),
            created_at: ctx.now,
        };
        Ok(((new.multiverse_id.clone(), Some(new)), Vec::new()))
    }

    async fn new_source(
        &self,
        ctx: &Context,
        request: &CreateSourceRequest,
    ) -> Result<Decision<CreateSourceResponse>, Error> {
        let mut flaws = Flaws::default();
        let doc_id = flaws.check(check::text("doc_id", &request.doc_id, limit::NAME_CHARS_MAX));
        let title = flaws.check(check::name("title", &request.title));
        let edition = flaws.check(check::optional("edition", request.edition.as_deref(), limit::NAME_CHARS_MAX));
        let provenance = check::optional("provenance", request.provenance.as_deref(), limit::DESCRIPTION_CHARS_MAX);
        let provenance = flaws.check(provenance);
        flaws.refuse()?;
        let universe = self.reader(ctx).universe("universe_id", &request.universe_id).await?;
        let expectations = vec![Expectation::Exists { key: universe.key.clone() }];
        let source = Source {
            source_id: ctx.ids.next(),
            universe_id: universe.into_row().universe_id,
            doc_id,
            title,
            edition,
            provenance,
            source_type: SourceType::of(word::<proto::SourceType>(request.source_type)).unwrap_or_default(),
            canon_level: SourceLevel::of(word::<proto::SourceCanonLevel>(request.canon_level)).unwrap_or_default(),
            created_at: ctx.now,
        };
        let answer = CreateSourceResponse {
            source_id: source.source_id.clone(),
            canon_level: request.canon_level,
            created_at: source.created_at.to_string(),
            source: Some(message::source(&source)),
            receipt: receipt(),
        };
        Ok(decision(Happening::SourceCreated, vec![Row::Source(source)], expectations, answer))
    }

    async fn new_axiom(
        &self,
        ctx: &Context,
        request: &CreateAxiomRequest,
    ) -> Result<Decision<CreateAxiomResponse>, Error> {
        let mut flaws = Flaws::default();
        let statement = flaws.check(check::text("statement", &request.statement, limit::STATEMENT_CHARS_MAX));
        let domain = flaws.check(check::optional("domain", request.domain.as_deref(), limit::NAME_CHARS_MAX));
        let confidence = flaws.check(check::confidence("confidence", request.confidence));
        let evidence = flaws.check(check::evidence("evidence_refs", &request.evidence_refs));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let universe = reader.universe("universe_id", &request.universe_id).await?;
        evidence_resolves(&reader, &universe.universe_id, &evidence).await?;
        let authority = world_authority(request.authority);
        let axiom = Axiom {
            axiom_id: ctx.ids.next(),
            universe_id: universe.universe_id.clone(),
            statement,
            domain: domain.to_lowercase(),
            confidence,
            authority,
            canon_level: self.level(ctx, authority, confidence),
            evidence_refs: evidence.iter().map(|one| format!("{}:{}", one.r#type, one.ref_id)).collect(),
            created_at: ctx.now,
        };
        let answer = CreateAxiomResponse {
            axiom_id: axiom.axiom_id.clone(),
            canon_level: number::<proto::CanonLevel>(axiom.canon_level.as_str()),
            created_at: axiom.created_at.to_string(),
            axiom: Some(message::axiom(&axiom)),
            receipt: receipt(),
        };
        let expectations = vec![Expectation::Exists { key: universe.key }];
        Ok(decision(Happening::AxiomCreated, vec![Row::Axiom(axiom)], expectations, answer))
    }

    /// The level that the policy gives to what names its evidence and contradicts nothing.
    fn level(&self, ctx: &Context, authority: Authority, confidence: f64) -> CanonLevel {
        let is_vouched = ctx.principal.roles.contains("gm");
        let case = Case { authority, confidence, has_evidence: true, is_vouched, ..Case::default() };
        match policy::judge(&self.config.policy, &case).reason {
            Reason::BelowThreshold => CanonLevel::Proposed,
            _ => CanonLevel::Canon,
        }
    }
}

fn world_authority(number: i32) -> Authority {
    Authority::of(word::<proto::WorldAuthority>(number)).unwrap_or_default()
}
