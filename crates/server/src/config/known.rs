//! All settings there are: the server's own, and those of the capabilities.

use desk::Module;
use desk::module::{Section, Setting, Settings, lookup};
use serde_json::{Map, Value};

use super::Config;
use super::settings::SETTINGS;

/// The settings in the order of the reference, each with its default.
pub struct Known {
    own: Section,
    modules: Vec<(&'static dyn Module, Section)>,
}

impl Known {
    pub fn of(modules: &[&'static dyn Module]) -> Self {
        let own = Section::of(SETTINGS, &Config::default());
        Self { own, modules: modules.iter().map(|module| (*module, module.settings())).collect() }
    }

    fn sections(&self) -> impl Iterator<Item = &Section> {
        std::iter::once(&self.own).chain(self.modules.iter().map(|(_, section)| section))
    }

    pub fn all(&self) -> impl Iterator<Item = (&'static Setting, &Value)> {
        self.sections().flat_map(|section| {
            let with_default =
                |setting: &'static Setting| (setting, lookup(&section.defaults, setting.name).unwrap_or(&Value::Null));
            section.settings.iter().map(with_default)
        })
    }

    pub fn find(&self, name: &str) -> Option<(&'static Setting, &Value)> {
        self.all().find(|(setting, _)| setting.name == name)
    }

    /// The server's part of what was given.
    pub fn own(&self, given: &Map<String, Value>) -> Settings {
        Settings::of(&self.own, given)
    }

    /// The part of each capability.
    pub fn parts(&self, given: &Map<String, Value>) -> Vec<(&'static dyn Module, Settings)> {
        self.modules.iter().map(|(module, section)| (*module, Settings::of(section, given))).collect()
    }
}
