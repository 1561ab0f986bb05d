//! The reference page, made from the settings themselves.

use std::fmt::Write as _;

use toml::Value;

use super::source::{at, variable};
use super::{Config, SETTINGS};

/// The page `docs/configuration.md`.
pub fn page() -> String {
    let mut page = String::from(
        "# Configuration\n\nThis page is made by `chancery config reference`.\n\n\
         Nothing needs to be set. A setting can come from four places, each stronger than the one before: its default, the file\n\
         (`--config FILE`, or `chancery.toml` in the data directory), the environment, the flag `--set NAME=VALUE`. `--data`, `--listen`\n\
         and `--log` are flags of their own. In the file, names with a dot stand in a table: `[limits]`. In the environment and on the\n\
         command line, items of a list are separated by commas.\n\n\
         | setting | default | environment | meaning |\n|---|---|---|---|\n",
    );
    let defaults = Value::try_from(Config::default()).expect("the default configuration is plain data");
    for setting in SETTINGS {
        let default = match at(&defaults, setting.name) {
            _ if setting.name == "data" => "your data folder, below `chancery`".to_owned(),
            Some(value) => format!("`{value}`"),
            None => String::new(),
        };
        writeln!(page, "| `{}` | {default} | `{}` | {} |", setting.name, variable(setting.name), setting.about)
            .expect("writing to a string does not fail");
    }
    page
}
