//! Which values of the server's own settings are refused, and what to give instead.

use std::net::{IpAddr, SocketAddr};

use axum::http::Uri;
use serde_json::Value;

/// Longest name of a user.
const USER_CHARS_MAX: usize = 64;
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

type Checked = Result<(), String>;

pub fn given(value: &Value) -> Checked {
    if text(value).trim().is_empty() { Err("is empty; give a folder".to_owned()) } else { Ok(()) }
}

pub fn listen(value: &Value) -> Checked {
    listen_address(text(value)).map(drop)
}

pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is not an address with a port; give one such as 127.0.0.1:8080 or [::1]:8080"))
}

pub fn addresses(value: &Value) -> Checked {
    match texts(value).find(|text| text.parse::<IpAddr>().is_err()) {
        None => Ok(()),
        Some(text) => Err(format!("{text:?} is not an address; give one such as 10.0.0.7")),
    }
}

/// Addresses that are asked, and compared letter by letter with what tokens say.
pub fn issuers(value: &Value) -> Checked {
    texts(value).try_for_each(|text| match text.parse::<outbound::Address>() {
        Ok(_) => Ok(()),
        Err(reason) => Err(format!("{text} {reason}")),
    })
}

pub fn address(value: &Value) -> Checked {
    match text(value) {
        "" => Ok(()),
        text => text.parse::<outbound::Address>().map(drop).map_err(|reason| format!("{text} {reason}")),
    }
}

pub fn tenant(value: &Value) -> Checked {
    match text(value) {
        "" => Ok(()),
        text => scope::TenantId::new(text).map(drop).map_err(|invalid| invalid.to_string()),
    }
}

pub fn scope_pairs(value: &Value) -> Checked {
    let is_pair =
        |text: &str| text.split_once('=').is_some_and(|(theirs, ours)| !theirs.is_empty() && !ours.is_empty());
    match texts(value).find(|text| !is_pair(text)) {
        None => Ok(()),
        Some(text) => Err(format!("{text:?} is no pair; give one such as api://chancery/tools=mcp:tools")),
    }
}

pub fn public_url(value: &Value) -> Checked {
    let url = text(value);
    if url.is_empty() {
        return Ok(());
    }
    let is_plain = |uri: &Uri| {
        let scheme = matches!(uri.scheme_str(), Some("http" | "https"));
        let host = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
        scheme && host && uri.query().is_none() && !url.contains('#') && !url.ends_with('/')
    };
    match url.parse::<Uri>() {
        Ok(uri) if is_plain(&uri) => Ok(()),
        _ => Err(format!("{value} is no address to start links with; give one such as https://mcp.example.org")),
    }
}

/// The name becomes part of the identity of callers, where `/` and `|` set parts apart.
pub fn user(value: &Value) -> Checked {
    let name = text(value);
    let is_plain = |char: char| !char.is_control() && !matches!(char, '/' | '|');
    if name.trim().is_empty() || name.trim() != name {
        return Err(format!("{value} is no name; give one such as owner"));
    }
    if name.chars().count() > USER_CHARS_MAX || !name.chars().all(is_plain) {
        return Err(format!("{value} is no name; give at most {USER_CHARS_MAX} characters, without / and |"));
    }
    Ok(())
}

pub fn log(value: &Value) -> Checked {
    log_filter(text(value)).map(drop)
}

/// The filter that a text stands for. A directive without a level would silence everything else without a word.
pub fn log_filter(text: &str) -> Result<tracing_subscriber::EnvFilter, String> {
    for directive in text.split(',').map(str::trim) {
        let level = directive.rsplit_once('=').map_or(directive, |(_, level)| level);
        if !LEVELS.contains(&level.to_lowercase().as_str()) || directive.starts_with('=') {
            return Err(format!(
                "{directive:?} has no level; give one of {}, alone or for a part as in spine=debug",
                LEVELS.join(", ")
            ));
        }
    }
    // rmcp logs whole requests at debug, arguments included, so it stays at warn whatever is asked for.
    tracing_subscriber::EnvFilter::try_new(format!("{text},rmcp=warn")).map_err(|error| error.to_string())
}

pub fn hosts(value: &Value) -> Checked {
    let is_good = |host: &str| {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "1"));
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '_');
        !name.is_empty() && name.chars().all(is_plain) && port.parse::<u16>().is_ok()
    };
    match texts(value).find(|host| !is_good(host)) {
        None => Ok(()),
        Some("*") => Err("\"*\" lets every page that points its name here call; name the hosts".to_owned()),
        Some(host) => Err(format!("{host:?} is not a host name; give one such as mcp.example.org")),
    }
}

pub fn origins(value: &Value) -> Checked {
    texts(value).try_for_each(origin)
}

fn origin(text: &str) -> Checked {
    let is_scheme_char = |char: char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.');
    let parts = text.split_once("://").filter(|(scheme, _)| !scheme.is_empty() && scheme.chars().all(is_scheme_char));
    let Some((scheme, host)) = parts else {
        return Err(format!("{text:?} is not an origin; give scheme and host, such as https://app.example.org"));
    };
    let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    let is_host_char = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '_' | ':' | '[' | ']');
    match host {
        "*" if is_web => Err(format!("{text:?} lets every page call; name the hosts, such as https://app.example.org")),
        "*" => Ok(()),
        host if !host.is_empty() && host.chars().all(is_host_char) => Ok(()),
        _ => Err(format!("{text:?} is not an origin; leave out everything after the host")),
    }
}

pub fn tool_limits(value: &Value) -> Checked {
    let mut limits = value.as_object().into_iter().flatten();
    match limits.find(|(_, limit)| limit.as_u64().is_none_or(|limit| limit > u64::from(u32::MAX))) {
        None => Ok(()),
        Some((tool, limit)) => Err(format!("{tool} cannot be {limit}; give calls per minute, or 0 for no limit")),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}
