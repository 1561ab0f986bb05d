//! Tenants and people: who is known, what they may do in each tenant, and who has to stay out.
//!
//! One file for each tenant that somebody said something about, replaced as a whole. It is looked at with every call of the
//! tenant, so that a word of the operator counts at once, in every process; what it says is kept in memory until it
//! changes. Tenants that nobody calls cost nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use quick_cache::sync::Cache;
use scope::{Principal, TenantId, Timestamp, pattern};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use spine::admission::Identified;

use crate::owner::private_file;
use crate::stamp::Stamp;

const FOLDER: &str = "tenants";
const LOCK: &str = ".lock";
/// How many tenants are kept in memory. Those that were not called for longest go first.
const TENANTS_MAX: usize = 1000;
/// How many people are remembered as already written down.
const NOTED_MAX: usize = 10_000;

/// Who comes in besides those who are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provisioning {
    /// Whoever has a good token, with what it says; they are written down when they first come.
    #[default]
    Claims,
    /// Nobody.
    Listed,
}

/// A tenant as the operator knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tenant {
    pub id: TenantId,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub suspended: bool,
    pub since: Timestamp,
    /// By `issuer|subject`.
    #[serde(default)]
    pub people: BTreeMap<String, Person>,
}

/// Somebody in one tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// In place of those in the token; empty leaves them.
    #[serde(default)]
    pub roles: BTreeSet<String>,
    #[serde(default)]
    pub suspended: bool,
    pub since: Timestamp,
    /// Whether the operator made them known; else they came with a token.
    #[serde(default)]
    pub listed: bool,
}

impl Tenant {
    pub fn new(id: TenantId, since: Timestamp) -> Self {
        Self { id, title: String::new(), suspended: false, since, people: BTreeMap::new() }
    }
}

/// The tenants of a data directory.
pub struct People {
    folder: PathBuf,
    provisioning: Provisioning,
    /// Tenants that tokens may name; all when empty.
    welcome: Vec<String>,
    kept: Cache<TenantId, (Stamp, Arc<Tenant>)>,
    noted: Cache<(TenantId, String), ()>,
    /// So that two calls of one process do not write at once; processes lock a file.
    writing: Mutex<()>,
}

impl People {
    pub fn at(data: &Path) -> Self {
        Self {
            folder: data.join(FOLDER),
            provisioning: Provisioning::Claims,
            welcome: Vec::new(),
            kept: Cache::new(TENANTS_MAX),
            noted: Cache::new(NOTED_MAX),
            writing: Mutex::default(),
        }
    }

    /// The same, by the operator's rule.
    pub fn by_rule(self, provisioning: Provisioning, welcome: Vec<String>) -> Self {
        Self { provisioning, welcome, ..self }
    }

    /// The same caller with the roles that they have in their tenant, or without a tenant if they have to stay out. `now` is
    /// when they are written down, if they are new.
    pub fn placed(&self, mut who: Identified, now: Timestamp) -> Identified {
        let Some(scope) = &who.scope else { return who };
        let known = self.tenant(&scope.tenant);
        let person = who.principal.person();
        match judged(known.as_deref(), &person, self.provisioning, &self.welcome, &scope.tenant) {
            Judged::Out => who.scope = None,
            Judged::Roles(roles) => who.principal = Principal { roles: roles.clone().into(), ..who.principal },
            Judged::AsTheTokenSays { is_new } => {
                if is_new {
                    self.note(&scope.tenant, &person, now);
                }
            }
        }
        who
    }

    /// What is known of a tenant now.
    pub fn tenant(&self, id: &TenantId) -> Option<Arc<Tenant>> {
        let path = self.path(id);
        let Some(stamp) = Stamp::of(&path) else {
            self.kept.remove(id);
            return None;
        };
        if let Some((_, tenant)) = self.kept.get(id).filter(|(kept, _)| *kept == stamp) {
            return Some(tenant);
        }
        let tenant = Arc::new(read(&path)?);
        self.kept.insert(id.clone(), (stamp, tenant.clone()));
        Some(tenant)
    }

    /// All tenants that something is known of, by their ids.
    pub fn tenants(&self) -> std::io::Result<Vec<Tenant>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut all = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "json") {
                all.extend(read(&path));
            }
        }
        all.sort_by(|left, right| left.id.cmp(&right.id));
        Ok(all)
    }

    /// Changes what is known of a tenant; one that is not known yet is new.
    pub fn change(&self, id: &TenantId, now: Timestamp, change: impl FnOnce(&mut Tenant)) -> std::io::Result<Tenant> {
        let _one_at_a_time = self.writing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::fs::create_dir_all(&self.folder)?;
        let lock = std::fs::File::options().create(true).truncate(false).write(true).open(self.folder.join(LOCK))?;
        lock.lock()?;
        let path = self.path(id);
        let mut tenant = match std::fs::exists(&path)? {
            true => read(&path).ok_or_else(|| std::io::Error::other(format!("{} is damaged", path.display())))?,
            false => Tenant::new(id.clone(), now),
        };
        change(&mut tenant);
        let aside = path.with_extension("new");
        private_file(&aside, serde_json::to_string_pretty(&tenant)?.as_bytes())?;
        std::fs::rename(&aside, &path)?;
        Ok(tenant)
    }

    /// Writes down somebody who came with a token. Nobody waits for it.
    fn note(&self, tenant: &TenantId, person: &str, now: Timestamp) {
        let noted = (tenant.clone(), person.to_owned());
        if self.noted.get(&noted).is_some() {
            return;
        }
        self.noted.insert(noted, ());
        let (folder, tenant, person) = (self.folder.clone(), tenant.clone(), person.to_owned());
        let write = move || {
            let here = Self { folder, ..Self::at(Path::new("")) };
            let arrived = Person { roles: BTreeSet::new(), suspended: false, since: now, listed: false };
            let noted = here.change(&tenant, now, |tenant| {
                tenant.people.entry(person).or_insert(arrived);
            });
            if let Err(error) = noted {
                tracing::warn!(%error, "a person who came for the first time could not be written down");
            }
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(write)),
            Err(_) => write(),
        }
    }

    /// Ids may hold anything, and some file systems know no capitals.
    fn path(&self, id: &TenantId) -> PathBuf {
        let name = hex::encode(&Sha256::digest(id.as_str())[..16]);
        self.folder.join(format!("{name}.json"))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Judged<'a> {
    Out,
    Roles(&'a BTreeSet<String>),
    AsTheTokenSays { is_new: bool },
}

/// The rule, without files.
fn judged<'a>(
    known: Option<&'a Tenant>,
    person: &str,
    provisioning: Provisioning,
    welcome: &[String],
    tenant: &TenantId,
) -> Judged<'a> {
    let is_listed = provisioning == Provisioning::Listed;
    let is_welcome = welcome.is_empty() || welcome.iter().any(|pattern| pattern::matches(pattern, tenant.as_str()));
    let found = known.and_then(|tenant| tenant.people.get(person));
    match (known, found) {
        (Some(known), _) if known.suspended => Judged::Out,
        (None, _) if is_listed => Judged::Out,
        _ if !is_welcome => Judged::Out,
        (_, Some(found)) if found.suspended || is_listed && !found.listed => Judged::Out,
        (_, Some(found)) if !found.roles.is_empty() => Judged::Roles(&found.roles),
        (_, None) if is_listed => Judged::Out,
        (_, found) => Judged::AsTheTokenSays { is_new: found.is_none() },
    }
}

fn read(path: &Path) -> Option<Tenant> {
    let text = std::fs::read(path).ok()?;
    serde_json::from_slice(&text)
        .inspect_err(|_| tracing::error!(path = %path.display(), "the file of a tenant cannot be read"))
        .ok()
}

#[cfg(test)]
mod tests {
    use scope::Scope;

    use super::*;

    const NOW: Timestamp = Timestamp(1);

    fn id(text: &str) -> TenantId {
        TenantId::new(text).unwrap()
    }

    fn ann(tenant: &str) -> Identified {
        let principal = Principal {
            issuer: "https://id".to_owned(),
            roles: ["viewer".to_owned()].into_iter().collect(),
            ..Principal::local("ann")
        };
        let scope = Some(Scope { tenant: id(tenant), ..Scope::local() });
        Identified { principal, scope, expires: None, definition: None }
    }

    fn roles(who: &Identified) -> Option<String> {
        who.scope.as_ref()?;
        Some(who.principal.roles.iter().cloned().collect::<Vec<_>>().join(" "))
    }

    fn person(roles: &[&str]) -> Person {
        let roles = roles.iter().map(|role| (*role).to_owned()).collect();
        Person { roles, suspended: false, since: NOW, listed: true }
    }

    #[test]
    fn whoever_has_a_token_is_written_down_and_can_be_sent_away() {
        let folder = tempfile::tempdir().unwrap();
        let (people, elsewhere) = (People::at(folder.path()), People::at(folder.path()));
        assert_eq!(roles(&people.placed(ann("acme"), NOW)).as_deref(), Some("viewer"));
        let known = elsewhere.tenants().unwrap();
        assert_eq!(known[0].people.keys().collect::<Vec<_>>(), ["https://id|ann"]);
        assert!(!known[0].people["https://id|ann"].listed);
        // A word of the operator counts at once, in every process, and in that tenant only.
        elsewhere
            .change(&id("acme"), NOW, |acme| acme.people.get_mut("https://id|ann").unwrap().suspended = true)
            .unwrap();
        assert_eq!(roles(&people.placed(ann("acme"), NOW)), None);
        assert_eq!(roles(&people.placed(ann("other"), NOW)).as_deref(), Some("viewer"));
        elsewhere.change(&id("other"), NOW, |other| other.suspended = true).unwrap();
        assert_eq!(roles(&people.placed(ann("other"), NOW)), None);
    }

    #[test]
    fn roles_are_those_of_the_tenant_and_an_agent_has_its_persons() {
        let folder = tempfile::tempdir().unwrap();
        let people = People::at(folder.path());
        let listed =
            |tenant: &mut Tenant| drop(tenant.people.insert("https://id|ann".to_owned(), person(&["architect"])));
        people.change(&id("acme"), NOW, listed).unwrap();
        assert_eq!(roles(&people.placed(ann("acme"), NOW)).as_deref(), Some("architect"));
        assert_eq!(roles(&people.placed(ann("other"), NOW)).as_deref(), Some("viewer"));
        let mut agent = ann("acme");
        agent.principal.kind = scope::PrincipalKind::Agent;
        agent.principal.subject = "ann/agent".to_owned();
        agent.principal.roles = ["admin".to_owned()].into_iter().collect();
        assert_eq!(roles(&people.placed(agent, NOW)).as_deref(), Some("architect"));
    }

    #[test]
    fn where_only_those_come_in_who_are_listed_nobody_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let people = People::at(folder.path()).by_rule(Provisioning::Listed, Vec::new());
        assert_eq!(roles(&people.placed(ann("acme"), NOW)), None);
        people.change(&id("acme"), NOW, |_| {}).unwrap();
        assert_eq!(roles(&people.placed(ann("acme"), NOW)), None);
        let listed = |tenant: &mut Tenant| drop(tenant.people.insert("https://id|ann".to_owned(), person(&[])));
        people.change(&id("acme"), NOW, listed).unwrap();
        assert_eq!(roles(&people.placed(ann("acme"), NOW)).as_deref(), Some("viewer"));
        assert_eq!(people.tenants().unwrap().len(), 1);
    }

    #[test]
    fn tokens_bring_the_tenants_that_are_welcome() {
        let folder = tempfile::tempdir().unwrap();
        let people = People::at(folder.path()).by_rule(Provisioning::Claims, vec!["team-*".to_owned()]);
        assert_eq!(roles(&people.placed(ann("team-7"), NOW)).as_deref(), Some("viewer"));
        assert_eq!(roles(&people.placed(ann("acme"), NOW)), None);
    }
}
