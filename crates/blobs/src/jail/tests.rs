use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// `in/` is permitted, `out/` is not. Both hold `file`; the one outside says `secret`.
struct World {
    folder: tempfile::TempDir,
    roots: Roots,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("in/deep")).unwrap();
        fs::create_dir_all(at("out")).unwrap();
        for (path, text) in
            [("in/file", "mine"), ("in/deep/file", "deep"), ("out/file", "secret"), ("inside", "secret")]
        {
            fs::write(at(path), text).unwrap();
        }
        let roots = Roots::open(&[at("in")]).unwrap();
        Self { folder, roots }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    #[track_caller]
    fn check(&self, path: impl AsRef<Path>, expected: Option<&str>) {
        let path = path.as_ref();
        let shown = |outcome: Result<LocalFile, Error>| match outcome {
            Ok(mut file) => Some(String::from_utf8(file.head(100).unwrap()).unwrap()),
            Err(Error::NotFound) => None,
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(shown(self.roots.file(path)).as_deref(), expected, "{}", path.display());
    }
}

// N-091
#[test]
fn a_file_beneath_a_folder_is_opened() {
    let world = World::new();
    world.check("file", Some("mine"));
    world.check("deep/file", Some("deep"));
    world.check("deep/../file", Some("mine"));
    world.check(world.at("in/file"), Some("mine"));
    world.check(world.at("in").canonicalize().unwrap().join("deep/file"), Some("deep"));
    let file = world.roots.file(Path::new("file")).unwrap();
    assert_eq!(file.size(), 4);
}

// N-091, N-334
#[test]
fn what_lies_outside_is_not_found_like_what_is_not_there() {
    let world = World::new();
    for path in ["missing", "../out/file", "deep/../../out/file", "../inside", "", ".", "..", "/", "file/x"] {
        world.check(path, None);
    }
    for path in ["out/file", "in/../out/file", "inside", "in", "in/", "in/deep"] {
        world.check(world.at(path), None);
    }
    world.check("/etc/passwd", None);
    world.check("/proc/self/environ", None);
    assert!(Roots::default().is_empty());
    assert!(matches!(Roots::default().file(&world.at("in/file")), Err(Error::NotFound)));
}

// N-091, N-334
#[test]
fn no_link_leads_out() {
    let world = World::new();
    symlink(world.at("out/file"), world.at("in/absolute")).unwrap();
    symlink("../out/file", world.at("in/relative")).unwrap();
    symlink("../out", world.at("in/folder")).unwrap();
    symlink("/proc/self/root", world.at("in/root")).unwrap();
    symlink("file", world.at("in/own")).unwrap();
    for path in ["absolute", "relative", "folder/file", "root/etc/passwd"] {
        world.check(path, None);
        world.check(world.at("in").join(path), None);
    }
    #[cfg(target_os = "linux")]
    world.check("own", Some("mine"));
}

// N-334
#[test]
fn a_hard_link_reaches_nothing_outside() {
    let world = World::new();
    fs::hard_link(world.at("out/file"), world.at("in/linked")).unwrap();
    for path in [PathBuf::from("linked"), world.at("in/linked")] {
        assert!(matches!(world.roots.file(&path), Err(Error::SeveralNames)), "{}", path.display());
    }
    fs::remove_file(world.at("out/file")).unwrap();
    world.check("linked", Some("secret"));
}

// N-334
#[test]
fn only_regular_files_are_opened_and_nothing_waits() {
    let world = World::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, world.at("in/fifo"), rustix::fs::Mode::RUSR).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.at("in/socket")).unwrap();
    for path in ["fifo", "socket", "deep"] {
        world.check(path, None);
    }
    let devices = Roots::open(&[PathBuf::from("/dev")]).unwrap();
    for path in ["zero", "null", "tty", "/dev/zero"] {
        assert!(matches!(devices.file(Path::new(path)), Err(Error::NotFound)), "{path}");
    }
}

// N-334
#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    let world = World::new();
    let stop = AtomicBool::new(false);
    let (real, parked) = (world.at("in/deep"), world.at("in/parked"));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                fs::rename(&real, &parked).unwrap();
                symlink("../out", &real).unwrap();
                fs::remove_file(&real).unwrap();
                fs::rename(&parked, &real).unwrap();
            }
        });
        for _ in 0..2_000 {
            if let Ok(mut file) = world.roots.file(Path::new("deep/file")) {
                assert_eq!(file.head(100).unwrap(), b"deep");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn without_the_kernels_help_no_link_is_followed_at_all() {
    let world = World::new();
    symlink("file", world.at("in/own")).unwrap();
    symlink("../out", world.at("in/folder")).unwrap();
    let root = File::open(world.at("in")).unwrap();
    let opens = |path: &str| unix::step_by_step(&root, Path::new(path)).is_ok();
    assert!(opens("file") && opens("deep/file") && opens("./deep/./file"));
    for path in ["own", "folder/file", "../out/file", "deep/../file", "/etc/passwd", "file/x"] {
        assert!(!opens(path), "{path}");
    }
}

#[tokio::test]
async fn a_file_is_read_from_the_start_after_a_look_at_its_head() {
    use tokio::io::AsyncReadExt as _;
    let world = World::new();
    let mut file = world.roots.file(Path::new("file")).unwrap();
    assert_eq!(file.head(2).unwrap(), b"mi");
    let mut text = String::new();
    file.into_reader().read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "mine");
}

#[test]
fn a_folder_that_is_not_there_is_the_operators_to_know() {
    let world = World::new();
    let error = Roots::open(&[world.at("nowhere")]).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    assert!(Roots::open(&[world.at("in/file")]).is_err());
}
