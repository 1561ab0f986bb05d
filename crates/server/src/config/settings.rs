//! The server's own settings, in the order of the reference.

use desk::module::Setting;

use super::check;

/// More of anything than one process could hold.
const COUNT_MAX: u64 = 1_000_000;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

pub const SETTINGS: &[Setting] = &[
    Setting::new("data", "The data directory. It is made when it does not exist.").checked(check::given),
    Setting::new(
        "listen",
        "Address and port of the HTTP server. Port 0 takes a free one, which is then reported. Beyond loopback only when there are tokens that others can show.",
    )
    .checked(check::listen),
    Setting::new(
        "public_url",
        "How clients reach the server, such as `https://mcp.example.org`; addresses of files start with it. When empty, the address that it listens on.",
    )
    .checked(check::public_url),
    Setting::new("user", "The name under which local calls are recorded.").checked(check::user),
    Setting::new("log", "What is logged to stderr: a level, or a filter such as `info,spine=debug`.").checked(check::log),
    Setting::new("log_format", "`text` or `json`.").one_of(&["text", "json"]),
    Setting::new(
        "gather_log",
        "Whether a commit goes to the database's log in one piece, which is faster. Switch it off to leave the log to SQLite alone.",
    ),
    Setting::new("capabilities", "Which capabilities to mount; all when empty."),
    Setting::new(
        "role",
        "What callers over HTTP and stdio are: `admin`, `architect`, `viewer` or `agent`. The command line is always the owner.",
    )
    .one_of(&["admin", "architect", "viewer", "agent"]),
    Setting::new(
        "open",
        "Whether callers on loopback need no token. Then every program and every user of this machine is the owner.",
    ),
    Setting::new(
        "production",
        "Whether plain HTTP is sent away to `public_url` and nothing unsafe is served. `PRODUCTION=true` in the environment sets it too.",
    ),
    Setting::new("proxies", "Addresses of proxies whose `X-Forwarded-Proto` is believed.").checked(check::addresses),
    Setting::new(
        "auth.issuers",
        "Whose tokens are good, as their `iss` claim says it, such as `https://id.example.org/realms/team`. The first is where clients are sent.",
    )
    .checked(check::issuers),
    Setting::new("auth.jwks_url", "Where the keys of the only issuer are; when empty, its metadata says so.")
        .checked(check::address),
    Setting::new(
        "auth.audiences",
        "Audiences that are good at every endpoint, besides the address of the endpoint itself, such as a client id.",
    ),
    Setting::new("auth.authorities", "Certificate authorities that issuers are trusted by, as a PEM file; the system's when empty."),
    Setting::new("auth.tenant_claim", "The claim that names the tenant; a dot leads into an object."),
    Setting::new("auth.tenant", "The tenant of tokens without that claim; when empty, they are refused.")
        .checked(check::tenant),
    Setting::new("auth.roles_claim", "The claim that lists roles; `roles` is looked at when it is absent."),
    Setting::new("auth.role", "The role of people whose token lists none that is known; when empty, they may do nothing.")
        .one_of(&["", "admin", "curator", "architect", "contributor", "analyst", "viewer"]),
    Setting::new("auth.agent_claim", "The claim that only tokens of agents have; `act` marks one too."),
    Setting::new("auth.scopes", "What an issuer calls our scopes, as `theirs=ours`.").checked(check::scope_pairs),
    Setting::new("auth.token_seconds_max", "Tokens that live longer are refused.").between(60, 365 * DAY_MS / 1000),
    Setting::new(
        "auth.plain_tokens",
        "Whether tokens of the type `JWT` are good, besides `at+jwt`. Some issuers know no other; then the audience alone tells them from tokens for something else.",
    ),
    Setting::new(
        "auth.introspection_client",
        "As whom the only issuer is asked about tokens that only it can read; when empty, such tokens are refused.",
    ),
    Setting::new("auth.introspection_secret", "The secret of that client.").secret(),
    Setting::new("hosts", "Host names besides loopback that requests may name.").checked(check::hosts),
    Setting::new(
        "origins",
        "Browser origins that may call besides the server's own, such as `https://app.example.org`, `http://localhost:6274` or `vscode-webview://*`. A page of another port of this machine is listed too.",
    )
    .checked(check::origins),
    Setting::new(
        "tool_names",
        "Form of listed tool names: `auto` (by client), `dot` or `underscore`. Both forms can always be called.",
    )
    .one_of(&["auto", "dot", "underscore"]),
    Setting::new(
        "confirm",
        "Before a destructive call: `ask` where the client can be asked, and agents in two steps where it cannot; `always` the same for everybody; `never`.",
    )
    .one_of(&["ask", "always", "never"]),
    Setting::new("toolsets", "Which groups of tools to mount; all when empty."),
    Setting::new(
        "limits.body_bytes_max",
        "Largest request, except where a capability takes files and says that it takes more.",
    )
    .between(1024, 1 << 30),
    Setting::new("limits.depth_max", "Deepest nesting of JSON.").between(4, 128),
    Setting::new("limits.call_timeout_ms", "How long a call may take.").between(1, DAY_MS),
    Setting::new("limits.calls_max", "Calls under way at once.").between(1, COUNT_MAX),
    Setting::new(
        "limits.connections_max",
        "Open connections; one address has three quarters of them at most. `/health` and `/ready` are answered beyond them.",
    )
    .between(1, COUNT_MAX),
    Setting::new(
        "limits.read_timeout_ms",
        "How long a client may take to send its headers or its body, and how long it may leave an answer unread.",
    )
    .between(1, DAY_MS),
    Setting::new("limits.sessions_max", "Open sessions of initialize-era clients.").between(1, COUNT_MAX),
    Setting::new("limits.session_idle_s", "Seconds after which an idle session ends.").between(1, DAY_MS / 1000),
    Setting::new("limits.subscriptions_max", "Open streams that follow changes.").between(1, COUNT_MAX),
    Setting::new("limits.calls_per_minute", "Calls per minute and caller; 0 for no limit.").between(0, u32::MAX as u64),
    Setting::new(
        "limits.tools",
        "Calls per minute and caller of single tools over HTTP, in place of what the tools state; 0 for no limit. A table such as `{ ingest = 100 }`; in the environment `ingest=100,upload_file=10`.",
    )
    .checked(check::tool_limits),
    Setting::new("limits.shutdown_ms", "How long calls under way may go on after a stop was asked for.")
        .between(0, DAY_MS),
];
