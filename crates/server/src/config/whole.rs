//! What no single setting can be blamed for.

use gate::issued::Issued;

use super::Config;

/// Refuses what one does on a machine of one's own, and nowhere else.
fn is_fit_for_production(config: &Config) -> Result<(), String> {
    if !config.public_url.starts_with("https://") {
        return Err("production: callers come over TLS; give their address as public_url, such as \
                    https://mcp.example.org"
            .to_owned());
    }
    if config.auth.role == "admin" || config.auth.role == "curator" {
        let role = &config.auth.role;
        return Err(format!(
            "production: auth.role makes everybody whose token names no role {role}; give viewer, or let the issuer name roles"
        ));
    }
    if config.has_tls() && !is_private(&config.tls.key) {
        let key = &config.tls.key;
        return Err(format!(
            "production: others on this machine can read {key}; take their rights away: chmod 600 {key}"
        ));
    }
    Ok(())
}

fn has_token(config: &Config) -> bool {
    Issued::at(&config.data).list().is_ok_and(|tokens| !tokens.is_empty())
}

/// Whether only its owner can read a file. One that is not there is found out when it is read.
fn is_private(path: &str) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 == 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        true
    }
}

/// Refuses to serve over stdio where only a network should reach.
pub fn may_serve_stdio(config: &Config) -> Result<(), String> {
    if config.production && !config.stdio_in_production {
        return Err(
            "production: over stdio a client is whoever started it; serve over HTTP, or set stdio_in_production"
                .to_owned(),
        );
    }
    Ok(())
}

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
    if config.tls.certificate.is_empty() != config.tls.key.is_empty() {
        return Err("tls: certificate and key go together; give both, or neither".to_owned());
    }
    if config.has_tls() && config.public_url.starts_with("http://") {
        return Err("public_url: callers come over TLS, as tls.certificate says; start it with https://".to_owned());
    }
    if config.production {
        is_fit_for_production(config)?;
    }
    if is_local {
        return Ok(());
    }
    let has_issuer = !config.auth.issuers.is_empty();
    if has_issuer || has_token(config) {
        return Ok(());
    }
    let port = address.port();
    Err(format!(
        "{address} can be reached from other machines, and nobody else has a token yet; name an issuer with auth.issuers, \
         issue a token with `chancery token issue`, or listen on 127.0.0.1:{port}"
    ))
}
