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
    Setting::new(
        "stdio_in_production",
        "Whether `serve --stdio` works in production too. Its client is known by the environment that starts it, and by nothing else.",
    ),
    Setting::new(
        "tls.certificate",
        "The certificate of the server and those above it, as a PEM file. With it callers come over TLS. A file that is replaced is read again within seconds.",
    ),
    Setting::new("tls.key", "The private key of that certificate, as a PEM file."),
    Setting::new(
        "proxies",
        "Addresses of proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` are believed, and which may open all connections.",
    )
    .checked(check::addresses),
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
    Setting::new(
        "auth.provisioning",
        "Who comes in: `claims` for whoever has a good token, who is then written down; `listed` for those whom `chancery users add` made known.",
    )
    .one_of(&["claims", "listed"]),
    Setting::new("auth.tenants", "Tenants that tokens may name, such as `acme` or `team-*`; all when empty."),
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
    Setting::new(
        "search.fusion",
        "How words and meaning are brought together: `weighted` by what each gives, or `rrf` by ranks alone.",
    )
    .one_of(&["weighted", "rrf"]),
    Setting::new("search.cache_mb", "Memory for partitions of search that are not asked at the moment, in MB.")
        .between(1, 1 << 20),
    Setting::new(
        "search.model_dir",
        "A directory with a sentence transformer, such as all-MiniLM-L6-v2: `config.json`, `model.safetensors`, `tokenizer.json`. It embeds in the background; the table in the box serves until it has embedded everything.",
    ),
    Setting::new(
        "search.endpoint",
        "A server that embeds instead, by the address before `/embeddings`. Plain HTTP only on this machine.",
    ),
    Setting::new("search.endpoint_model", "The model that it is asked for."),
    Setting::new("search.endpoint_dimensions", "How many numbers its vectors have.").between(1, 8192),
    Setting::new("search.endpoint_key", "Its key, sent as a bearer token.").secret(),
    Setting::new("search.endpoint_authorities", "Certificate authorities that it is trusted by, as a PEM file; the system's when empty."),
    Setting::new("search.endpoint_timeout_ms", "How long one request to it may take.").between(1, DAY_MS),
    Setting::new("search.endpoint_chars_per_day", "Characters that are sent to it in a day at most.").between(0, u32::MAX as u64),
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
    Setting::new(
        "limits.calls_max",
        "Calls under way at once at an endpoint. A quarter of them is kept for reads.",
    )
    .between(1, COUNT_MAX),
    Setting::new("limits.caller_calls_max", "How many of these one caller may have; 0 for all.").between(0, COUNT_MAX),
    Setting::new(
        "limits.connections_max",
        "Open connections. When all are taken, the one that has been quiet for longest makes room; `/health` and `/ready` are answered beyond them.",
    )
    .between(1, COUNT_MAX),
    Setting::new(
        "limits.address_connections_max",
        "How many of these one address may have; 0 for three quarters. It does not hold for `proxies`.",
    )
    .between(0, COUNT_MAX),
    Setting::new(
        "limits.read_timeout_ms",
        "How long a client may take to send its headers or its body, and how long it may leave an answer unread.",
    )
    .between(1, DAY_MS),
    Setting::new("limits.sessions_max", "Open sessions of initialize-era clients.").between(1, COUNT_MAX),
    Setting::new("limits.caller_sessions_max", "How many of these one caller may have; 0 for all.").between(0, COUNT_MAX),
    Setting::new("limits.session_idle_s", "Seconds after which an idle session ends.").between(1, DAY_MS / 1000),
    Setting::new("limits.subscriptions_max", "Open streams that follow changes.").between(1, COUNT_MAX),
    Setting::new("limits.caller_subscriptions_max", "How many of these one caller may have; 0 for all.")
        .between(0, COUNT_MAX),
    Setting::new("limits.calls_per_minute", "Calls per minute and caller; 0 for no limit.").between(0, u32::MAX as u64),
    Setting::new(
        "limits.tenant_calls_per_minute",
        "Calls per minute of all callers of a tenant together; 0 for no limit.",
    )
    .between(0, u32::MAX as u64),
    Setting::new(
        "limits.address_requests_per_minute",
        "Requests per minute from one address, before anybody looks at their tokens; 0 for no limit.",
    )
    .between(0, u32::MAX as u64),
    Setting::new(
        "limits.address_failures_per_minute",
        "Requests per minute from one address that show no good token. Beyond them, only callers that were here before are let in from there; 0 for no limit.",
    )
    .between(0, u32::MAX as u64),
    Setting::new(
        "limits.tools",
        "Calls per minute and caller of single tools over HTTP, in place of what the tools state; 0 for no limit. A table such as `{ ingest = 100 }`; in the environment `ingest=100,upload_file=10`.",
    )
    .checked(check::tool_limits),
    Setting::new("limits.shutdown_ms", "How long calls under way may go on after a stop was asked for.")
        .between(0, DAY_MS),
    Setting::new(
        "audit.redact",
        "Arguments whose values audit records do not keep, by the words that their names hold, besides passwords, tokens and the like.",
    ),
    Setting::new(
        "audit.keep_days",
        "How many days the audit records of calls that changed nothing are kept; 0 for ever. Those of changes stay as long as the changes.",
    )
    .between(0, 36_500),
    Setting::new("audit.checkpoint_seconds", "How often new facts and audit records are sealed with a signed checkpoint.")
        .between(1, DAY_MS / 1000),
];
