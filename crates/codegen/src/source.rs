//! The proto files of a contract, compiled, with their lines and comments.

use std::fs;
use std::path::{Path, PathBuf};

use prost_reflect::{
    DescriptorPool, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, FileDescriptor, MessageDescriptor,
    MethodDescriptor, ServiceDescriptor,
};
use prost_types::FileDescriptorProto;
use prost_types::source_code_info::Location;
use protox::Compiler;
use protox::file::FileResolver;

use crate::options::{self, Entity, EnumValue, Field};
use crate::{Place, Problem};

/// Compiled proto files.
pub struct Source {
    pub pool: DescriptorPool,
    /// Every file that was read, imports included, in the order in which they must be generated.
    pub protos: Vec<FileDescriptorProto>,
    /// The files of the contract itself, by name.
    own: Vec<String>,
    root: PathBuf,
}

impl Source {
    /// Compiles every proto file below `root`; imports are looked up there and in `includes`.
    pub fn read(root: &Path, includes: &[PathBuf]) -> Result<Self, Problem> {
        let own = proto_files(root).map_err(|error| {
            let place = Place { file: root.display().to_string(), line: 1 };
            Problem::error(place, format!("the folder cannot be read: {error}"), "check the path of the contract")
        })?;
        let roots = std::iter::once(root).chain(includes.iter().map(PathBuf::as_path));
        let compiler = Compiler::new(roots).map_err(|error| broken(root, &error))?;
        Self::compile(root, own, compiler)
    }

    /// Compiles the files called `own`, found by `resolver`.
    pub fn resolve(own: Vec<String>, resolver: impl FileResolver + 'static) -> Result<Self, Problem> {
        Self::compile(Path::new(""), own, Compiler::with_file_resolver(resolver))
    }

    fn compile(root: &Path, own: Vec<String>, mut compiler: Compiler) -> Result<Self, Problem> {
        compiler.include_source_info(true).include_imports(true);
        for file in &own {
            compiler.open_file(file).map_err(|error| broken(root, &error))?;
        }
        let protos = compiler.file_descriptor_set().file;
        Ok(Self { pool: compiler.descriptor_pool(), protos, own, root: root.to_owned() })
    }

    /// The files of the contract itself, by name.
    pub fn files(&self) -> impl Iterator<Item = FileDescriptor> + '_ {
        self.own.iter().filter_map(|name| self.pool.get_file_by_name(name))
    }

    pub fn place(&self, item: &impl Located) -> Place {
        let file = item.file();
        let line = location(&file, item.path()).and_then(|location| location.span.first().copied()).unwrap_or(0);
        let path = self.root.join(file.name());
        Place { file: path.display().to_string(), line: usize::try_from(line).unwrap_or(0) + 1 }
    }

    /// The comment above an item: its first paragraph, on one line.
    pub fn summary(&self, item: &impl Located) -> String {
        let file = item.file();
        let comment = location(&file, item.path()).map(Location::leading_comments).unwrap_or_default();
        let lines = comment.lines().map(str::trim);
        let paragraph: Vec<&str> =
            lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
        paragraph.join(" ")
    }

    pub fn field(&self, field: &FieldDescriptor) -> Field {
        options::read(&self.pool, &field.options(), options::FIELD).unwrap_or_default()
    }

    /// The word a value has outside.
    pub fn label(&self, value: &EnumValueDescriptor) -> String {
        let named: Option<EnumValue> = options::read(&self.pool, &value.options(), options::VALUE);
        named.map(|named| named.label).filter(|label| !label.is_empty()).unwrap_or_else(|| value.name().to_lowercase())
    }

    /// The words of an enum, without the unspecified value.
    pub fn labels(&self, list: &EnumDescriptor) -> Vec<String> {
        list.values().filter(|value| value.number() != 0).map(|value| self.label(&value)).collect()
    }

    /// The URI of an entity, when the message is one.
    pub fn entity_uri(&self, message: &MessageDescriptor) -> Option<String> {
        let entity: Option<Entity> = options::read(&self.pool, &message.options(), options::ENTITY);
        entity.map(|entity| entity.uri)
    }
}

/// Something with a place in a proto file.
pub trait Located {
    fn file(&self) -> FileDescriptor;
    fn path(&self) -> &[i32];
}

/// Declares descriptors as located items.
macro_rules! located {
    ($($descriptor:ty),+) => {$(
        impl Located for $descriptor {
            fn file(&self) -> FileDescriptor {
                self.parent_file()
            }
            fn path(&self) -> &[i32] {
                self.path()
            }
        }
    )+};
}

located!(MessageDescriptor, EnumDescriptor, EnumValueDescriptor, ServiceDescriptor, MethodDescriptor);

impl Located for FieldDescriptor {
    fn file(&self) -> FileDescriptor {
        self.parent_file()
    }
    fn path(&self) -> &[i32] {
        self.path()
    }
}

impl Located for FileDescriptor {
    fn file(&self) -> FileDescriptor {
        self.clone()
    }
    /// The line of the package statement stands for the file.
    fn path(&self) -> &[i32] {
        &[2]
    }
}

fn location<'a>(file: &'a FileDescriptor, path: &[i32]) -> Option<&'a Location> {
    let info = file.file_descriptor_proto().source_code_info.as_ref()?;
    info.location.iter().find(|location| location.path == path)
}

fn broken(root: &Path, error: &protox::Error) -> Problem {
    // The debug form of protox is the one with line and column.
    let text = format!("{error:?}");
    let mut parts = text.splitn(4, ':');
    let (file, line) = (parts.next().unwrap_or_default(), parts.next().and_then(|line| line.parse().ok()));
    let place = match line {
        Some(line) => Place { file: root.join(file).display().to_string(), line },
        None => Place { file: root.join(error.file().unwrap_or_default()).display().to_string(), line: 1 },
    };
    let message = if line.is_some() { parts.nth(1).unwrap_or_default().trim() } else { text.as_str() };
    Problem::error(place, message, "correct the proto file")
}

fn proto_files(root: &Path) -> std::io::Result<Vec<String>> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "proto") {
                let name = path.strip_prefix(root).expect("the folder was reached from the root");
                files.push(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    files.sort();
    Ok(files)
}
