//! What no single setting can be blamed for.

use gate::issued::Issued;

use super::Config;

/// Refuses to serve over HTTP what would be open to strangers.
pub fn may_serve(config: &Config) -> Result<(), String> {
    let address = config.listen;
    let is_local = address.ip().is_loopback();
    if config.open && config.production {
        return Err("open: callers need no token, and production is set; leave one of them out".to_owned());
    }
    if config.open && !is_local {
        return Err(format!("{address} can be reached from other machines, and open lets everybody in; leave it out"));
    }
    if config.production && !config.public_url.starts_with("https://") {
        return Err("production: callers come over TLS; give their address as public_url, such as \
                    https://mcp.example.org"
            .to_owned());
    }
    if is_local {
        return Ok(());
    }
    let has_issuer = !config.auth.issuers.is_empty();
    let has_token = || Issued::at(&config.data).list().is_ok_and(|tokens| !tokens.is_empty());
    if has_issuer || has_token() {
        return Ok(());
    }
    let port = address.port();
    Err(format!(
        "{address} can be reached from other machines, and nobody else has a token yet; name an issuer with auth.issuers, \
         issue a token with `chancery token issue`, or listen on 127.0.0.1:{port}"
    ))
}
