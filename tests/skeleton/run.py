"""`cargo xtask new-capability NAME` for real: a copy of this repository gets a capability, builds, passes its test and serves it.

The copy lies below the target directory and is gone at the end. Its own target directory begins with the dependencies that are built
already, so that only the crates of this repository are compiled.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/faults"))

import harness  # noqa: E402
from harness import Checks, Http, Refused, Server, verify  # noqa: E402

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
SCRATCH = TARGET / "skeleton"
COPY = SCRATCH / "repository"
BUILT = SCRATCH / "target"
NAME = "errands"
LIBRARIES = {".rlib", ".rmeta", ".so", ".dylib", ".dll"}
BUILD_SECONDS_MAX = 1700


def copy():
    """Copies this repository as it stands."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in listed.stdout.split("\0"):
        if path and (ROOT / path).is_file():
            (COPY / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, COPY / path)


def ours():
    """The names of the crates of this repository, as cargo begins the names of what it builds."""
    listed = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {package["name"].replace("-", "_") for package in json.loads(listed.stdout)["packages"]}


def seed():
    """Gives the copy the dependencies that are built. What cargo writes in place is copied, the libraries are linked."""
    skipped = ours()

    def is_dependency(name):
        return name.removeprefix("lib").rpartition("-")[0].replace("-", "_") not in skipped

    for folder in [".fingerprint", "build", "deps"]:
        (BUILT / "debug" / folder).mkdir(parents=True, exist_ok=True)
        source = TARGET / "debug" / folder
        for entry in source.iterdir() if source.is_dir() else []:
            target = BUILT / "debug" / folder / entry.name
            if not is_dependency(entry.name):
                continue
            if entry.is_dir():
                shutil.copytree(entry, target, symlinks=True)
            elif entry.suffix in LIBRARIES:
                os.link(entry, target)


def run(checks, text, *command):
    """Runs a command in the copy; answers its output, or nothing when it failed."""
    done = subprocess.run(
        command,
        cwd=COPY,
        env={**os.environ, "CARGO_TARGET_DIR": str(BUILT)},
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS_MAX,
    )
    output = done.stdout + done.stderr
    checks.check(done.returncode == 0, text, "\n".join(output.splitlines()[-40:]))
    return output if done.returncode == 0 else None


def build_and_test(checks):
    """Whether there is a program to serve."""
    xtask = str(BUILT / "debug/xtask")
    made = (
        run(checks, "the tasks build", "cargo", "build", "--workspace", "--bin", "xtask") is not None
        and run(checks, "new-capability writes a skeleton", xtask, "new-capability", NAME) is not None
        and run(checks, "the skeleton builds", "cargo", "build", "--workspace", "--bin", "chancery", "--test", "mounted") is not None
    )
    if not made:
        return False
    tested = run(checks, "its test passes", "cargo", "test", "--workspace", "--test", "mounted") or ""
    checks.check("test whoever_gives_a_name_is_greeted ... ok" in tested, "its test is among those that ran", tested)
    run(checks, "tidy has nothing to say", xtask, "tidy")
    run(checks, "its generated files are as the generator makes them", xtask, "codegen", "--check")
    run(checks, "it is formatted", "cargo", "fmt", "--all", "--check")
    return True


def serve(checks, data):
    harness.CHANCERY = str(BUILT / "debug/chancery")
    server = Server(data)
    client = Http(server.port, capability=NAME)
    greeting = client.call(f"{NAME}.greet", {"name": "Ada"})
    checks.check(greeting == {"greeting": "Hello, Ada!"}, "its tool answers over HTTP", greeting)
    try:
        client.call(f"{NAME}.greet", {"nmae": "Ada"})
        checks.check(False, "a misspelt argument is refused")
    except Refused as refused:
        checks.check("name" in str(refused.error), "a misspelt argument is refused", refused)
    made = Http(server.port).call("createElement", {"type": "Goal", "name": "beside it"})
    checks.check("element" in made, "the others are served beside it", made)
    checks.check(server.stop() == 0, "the server ends with 0 on SIGTERM", "".join(server.lines))
    sound, said = verify(data)
    checks.check(sound, "chancery verify finds the data sound", said)


def main():
    checks = Checks()
    shutil.rmtree(SCRATCH, ignore_errors=True)
    try:
        copy()
        seed()
        if build_and_test(checks):
            serve(checks, SCRATCH / "data")
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
