"""Bad data directories are refused at the start: one clear line on stderr, a non-zero exit, nothing changed.

Read-only and full volumes are small tmpfs mounts in a mount namespace of their own, which need root; elsewhere they are skipped.
"""

import hashlib
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from harness import CHANCERY, Checks, Http, Server, mountable, mounted

REFUSE_SECONDS_MAX = 20


def commands(data):
    """The ways to open a data directory; each must refuse a bad one."""
    return {
        "serve": [CHANCERY, "serve", "--open", "--listen", "127.0.0.1:0", "--data", data],
        "serve --stdio": [CHANCERY, "serve", "--stdio", "--capability", "transformation", "--data", data],
        "call": [CHANCERY, "call", "transformation.listModels", "{}", "--data", data],
    }


def refuses(checks, what, data, prefix=(), words=()):
    """Every command refuses `data` with one line that names it."""
    for name, command in commands(str(data)).items():
        title = f"{name} refuses {what}"
        try:
            done = subprocess.run(
                [*prefix, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=REFUSE_SECONDS_MAX
            )
        except subprocess.TimeoutExpired:
            checks.check(False, title, "it went on running")
            continue
        # A folder that others could use is closed first, with a warning.
        lines = [line for line in done.stderr.splitlines() if line.strip() and "was open to others" not in line]
        clear = done.returncode != 0 and len(lines) == 1 and "panicked" not in done.stderr and not done.stdout.strip()
        says = all(word in done.stderr for word in words)
        checks.check(clear and says, title, f"exit {done.returncode}\nstderr: {done.stderr}\nstdout: {done.stdout}")
        if clear and says:
            print(f"         {lines[0]}")


def filled(folder):
    """A data directory with something in it, closed properly, and all of it in the one file."""
    server = Server(folder)
    Http(server.port).call("createElement", {"type": "Goal", "name": "Keep this"})
    server.stop()
    # Pages that wait in the write-ahead log would heal the damage done below.
    connection = sqlite3.connect(database(folder))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return folder


def database(folder):
    """The database file: the one that begins as SQLite files do."""
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3":
            return path
    raise RuntimeError(f"no database in {folder}")


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def unchanged(checks, what, path, before):
    checks.check(digest(path) == before, f"{what} is left as it was")


def main():
    checks, work = Checks(), pathlib.Path(tempfile.mkdtemp(prefix="chancery-datadir-"))

    plain = work / "file"
    plain.write_text("not a directory")
    refuses(checks, "a file where the directory should be", plain, words=[str(plain)])

    damaged = filled(work / "damaged")
    path = database(damaged)
    body = bytearray(path.read_bytes())
    body[0:4096] = b"\x5a" * 4096
    path.write_bytes(body)
    before = digest(path)
    refuses(checks, "a damaged database", damaged, words=[str(damaged)])
    unchanged(checks, "a damaged database", path, before)

    short = filled(work / "short")
    path = database(short)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    done = subprocess.run([CHANCERY, "verify", "--data", str(short)], capture_output=True, text=True)
    checks.check(done.returncode != 0, "verify finds a truncated database", done.stdout + done.stderr)

    newer = filled(work / "newer")
    path = database(newer)
    connection = sqlite3.connect(path, isolation_level=None)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    checks.check(version > 0, "the database carries its schema version", f"user_version is {version}")
    connection.execute(f"PRAGMA user_version = {version + 1}")
    connection.close()
    before = digest(path)
    refuses(checks, "a database of a newer version", newer, words=[str(newer)])
    unchanged(checks, "a database of a newer version", path, before)

    if mountable():
        place = work / "mount"
        place.mkdir()
        source = filled(work / "source")
        script = f'mount -t tmpfs -o size=8m none "{place}" && cp -a "{source}/." "{place}" && mount -o remount,ro "{place}"'
        refuses(checks, "a read-only volume", place, prefix=mounted(script), words=[str(place)])
        script = f'mount -t tmpfs -o size=64k none "{place}" && head -c 65536 /dev/zero > "{place}/ballast"'
        refuses(checks, "a full volume", place, prefix=mounted(script), words=[str(place)])
    else:
        checks.skip("a read-only volume", "no right to mount")
        checks.skip("a full volume", "no right to mount")

    shutil.rmtree(work, ignore_errors=True)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
