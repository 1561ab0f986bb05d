//! What an operator may set for neotoma.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use desk::module::{self, BoxError, Section, Setting};
use serde::{Deserialize, Serialize};

use crate::Config;
use crate::interpret::{Interpreter, OpenAi, OpenAiConfig, Rules};

const SETTINGS: &[Setting] = &[
    Setting::new("neotoma.file_bytes_max", "Largest file, in bytes.").between(1, 1 << 30),
    Setting::new(
        "neotoma.interpretations_max",
        "Interpretations by a configured model, per user in 30 days. The embedded rules have no limit.",
    )
    .between(0, 1_000_000_000),
    Setting::new("neotoma.upload_roots", "Folders that `upload_file` may read from; over stdio only. None when empty."),
    Setting::new(
        "neotoma.interpreter_url",
        "An OpenAI-compatible endpoint that interprets files, such as `http://127.0.0.1:11434/v1` or `https://models.example.org/v1`; plain http on this machine only. The embedded rules when empty.",
    ),
    Setting::new("neotoma.interpreter_model", "The model to ask there."),
    Setting::new("neotoma.interpreter_key", "Its bearer token; better given by the environment.").secret(),
    Setting::new(
        "neotoma.interpreter_ca",
        "A PEM file of certificate authorities that an https endpoint is checked with. Those of the system when empty.",
    ),
];

/// All of them, with a field for each name after `neotoma.`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub file_bytes_max: u64,
    pub interpretations_max: u64,
    pub upload_roots: Vec<PathBuf>,
    pub interpreter_url: String,
    pub interpreter_model: String,
    pub interpreter_key: String,
    pub interpreter_ca: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Table {
    neotoma: Settings,
}

impl Default for Settings {
    fn default() -> Self {
        let Config { file_bytes_max, interpretations_max, local_files: _ } = Config::default();
        Self {
            file_bytes_max,
            interpretations_max,
            upload_roots: Vec::new(),
            interpreter_url: String::new(),
            interpreter_model: String::new(),
            interpreter_key: String::new(),
            interpreter_ca: String::new(),
        }
    }
}

pub fn section() -> Section {
    Section::of(SETTINGS, &Table::default())
}

impl Settings {
    pub fn of(given: &module::Settings) -> Result<Self, BoxError> {
        Ok(given.read::<Table>()?.neotoma)
    }

    pub fn config(&self, local_files: bool) -> Config {
        Config { file_bytes_max: self.file_bytes_max, interpretations_max: self.interpretations_max, local_files }
    }

    /// Refuses what cannot be built.
    pub fn check(&self) -> Result<(), BoxError> {
        if let Some(folder) = self.upload_roots.iter().find(|folder| !folder.is_absolute()) {
            let folder = folder.display();
            return Err(format!(
                "neotoma.upload_roots: {folder} depends on where chancery is started; give the whole path"
            )
            .into());
        }
        if self.interpreter_url.is_empty() && !self.interpreter_model.is_empty() {
            return Err("neotoma.interpreter_model is set; name its endpoint with neotoma.interpreter_url".into());
        }
        self.interpreter(Duration::from_secs(30)).map(drop)
    }

    /// The embedded rules, or the model that the operator named. Both end before the call does, so that what they found or
    /// failed at can still be stored and told.
    pub fn interpreter(&self, call_timeout: Duration) -> Result<Arc<dyn Interpreter>, BoxError> {
        let time_max = call_timeout * 5 / 6;
        if self.interpreter_url.is_empty() {
            return Ok(Arc::new(Rules::new(time_max)));
        }
        if self.interpreter_model.is_empty() {
            return Err("neotoma.interpreter_url is set; name the model with neotoma.interpreter_model".into());
        }
        let mut asked = OpenAiConfig::new(&self.interpreter_url, &self.interpreter_model);
        asked.timeout = time_max;
        asked.api_key = Some(self.interpreter_key.clone()).filter(|key| !key.is_empty());
        asked.authorities = Some(self.interpreter_ca.as_str()).filter(|file| !file.is_empty()).map(PathBuf::from);
        let model = OpenAi::new(asked).map_err(|failure| format!("neotoma.interpreter_url: {failure}"))?;
        Ok(Arc::new(model))
    }

    /// An upload folder around the data directory would hand out its keys.
    pub fn keep_private(&self, data: &Path) -> Result<(), BoxError> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let data = real(data);
        match self.upload_roots.iter().find(|root| data.starts_with(real(root))) {
            Some(root) => {
                let root = root.display();
                Err(format!("neotoma.upload_roots: {root} holds the data directory; choose another folder").into())
            }
            None => Ok(()),
        }
    }

    /// What an operator looks at: who interprets, and where files may come from.
    pub fn in_words(&self) -> Vec<Result<String, String>> {
        let interpreter = match self.interpreter_url.as_str() {
            "" => "files are read by the embedded rules".to_owned(),
            url => format!("files are read by {} at {url}", self.interpreter_model),
        };
        let roots = self.upload_roots.iter().map(|root| {
            let shown = root.display();
            match std::fs::read_dir(root) {
                Ok(_) => Ok(format!("upload_file may read {shown}")),
                Err(error) => Err(format!("neotoma.upload_roots: {shown}: {error}; make the folder, or leave it out")),
            }
        });
        std::iter::once(Ok(interpreter)).chain(roots).collect()
    }
}
