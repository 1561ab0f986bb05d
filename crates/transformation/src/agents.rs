//! The agents that a tenant has defined, as the doors ask for them.

use contract::agent::{AgentTools, Agents, DefinedAgent};
use contract::{CallError, Context};
use futures::future::BoxFuture;
use ledger::{Find, Page, SharedLedger};
use scope::{Scope, TenantId};
use serde_json::Value;

use crate::Error;
use crate::domain::definition::agent::AgentDefinition;
use crate::domain::definition::{Definition, Kind};
use crate::domain::{Name, Stored};
use crate::projection::Snapshot;

/// Definitions in the ledger.
pub struct Definitions {
    ledger: SharedLedger,
    /// The context of work that nobody asked for.
    own: Context,
}

impl Definitions {
    pub fn new(ledger: SharedLedger, own: Context) -> Self {
        Self { ledger, own }
    }

    fn context(&self, tenant: &TenantId) -> Context {
        Context { scope: Scope { tenant: tenant.clone(), ..Scope::local() }, ..self.own.clone() }
    }

    async fn tools_of(&self, tenant: &TenantId, name: &str) -> Result<Option<AgentTools>, Error> {
        let ctx = self.context(tenant);
        let snapshot = Snapshot::head(self.ledger.as_ref(), &ctx).await?;
        let Ok(name) = Name::new("name", name) else { return Ok(None) };
        match snapshot.definition_of(Kind::Agent, &name).await? {
            Some(found) => tools(&found),
            None => Ok(None),
        }
    }

    async fn defined(&self, tenant: &TenantId) -> Result<Vec<DefinedAgent>, Error> {
        let ctx = self.context(tenant);
        let snapshot = Snapshot::head(self.ledger.as_ref(), &ctx).await?;
        let mut find = Find { r#type: Some(Kind::Agent.label().to_owned()), ..snapshot.all_definitions() };
        let mut all = Vec::new();
        loop {
            let page: Page<Stored<Definition>> = snapshot.page(find.clone()).await?;
            for found in &page.items {
                let counts = tools(found)?;
                let (promoted, tools) = (counts.is_some(), counts.unwrap_or_default());
                all.push(DefinedAgent { name: found.name.to_string(), tools, promoted });
            }
            match page.next {
                Some(next) => find.after = Some(next),
                None => return Ok(all),
            }
        }
    }
}

/// What counts of a definition leaves these tools; `None` when nothing of it counts.
fn tools(found: &Definition) -> Result<Option<AgentTools>, Error> {
    let Some(payload) = found.promoted_content() else { return Ok(None) };
    let payload = serde_json::to_value(payload).unwrap_or(Value::Null);
    Ok(Some(AgentDefinition::parse(&payload)?.tools))
}

impl Agents for Definitions {
    fn find<'a>(&'a self, tenant: &'a TenantId, name: &'a str) -> BoxFuture<'a, Result<Option<AgentTools>, CallError>> {
        Box::pin(async move { Ok(self.tools_of(tenant, name).await?) })
    }

    fn all<'a>(&'a self, tenant: &'a TenantId) -> BoxFuture<'a, Result<Vec<DefinedAgent>, CallError>> {
        Box::pin(async move { Ok(self.defined(tenant).await?) })
    }
}
