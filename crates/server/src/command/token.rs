//! `chancery token`: tokens for those who have no issuer.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Subcommand;
use gate::issued::{Grant, Issued};
use scope::{Clock as _, PrincipalKind, Scope, SystemClock, TenantId};

use super::output;
use crate::{Config, MODULES};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
const DAYS_MAX: i64 = 366;

/// What to do about tokens.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Print a new token. It is shown once and kept nowhere.
    Issue {
        /// Whose it is: a person, or what runs a script.
        name: String,
        /// What its holder may do; may be given several times.
        #[arg(long, default_value = "viewer", value_parser = ["admin", "curator", "architect", "contributor", "analyst", "viewer", "gm", "service"])]
        role: Vec<String>,
        /// Scopes, in place of those that go with the role.
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<String>,
        /// The tenant; that of this machine when it is not given.
        #[arg(long)]
        tenant: Option<String>,
        /// The only capability whose endpoint it opens; may be given several times.
        #[arg(long = "capability", value_name = "NAME")]
        capabilities: Vec<String>,
        /// For an agent that acts for the named person.
        #[arg(long)]
        agent: bool,
        /// The type of agent that it may act as, such as Narrator; may be given several times.
        #[arg(long = "agent-type", value_name = "TYPE")]
        agent_types: Vec<String>,
        /// The definition of the agent that shows it, which says what it may call.
        #[arg(long, value_name = "NAME")]
        definition: Option<String>,
        /// After how many days it ends.
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(i64).range(1..=DAYS_MAX))]
        days: i64,
    },
    /// Print the tokens that are good or were, without their secrets.
    List,
    /// Make a token useless at once, also in a server that runs.
    Revoke {
        /// As `chancery token list` shows it.
        id: String,
    },
}

pub fn run(action: Action, config: &Config) -> anyhow::Result<ExitCode> {
    let issued = Issued::at(&config.data);
    match action {
        Action::Issue { name, role, scopes, tenant, capabilities, agent, agent_types, definition, days } => {
            check(&name, &capabilities)?;
            let now = SystemClock.now();
            let grant = Grant {
                subject: name,
                kind: kind_of(agent, &role, definition.is_some()),
                tenant: tenant.map_or_else(|| Ok(Scope::local().tenant), TenantId::new)?,
                scopes: if scopes.is_empty() { role.iter().flat_map(|role| scopes_of(role)).collect() } else { scopes }
                    .into_iter()
                    .collect(),
                roles: role.into_iter().collect(),
                agents: agent_types.into_iter().collect(),
                endpoints: capabilities.into_iter().collect(),
                issued: now,
                expires: now.plus_micros(days * DAY_US),
                definition,
            };
            let (id, token) = issued.issue(grant).context("the token could not be stored")?;
            output::note(&format!("token {id}, good for {days} days; it is shown only now"));
            output::line(&token)?;
        }
        Action::List => {
            for (id, grant) in issued.list()? {
                let Grant { subject, tenant, roles, scopes, expires, .. } = grant;
                let words = |words: std::collections::BTreeSet<String>| words.into_iter().collect::<Vec<_>>().join(" ");
                let (roles, scopes) = (words(roles), words(scopes));
                let state = if expires <= SystemClock.now() { "ended" } else { "ends" };
                output::line(&format!("{id}  {subject}  {tenant}  {roles}  [{scopes}]  {state} {expires}"))?;
            }
        }
        Action::Revoke { id } => {
            if !issued.revoke(&id)? {
                bail!("there is no token {id}; `chancery token list` shows them");
            }
            output::note(&format!("token {id} is revoked"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Somebody with the role of services is one, and so is whatever has a definition and acts for nobody.
fn kind_of(agent: bool, roles: &[String], is_defined: bool) -> PrincipalKind {
    if agent {
        PrincipalKind::Agent
    } else if is_defined || roles.iter().any(|role| role == "service") {
        PrincipalKind::Service
    } else {
        PrincipalKind::User
    }
}

/// A name becomes part of an identity, where `/` and `|` set parts apart.
fn check(name: &str, capabilities: &[String]) -> anyhow::Result<()> {
    let is_plain = |char: char| !char.is_control() && !matches!(char, '/' | '|');
    if name.trim().is_empty() || name.chars().count() > 64 || !name.chars().all(is_plain) {
        bail!("{name:?} is no name; give at most 64 characters, without / and |");
    }
    let is_known = |wanted: &String| MODULES.iter().any(|module| module.name() == wanted);
    if let Some(unknown) = capabilities.iter().find(|name| !is_known(name)) {
        let names: Vec<&str> = MODULES.iter().map(|module| module.name()).collect();
        bail!("there is no capability {unknown}; there is {}", names.join(", "));
    }
    Ok(())
}

/// Those who may write may also commit what policy lets them.
fn scopes_of(role: &str) -> Vec<String> {
    let usual = ["mcp:tools", "mcp:resources"].map(str::to_owned).into_iter();
    let reads_only = matches!(role, "viewer" | "analyst");
    let writes = MODULES.iter().filter(|_| !reads_only).map(|module| format!("{}:write", module.name()));
    usual.chain(writes).collect()
}
