//! From the claims of a token to a caller and its tenant.

use std::collections::{BTreeSet, HashMap};

use scope::{Principal, PrincipalKind, Scope, TenantId};
use serde_json::Value;
use spine::admission::{Identified, NO_TENANT};

use crate::Config;
use crate::claims::Claims;

/// Roles that mean something here; whatever else a token lists gives nothing.
pub const ROLES: [&str; 9] =
    ["admin", "curator", "architect", "contributor", "analyst", "viewer", "guest", "service", "gm"];

/// The claim with which a service or an agent names its definition.
const DEFINITION: &str = "agent_definition";

/// Which claims say what.
#[derive(Debug, Clone)]
pub struct Mapping {
    tenant_claim: String,
    tenant: String,
    roles_claim: String,
    role: String,
    agent_claim: String,
    scopes: HashMap<String, String>,
}

impl Mapping {
    pub fn of(config: &Config) -> Self {
        let pair = |text: &String| text.split_once('=').map(|(theirs, ours)| (theirs.to_owned(), ours.to_owned()));
        Self {
            tenant_claim: config.tenant_claim.clone(),
            tenant: config.tenant.clone(),
            roles_claim: config.roles_claim.clone(),
            role: config.role.clone(),
            agent_claim: config.agent_claim.clone(),
            scopes: config.scopes.iter().filter_map(pair).collect(),
        }
    }

    /// Who a token is about, and within which walls. Somebody without a tenant has none to work in.
    pub fn caller(&self, claims: &Claims, issuer: &str) -> Identified {
        let kind = self.kind(claims);
        let subject = match kind {
            // An agent acts for the person that the token is about.
            PrincipalKind::Agent => format!("{}/agent", claims.subject()),
            PrincipalKind::User | PrincipalKind::Service => claims.subject().to_owned(),
        };
        let principal = Principal {
            issuer: issuer.to_owned(),
            subject,
            kind,
            roles: self.roles(claims, kind).into(),
            scopes: with_implied(self.scopes(claims)).into(),
            agents: claims
                .get(&self.agent_claim)
                .map(texts)
                .unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        };
        let scope = self.tenant(claims).map(|tenant| Scope { tenant, ..Scope::local() });
        let definition = claims.text(DEFINITION).filter(|_| kind != PrincipalKind::User).map(Into::into);
        Identified { principal, scope, expires: claims.expires(), definition }
    }

    /// A claim that is there and no good is not made up for.
    fn tenant(&self, claims: &Claims) -> Option<TenantId> {
        let named = match claims.get(&self.tenant_claim) {
            Some(claim) => single(claim)?,
            None => &self.tenant,
        };
        TenantId::new(named).ok().filter(|tenant| tenant.as_str() != NO_TENANT)
    }

    /// An agent is named as such, or acts for somebody (RFC 8693); a client that is its own subject is a service.
    fn kind(&self, claims: &Claims) -> PrincipalKind {
        let is_agent = claims.get(&self.agent_claim).is_some() || claims.get("act").is_some();
        let client = claims.text("client_id").or_else(|| claims.text("azp"));
        match client {
            _ if is_agent => PrincipalKind::Agent,
            Some(client) if client == claims.subject() => PrincipalKind::Service,
            _ => PrincipalKind::User,
        }
    }

    fn roles(&self, claims: &Claims, kind: PrincipalKind) -> BTreeSet<String> {
        let listed = claims.get(&self.roles_claim).or_else(|| claims.get("roles"));
        let known = |role: &&str| ROLES.contains(role);
        let mut roles: BTreeSet<String> =
            listed.map(texts).unwrap_or_default().into_iter().filter(known).map(str::to_owned).collect();
        if roles.is_empty() {
            let usual = if kind == PrincipalKind::Service { "service" } else { self.role.as_str() };
            roles.extend(Some(usual.to_owned()).filter(|role| !role.is_empty()));
        }
        roles
    }

    fn scopes(&self, claims: &Claims) -> BTreeSet<String> {
        let listed = claims.get("scope").or_else(|| claims.get("scp"));
        let own = |scope: &str| self.scopes.get(scope).cloned().unwrap_or_else(|| scope.to_owned());
        listed.map(texts).unwrap_or_default().into_iter().map(own).collect()
    }
}

/// With every scope that a broader one implies.
pub fn with_implied(scopes: BTreeSet<String>) -> BTreeSet<String> {
    let mut all = scopes.clone();
    for scope in &scopes {
        let narrower: &[&str] = match scope.split_once(':') {
            None if scope == "mcp" => &["mcp:tools", "mcp:resources"],
            Some((_, "admin")) => &["write", "propose", "read"],
            Some((_, "write")) => &["propose", "read"],
            _ => &[],
        };
        all.extend(narrower.iter().map(|part| match scope.split_once(':') {
            Some((name, _)) => format!("{name}:{part}"),
            None => (*part).to_owned(),
        }));
    }
    all
}

/// The words in a text or the texts in a list.
fn texts(claim: &Value) -> Vec<&str> {
    match claim {
        Value::String(text) => text.split(' ').filter(|word| !word.is_empty()).collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A text, or the only one in a list: one token is for one tenant.
fn single(claim: &Value) -> Option<&str> {
    match claim {
        Value::String(text) => Some(text),
        Value::Array(items) => match items.as_slice() {
            [Value::String(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn caller(config: &Config, claims: Value) -> Identified {
        let claims = Claims::read(claims.to_string().as_bytes(), true).unwrap();
        Mapping::of(config).caller(&claims, "https://id.example.org")
    }

    #[test]
    fn a_person_comes_with_tenant_roles_and_scopes() {
        let claims = json!({
            "sub": "ann", "tenantId": "acme", "realm_access": { "roles": ["architect", "uma_authorization"] },
            "scope": "openid mcp:tools transformation:write", "client_id": "vscode", "exp": 9,
        });
        let who = caller(&Config::default(), claims);
        assert_eq!(
            (who.principal.id().as_str(), who.principal.kind),
            ("https://id.example.org|ann", PrincipalKind::User)
        );
        assert_eq!((who.scope.unwrap().tenant.as_str(), who.expires), ("acme", Some(scope::Timestamp(9_000_000))));
        assert_eq!(who.principal.roles.iter().collect::<Vec<_>>(), ["architect"]);
        let scopes: Vec<&str> = who.principal.scopes.iter().map(String::as_str).collect();
        assert_eq!(
            scopes,
            ["mcp:tools", "openid", "transformation:propose", "transformation:read", "transformation:write"]
        );
    }

    //
    #[test]
    fn without_a_usable_tenant_nobody_has_walls_to_work_in() {
        let tenant = |config: &Config, mut claims: Value| {
            claims["sub"] = json!("ann");
            caller(config, claims).scope.map(|scope| scope.tenant.as_str().to_owned())
        };
        let plain = Config::default();
        for claim in
            [json!(""), json!(7), json!(["a", "b"]), json!([]), json!("a b"), json!("a\nb"), json!({}), json!("-")]
        {
            assert_eq!(tenant(&plain, json!({ "tenantId": claim })), None);
        }
        assert_eq!(tenant(&plain, json!({})), None);
        let mapped = Config { tenant: "team".to_owned(), ..Config::default() };
        assert_eq!(tenant(&mapped, json!({})).as_deref(), Some("team"));
        // A claim that is there and wrong is not made up for.
        assert_eq!(tenant(&mapped, json!({ "tenantId": "" })), None);
        assert_eq!(tenant(&mapped, json!({ "tenantId": ["acme"] })).as_deref(), Some("acme"));
    }

    // only services and agents have a definition; a person is governed by roles.
    #[test]
    fn a_definition_is_named_by_services_and_agents_only() {
        let definition = |mut claims: Value| {
            claims["agent_definition"] = json!("reviewer");
            caller(&Config::default(), claims).definition
        };
        assert_eq!(definition(json!({ "sub": "bot", "client_id": "bot" })).as_deref(), Some("reviewer"));
        assert_eq!(definition(json!({ "sub": "ann", "act": { "sub": "bot" } })).as_deref(), Some("reviewer"));
        assert_eq!(definition(json!({ "sub": "ann", "client_id": "vscode" })), None);
    }

    #[test]
    fn agents_and_services_are_known_as_such() {
        let kind = |claims: Value| {
            let mut all = json!({ "sub": "ann", "tenantId": "t" });
            all.as_object_mut().unwrap().extend(claims.as_object().unwrap().clone());
            let who = caller(&Config::default(), all).principal;
            (who.kind, who.subject.clone(), who.roles.iter().cloned().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(kind(json!({ "roles": ["viewer"] })), (PrincipalKind::User, "ann".to_owned(), "viewer".to_owned()));
        let agent = kind(json!({ "act": { "sub": "bot" }, "roles": ["viewer"] }));
        assert_eq!(agent, (PrincipalKind::Agent, "ann/agent".to_owned(), "viewer".to_owned()));
        assert_eq!(kind(json!({ "agent_type": "ContextAssembly" })).0, PrincipalKind::Agent);
        let claims = json!({ "sub": "ann", "tenantId": "t", "agent_type": ["Narrator", "Resolver"] });
        let agents = caller(&Config::default(), claims).principal.agents;
        assert_eq!(agents.iter().collect::<Vec<_>>(), ["Narrator", "Resolver"]);
        let service = kind(json!({ "client_id": "ann" }));
        assert_eq!(service, (PrincipalKind::Service, "ann".to_owned(), "service".to_owned()));
    }

    #[test]
    fn an_issuers_names_for_scopes_and_roles_can_be_mapped() {
        let config = Config {
            scopes: vec!["api://chancery/tools=mcp".to_owned()],
            roles_claim: "https://example.org/roles".to_owned(),
            tenant_claim: "organization".to_owned(),
            role: "viewer".to_owned(),
            ..Config::default()
        };
        let mut claims = json!({
            "sub": "ann", "organization": "acme", "scp": ["api://chancery/tools"], "https://example.org/roles": "admin",
        });
        let who = caller(&config, claims.clone()).principal;
        assert!(
            who.scopes.contains("mcp:tools") && who.scopes.contains("mcp:resources") && who.roles.contains("admin")
        );
        claims["https://example.org/roles"] = json!(["root"]);
        assert_eq!(caller(&config, claims).principal.roles.iter().collect::<Vec<_>>(), ["viewer"]);
    }
}
