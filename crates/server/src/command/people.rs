//! `chancery tenants` and `chancery users`: who works here, and with which roles.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;
use gate::people::{People, Person, Tenant};
use ledger::{At, Ledger as _};
use scope::{Clock as _, Scope, SystemClock, TenantId};

use super::output;
use crate::{Config, MODULES, platform};

/// What to do about tenants.
#[derive(Debug, Subcommand)]
pub enum TenantsAction {
    /// Print the tenants that have data or are known.
    List,
    /// Make a tenant known.
    Add {
        id: String,
        /// What it is called.
        #[arg(long, default_value = "")]
        title: String,
    },
    /// Keep everybody of a tenant out, at once. Nothing of it is lost.
    Suspend { id: String },
    /// Let them in again.
    Resume { id: String },
}

/// What to do about people.
#[derive(Debug, Subcommand)]
pub enum UsersAction {
    /// Print the people of a tenant, or of all.
    List {
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Give somebody roles in a tenant, in place of those in their tokens.
    Add {
        /// The subject of their tokens (`sub`).
        subject: String,
        #[arg(long)]
        tenant: Option<String>,
        /// May be given several times; without, they keep the roles in their tokens.
        #[arg(long = "role", value_name = "ROLE", value_parser = ["admin", "curator", "architect", "contributor", "analyst", "viewer", "gm", "guest", "service"])]
        roles: Vec<String>,
        /// Who issues their tokens; the first configured issuer, or this server when there is none.
        #[arg(long)]
        issuer: Option<String>,
    },
    /// Keep somebody out of a tenant, at once, whatever their tokens say.
    Suspend {
        subject: String,
        #[arg(long)]
        tenant: Option<String>,
        #[arg(long)]
        issuer: Option<String>,
    },
    /// Let them in again.
    Resume {
        subject: String,
        #[arg(long)]
        tenant: Option<String>,
        #[arg(long)]
        issuer: Option<String>,
    },
    /// Forget somebody: what their tokens say counts again, where tokens are enough.
    Remove {
        subject: String,
        #[arg(long)]
        tenant: Option<String>,
        #[arg(long)]
        issuer: Option<String>,
    },
}

pub async fn tenants(config: &Config, action: TenantsAction) -> anyhow::Result<ExitCode> {
    let (people, now) = (People::at(&config.data), SystemClock.now());
    match action {
        TenantsAction::List => list_tenants(config, &people).await?,
        TenantsAction::Add { id, title } => {
            let tenant = people.change(&TenantId::new(id)?, now, |tenant| tenant.title = title)?;
            output::line(&line(&tenant, None))?;
        }
        TenantsAction::Suspend { id } => suspend(config, &people, &id, true).await?,
        TenantsAction::Resume { id } => suspend(config, &people, &id, false).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list_tenants(config: &Config, people: &People) -> anyhow::Result<()> {
    let ledger = platform::open_ledger(config, MODULES)?;
    let mut known: Vec<Tenant> = people.tenants()?;
    for id in ledger.tenants().await? {
        if !known.iter().any(|tenant| tenant.id == id) {
            known.push(Tenant::new(id, scope::Timestamp(0)));
        }
    }
    known.sort_by(|left, right| left.id.cmp(&right.id));
    for tenant in known {
        let facts = ledger.point(&tenant.id, At::Head).await?;
        output::line(&line(&tenant, Some(facts)))?;
    }
    Ok(())
}

fn line(tenant: &Tenant, facts: Option<u64>) -> String {
    let Tenant { id, title, suspended, people, .. } = tenant;
    let facts = facts.map(|facts| format!("  {facts} facts")).unwrap_or_default();
    let state = if *suspended { "suspended" } else { "active" };
    let title = if title.is_empty() { String::new() } else { format!("  {title}") };
    format!("{id}  {state}{facts}  {} people{title}", people.len())
}

async fn suspend(config: &Config, people: &People, id: &str, suspended: bool) -> anyhow::Result<()> {
    let id = TenantId::new(id)?;
    let ledger = platform::open_ledger(config, MODULES)?;
    if people.tenant(&id).is_none() && !ledger.tenants().await?.contains(&id) {
        bail!("there is no tenant {id}; `chancery tenants list` shows them");
    }
    let tenant = people.change(&id, SystemClock.now(), |tenant| tenant.suspended = suspended)?;
    output::line(&line(&tenant, None))?;
    Ok(())
}

pub fn users(config: &Config, action: UsersAction) -> anyhow::Result<ExitCode> {
    let (people, now) = (People::at(&config.data), SystemClock.now());
    match action {
        UsersAction::List { tenant } => {
            let wanted = tenant.map(TenantId::new).transpose()?;
            for tenant in people.tenants()?.iter().filter(|tenant| wanted.as_ref().is_none_or(|id| tenant.id == *id)) {
                for (who, person) in &tenant.people {
                    output::line(&person_line(&tenant.id, who, person))?;
                }
            }
        }
        UsersAction::Add { subject, tenant, roles, issuer } => {
            let (id, who) = place(config, tenant, issuer, &subject)?;
            let roles: BTreeSet<String> = roles.into_iter().collect();
            let tenant = people.change(&id, now, |tenant| {
                let since = tenant.people.get(&who).map_or(now, |person| person.since);
                tenant.people.insert(who.clone(), Person { roles, suspended: false, since, listed: true });
            })?;
            output::line(&person_line(&id, &who, &tenant.people[&who]))?;
        }
        UsersAction::Suspend { subject, tenant, issuer } => set(config, (tenant, issuer, &subject), true)?,
        UsersAction::Resume { subject, tenant, issuer } => set(config, (tenant, issuer, &subject), false)?,
        UsersAction::Remove { subject, tenant, issuer } => {
            let (id, who) = place(config, tenant, issuer, &subject)?;
            known(&people, &id, &who)?;
            people.change(&id, now, |tenant| drop(tenant.people.remove(&who)))?;
            output::note(&format!("{who} is forgotten in {id}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Somebody who is suspended need not have come yet.
fn set(
    config: &Config,
    (tenant, issuer, subject): (Option<String>, Option<String>, &str),
    suspended: bool,
) -> anyhow::Result<()> {
    let (people, now) = (People::at(&config.data), SystemClock.now());
    let (id, who) = place(config, tenant, issuer, subject)?;
    if !suspended {
        known(&people, &id, &who)?;
    }
    let tenant = people.change(&id, now, |tenant| {
        let fresh = Person { roles: BTreeSet::new(), suspended, since: now, listed: false };
        tenant.people.entry(who.clone()).or_insert(fresh).suspended = suspended;
    })?;
    output::line(&person_line(&id, &who, &tenant.people[&who]))?;
    Ok(())
}

fn known(people: &People, id: &TenantId, who: &str) -> anyhow::Result<()> {
    let found = people.tenant(id).is_some_and(|tenant| tenant.people.contains_key(who));
    if found { Ok(()) } else { bail!("nobody is known as {who} in {id}; `chancery users list` shows them") }
}

fn place(
    config: &Config,
    tenant: Option<String>,
    issuer: Option<String>,
    subject: &str,
) -> anyhow::Result<(TenantId, String)> {
    let id = tenant.map_or_else(|| Ok(Scope::local().tenant), TenantId::new)?;
    let issuer = issuer.or_else(|| config.auth.issuers.first().cloned()).unwrap_or_else(|| "token".to_owned());
    if subject.trim().is_empty() || subject.chars().any(char::is_control) {
        bail!("{subject:?} is no subject; give what their tokens say in `sub`");
    }
    let principal = scope::Principal { issuer, ..scope::Principal::local(subject) };
    Ok((id, principal.person()))
}

fn person_line(tenant: &TenantId, who: &str, person: &Person) -> String {
    let Person { roles, suspended, since, listed } = person;
    let roles = match roles.is_empty() {
        true => "as their tokens say".to_owned(),
        false => roles.iter().cloned().collect::<Vec<_>>().join(" "),
    };
    let state = if *suspended { "suspended" } else { "active" };
    let how = if *listed { "listed" } else { "came with a token" };
    format!("{tenant}  {who}  {roles}  {state}  {how}, since {since}")
}
