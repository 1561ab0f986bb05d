use std::pin::Pin;
use std::task::{Context, Poll};

use scope::TenantId;
use tokio::io::ReadBuf;

use super::*;

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

struct World {
    folder: tempfile::TempDir,
    blobs: FileBlobs,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let blobs = FileBlobs::open(folder.path().join("blobs")).unwrap();
        Self { folder, blobs }
    }

    async fn put(&self, place: &Folder, mut content: impl AsyncRead + Send + Unpin) -> Result<StoredBlob, Error> {
        self.blobs.put(place, &mut content, Limit::of(100)).await
    }

    async fn text(&self, key: &Key, start: u64, length: u64) -> String {
        let mut text = String::new();
        self.blobs.read(key, start, length).await.unwrap().read_to_string(&mut text).await.unwrap();
        text
    }

    /// Files that are still on their way.
    fn incoming(&self) -> usize {
        fs::read_dir(self.folder.path().join("blobs").join(INCOMING)).unwrap().count()
    }
}

fn place(tenant: &str) -> Folder {
    Folder::new(&TenantId::new(tenant).unwrap(), "sources", "u1").unwrap()
}

// N-095, N-090
#[tokio::test]
async fn a_blob_lies_at_bucket_user_and_hash() {
    let world = World::new();
    let stored = world.put(&place("acme"), b"abc".as_slice()).await.unwrap();
    assert_eq!((stored.key.to_string(), stored.size, stored.fresh), (format!("sources/u1/{ABC}"), 3, true));
    assert_eq!(fs::read(world.folder.path().join(format!("blobs/acme/sources/u1/{ABC}"))).unwrap(), b"abc");
    assert_eq!(world.incoming(), 0);
}

// N-090
#[tokio::test]
async fn the_same_bytes_are_kept_once_and_not_written_again() {
    let world = World::new();
    let first = world.put(&place("acme"), b"abc".as_slice()).await.unwrap();
    let file = world.blobs.location(&first.key);
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    let second = world.put(&place("acme"), b"abc".as_slice()).await.unwrap();
    assert_eq!((second.key, second.fresh), (first.key, false));
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
    assert_eq!(world.incoming(), 0);
}

#[tokio::test]
async fn a_damaged_blob_is_replaced() {
    let world = World::new();
    let stored = world.put(&place("acme"), b"abc".as_slice()).await.unwrap();
    fs::write(world.blobs.location(&stored.key), "a").unwrap();
    assert!(world.put(&place("acme"), b"abc".as_slice()).await.unwrap().fresh);
    assert_eq!(world.text(&stored.key, 0, 9).await, "abc");
}

#[tokio::test]
async fn a_copy_has_every_sound_blob_and_leaves_the_others_out() {
    let world = World::new();
    let (from, to) = (world.folder.path().join("blobs"), world.folder.path().join("copy"));
    assert_eq!(copy(&from, &to).await.unwrap(), Copied::default());
    assert_eq!(copy(&to, &from).await.unwrap(), Copied::default());
    assert!(!to.exists(), "nothing is made for nothing");

    let sound = world.put(&place("acme"), b"abc".as_slice()).await.unwrap().key;
    let other = world.put(&place("globex"), b"xyz".as_slice()).await.unwrap().key;
    fs::write(world.blobs.location(&other), "xy!").unwrap();
    fs::write(from.join(INCOMING).join("half"), "ab").unwrap();
    let damaged = vec![other.folder().location().join(other.hash())];
    for _twice in 0..2 {
        assert_eq!(copy(&from, &to).await.unwrap(), Copied { blobs: 1, damaged: damaged.clone() });
    }
    let copied = FileBlobs::open(&to).unwrap();
    assert_eq!(fs::read(copied.location(&sound)).unwrap(), b"abc");
    assert!(matches!(copied.len(&other).await, Err(Error::NotFound)));
    assert_eq!(fs::read_dir(to.join(INCOMING)).unwrap().count(), 0);
}

// N-093
#[tokio::test]
async fn exactly_the_limit_is_accepted_and_one_byte_more_is_not() {
    let world = World::new();
    assert_eq!(world.put(&place("acme"), [7; 100].as_slice()).await.unwrap().size, 100);
    let refused = world.put(&place("acme"), [7; 101].as_slice()).await;
    assert!(matches!(refused, Err(Error::TooLarge { size: 101, max: 100 })), "{refused:?}");
    let limit = Limit { bytes_max: 100, declared: Some(5_000) };
    let refused = world.blobs.put(&place("acme"), &mut [7; 5_000].as_slice(), limit).await;
    assert!(matches!(refused, Err(Error::TooLarge { size: 5_000, max: 100 })), "{refused:?}");
    assert_eq!(world.incoming(), 0);
}

/// Never ends, and never yields more than it is asked for.
struct Endless {
    asked_max: usize,
}

impl AsyncRead for Endless {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.asked_max = self.asked_max.max(buffer.remaining());
        buffer.put_slice(&vec![0; buffer.remaining()]);
        Poll::Ready(Ok(()))
    }
}

// N-093
#[tokio::test]
async fn what_never_ends_is_refused_with_little_in_memory() {
    let world = World::new();
    let mut endless = Endless { asked_max: 0 };
    let limit = Limit::of(1_000_000);
    let refused = world.blobs.put(&place("acme"), &mut endless, limit).await;
    assert!(matches!(refused, Err(Error::TooLarge { max: 1_000_000, .. })), "{refused:?}");
    assert_eq!(endless.asked_max, CHUNK_BYTES);
    assert_eq!(world.incoming(), 0);
}

/// Fails after some bytes.
struct Broken(bool);

impl AsyncRead for Broken {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(Err(io::Error::other("gone")));
        }
        buffer.put_slice(b"abc");
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn what_breaks_off_leaves_nothing_behind_and_can_be_repeated() {
    let world = World::new();
    assert!(matches!(world.put(&place("acme"), Broken(false)).await, Err(Error::Io(_))));
    assert_eq!(world.incoming(), 0);
    let key = Key::parse(&TenantId::new("acme").unwrap(), &format!("sources/u1/{ABC}")).unwrap();
    assert!(matches!(world.blobs.len(&key).await, Err(Error::NotFound)));
    assert!(world.put(&place("acme"), b"abc".as_slice()).await.unwrap().fresh);
}

#[tokio::test]
async fn any_part_of_a_blob_can_be_read() {
    let world = World::new();
    let key = world.put(&place("acme"), b"0123456789".as_slice()).await.unwrap().key;
    assert_eq!(world.blobs.len(&key).await.unwrap(), 10);
    assert_eq!(world.text(&key, 0, 10).await, "0123456789");
    assert_eq!(world.text(&key, 3, 4).await, "3456");
    assert_eq!(world.text(&key, 8, 100).await, "89");
    assert_eq!(world.text(&key, 100, 1).await, "");
}

#[tokio::test]
async fn another_tenants_blob_does_not_exist() {
    let world = World::new();
    let stored = world.put(&place("acme"), b"abc".as_slice()).await.unwrap();
    let key = Key::parse(&TenantId::new("other").unwrap(), &stored.key.to_string()).unwrap();
    assert!(matches!(world.blobs.len(&key).await, Err(Error::NotFound)));
    assert!(matches!(world.blobs.read(&key, 0, 1).await.map(|_| ()), Err(Error::NotFound)));
}

#[test]
fn what_crashed_writers_left_is_removed_once_it_is_old() {
    let world = World::new();
    let incoming = world.folder.path().join("blobs").join(INCOMING);
    let old = fs::File::create(incoming.join("old")).unwrap();
    old.set_modified(SystemTime::now() - ABANDONED_AFTER - Duration::from_secs(60)).unwrap();
    fs::write(incoming.join("new"), "x").unwrap();
    FileBlobs::open(world.folder.path().join("blobs")).unwrap();
    assert!(!incoming.join("old").exists() && incoming.join("new").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn blobs_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let stored = world.put(&place("acme"), b"abc".as_slice()).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = world.blobs.location(&stored.key);
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
}
