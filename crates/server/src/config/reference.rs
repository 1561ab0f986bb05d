//! The reference page, made from the settings themselves.

use std::fmt::Write as _;

use super::Known;
use super::source::variable;

/// The page `docs/configuration.md`.
pub fn page(known: &Known) -> String {
    let mut page = String::from(
        "# Configuration\n\nThis page is made by `chancery config reference`; `chancery config show` prints what is in force, and why.\n\n\
         Nothing needs to be set. A setting can come from four places, each stronger than the one before: its default, the file\n\
         (`--config FILE`, or `chancery.toml` in the data directory), the environment, the flag `--set NAME=VALUE`. `--data`, `--listen`\n\
         and `--log` are flags of their own. In the file, names with a dot stand in a table: `[limits]`. In the environment and on the\n\
         command line, items of a list are separated by commas. A value that cannot be used is refused at the start, with the fix.\n\n\
         | setting | default | environment | meaning |\n|---|---|---|---|\n",
    );
    for (setting, default) in known.all() {
        let default = if setting.name == "data" {
            "your data folder, below `chancery`".to_owned()
        } else {
            format!("`{default}`")
        };
        writeln!(page, "| `{}` | {default} | `{}` | {} |", setting.name, variable(setting.name), setting.about)
            .expect("writing to a string does not fail");
    }
    page
}
