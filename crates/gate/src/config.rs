//! What an operator may set about tokens.

use serde::{Deserialize, Serialize};

use crate::people::Provisioning;

/// Settings of the gate. Without an issuer, only this server's own tokens are good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Whose tokens are good, exactly as their `iss` claim says it.
    pub issuers: Vec<String>,
    /// Where the keys of the only issuer are; when empty, its metadata says so.
    pub jwks_url: String,
    /// Audiences that are good at every endpoint, besides the address of the endpoint itself.
    pub audiences: Vec<String>,
    /// Certificate authorities to trust instead of the system's, as a PEM file.
    pub authorities: String,
    /// The claim that names the tenant; a dot leads into an object.
    pub tenant_claim: String,
    /// The tenant of tokens without that claim; when empty, they are refused.
    pub tenant: String,
    /// Who comes in: whoever has a good token, or only those whom the operator lists.
    pub provisioning: Provisioning,
    /// Tenants that tokens may name, as patterns; all when empty.
    pub tenants: Vec<String>,
    /// The claim that lists roles.
    pub roles_claim: String,
    /// The role of people whose token names none that we know; when empty, they may do nothing.
    pub role: String,
    /// The claim that only tokens of agents have.
    pub agent_claim: String,
    /// What an issuer calls scopes, as `theirs=ours`.
    pub scopes: Vec<String>,
    /// Tokens that live longer are refused.
    pub token_seconds_max: u64,
    /// Whether tokens of the plain type `JWT` are good, which could also be meant for something else than access.
    pub plain_tokens: bool,
    /// As whom an issuer is asked about tokens that cannot be read; when empty, such tokens are refused.
    pub introspection_client: String,
    pub introspection_secret: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            issuers: Vec::new(),
            jwks_url: String::new(),
            audiences: Vec::new(),
            authorities: String::new(),
            tenant_claim: "tenantId".to_owned(),
            tenant: String::new(),
            provisioning: Provisioning::Claims,
            tenants: Vec::new(),
            roles_claim: "realm_access.roles".to_owned(),
            role: String::new(),
            agent_claim: "agent_type".to_owned(),
            scopes: Vec::new(),
            token_seconds_max: 24 * 60 * 60,
            plain_tokens: false,
            introspection_client: String::new(),
            introspection_secret: String::new(),
        }
    }
}
