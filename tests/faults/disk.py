"""A disk that loses its power: what system calls did to a folder, and what of it is still there after a cut.

`strace` records the calls. A byte is safe once a sync of its file ended, a name once a sync of its folder did. Of everything else
a cut leaves nothing, all, a beginning with the last write torn, or sectors of different ages; names come in the order in which
they changed. Files for shared memory are not kept at all.
"""

import os
import pathlib
import re
import shutil
import subprocess
import time

CALLS = (
    "openat ?open ?creat write pwrite64 ?writev ?pwritev ?pwritev2 ftruncate ?truncate ?fallocate fsync fdatasync ?rename renameat"
    " ?renameat2 ?unlink unlinkat ?mkdir mkdirat ?rmdir ?link linkat ?symlink symlinkat ?copy_file_range ?sendfile ?splice"
    " ?sync_file_range ?msync ?io_uring_setup ?mmap ?mmap2"
)
CLOSED_SECONDS_MAX = 30
MODES = ["none", "all", "beginning", "sectors", "sectors"]


def recorder(trace):
    """The words before a command that record what it does to files; the command keeps its process id."""
    calls = ",".join(CALLS.split())
    return ["strace", "-D", "-f", "-y", "-ttt", "-T", "-xx", "-s", "10000000", "-o", str(trace), "-e", f"trace={calls}"]


def unavailable():
    """Why nothing can be recorded here, or nothing."""
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(["strace", "-D", "-f", "-o", os.devnull, "true"], capture_output=True, text=True)
    return f"strace may not follow a process: {tried.stderr.strip()}" if tried.returncode else None


def ended(trace):
    """Waits until the recorder has written its last line."""
    deadline = time.monotonic() + CLOSED_SECONDS_MAX
    while time.monotonic() < deadline:
        with open(trace, "rb") as file:
            file.seek(max(0, os.path.getsize(trace) - 200))
            if re.search(rb"\+\+\+ (exited|killed)[^\n]*\n$", file.read()):
                return
        time.sleep(0.05)
    raise RuntimeError("strace did not come to an end")


class Call:
    """One system call that succeeded."""

    def __init__(self, name, words, result, start, end):
        self.name, self.words, self.result, self.start, self.end = name, words, result, start, end


def calls(trace):
    """The calls that succeeded, by the moment at which they began; moments are whole microseconds."""
    found, halves = [], {}
    with open(trace, encoding="latin-1") as lines:
        for line in lines:
            process, moment, text = line.rstrip("\n").split(None, 2)
            start = int(moment.replace(".", ""))
            if text.endswith("<unfinished ...>"):
                halves[process] = (start, text.removesuffix("<unfinished ...>").rstrip())
                continue
            if text.startswith("<... "):
                start, half = halves.pop(process)
                text = half + text[text.index(" resumed>") + len(" resumed>") :]
            name, opened, rest = text.partition("(")
            words, closed, outcome = rest.rpartition(") ")
            outcome = outcome.strip()
            # "+++ exited", "--- SIGTERM" and what was cut by a kill have no outcome.
            if not opened or not closed or not outcome.startswith("= ") or outcome[2] in "-?":
                continue
            result, _, took = outcome[2:].rpartition(" <")
            found.append(Call(name, words.split(", "), result, start, start + int(took.rstrip(">").replace(".", ""))))
    return sorted(found, key=lambda call: call.start)


def plain(word):
    """The text of a word in hexadecimal, with or without quotes."""
    return bytes.fromhex(word.strip('"').replace("\\x", ""))


def path_of(word):
    """The path of a descriptor: 12</a/path>. One without a path, or with one that is gone, has none."""
    match = re.fullmatch(r"\w+<((?:\\x[0-9a-f]{2})+)>", word)
    return plain(match[1]).decode(errors="replace") if match else None


class File:
    """What is safe, and what was done since."""

    def __init__(self):
        self.safe, self.since = bytearray(), []

    def sync(self, start):
        for change in [change for change in self.since if change[1] <= start]:
            apply(self.safe, change)
        self.since = [change for change in self.since if change[1] > start]

    def after_cut(self, chance, mode, sector):
        content, changes = bytearray(self.safe), self.since
        if mode == "none":
            return content
        if mode == "beginning":
            changes = changes[: chance.randint(0, len(changes))]
            for change in changes[:-1]:
                apply(content, change)
            for change in changes[-1:]:
                pieces = list(split(change, sector))
                for piece in pieces[: chance.randint(0, len(pieces))]:
                    apply(content, piece)
            return content
        # A sector that was left behind stays as it was then.
        left, behind = chance.choice([0.02, 0.2, 0.7]) if mode == "sectors" else 0, set()
        for change in changes:
            for piece in split(change, sector):
                place = piece[2] // sector if piece[3] is not None else None
                if place in behind or chance.random() < left:
                    behind.add(place)
                else:
                    apply(content, piece)
        whole = max([len(content), *(change[2] + len(change[3]) for change in changes if change[3] is not None)])
        if mode == "sectors" and chance.random() < 0.25:
            content += bytes(whole - len(content))
        return content


def apply(content, change):
    """Changes a content: (start, end, offset, bytes), or a new length and no bytes."""
    _, _, at, data = change
    if data is None:
        del content[at:]
        content += bytes(at - len(content))
    else:
        content += bytes(max(0, at - len(content)))
        content[at : at + len(data)] = data


def split(change, sector):
    """A write as writes of single sectors."""
    start, end, at, data = change
    if data is None:
        yield change
        return
    done = 0
    while done < len(data):
        length = min(sector - (at + done) % sector, len(data) - done)
        yield start, end, at + done, data[done : done + length]
        done += length


class Folder:
    """Names and what they stand for: as it is, as it was when it was synced, and the changes since."""

    def __init__(self):
        self.live, self.safe, self.since = {}, {}, []

    def change(self, **names):
        for table in [self.live]:
            put(table, names)
        self.since.append(names)

    def sync(self, _):
        self.safe, self.since = dict(self.live), []

    def after_cut(self, chance, mode):
        names = dict(self.safe)
        count = {"none": 0, "all": len(self.since)}.get(mode)
        for change in self.since[: chance.randint(0, len(self.since)) if count is None else count]:
            put(names, change)
        return names


def put(table, names):
    for name, node in names.items():
        if node is None:
            table.pop(name, None)
        else:
            table[name] = node


class Disk:
    """What is below one folder, which itself is safe."""

    def __init__(self, root):
        self.root, self.top, self.places = pathlib.Path(root), Folder(), {}
        self.syncs = True

    def within(self, path):
        """The folder that holds a path, and its name there; nothing for what lies elsewhere or is shared memory."""
        if path is None or path.endswith("-shm"):
            return None
        try:
            parts = pathlib.Path(path).relative_to(self.root).parts
        except ValueError:
            return None
        if not parts:
            return None
        folder = self.top
        for part in parts[:-1]:
            folder = folder.live[part]
        return folder, parts[-1]

    def node(self, path):
        if path == str(self.root):
            return self.top
        place = self.within(path)
        return place and place[0].live[place[1]]

    def began(self, call):
        """What a call does from the moment it begins: it may be on the disk, or not."""
        name, words = call.name, call.words
        if name in ("open", "openat", "creat"):
            self.opened(call)
        elif name in ("write", "pwrite64"):
            # A sync is served when it ends; a write is there in part before.
            if file := self.node(path_of(words[0])):
                descriptor = words[0].partition("<")[0]
                at = int(words[3]) if name == "pwrite64" else self.places.get(descriptor, 0)
                data = plain(words[1])[: int(call.result)]
                file.since.append((call.start, call.end, at, data))
                if name == "write":
                    self.places[descriptor] = at + len(data)
        elif name == "ftruncate":
            if file := self.node(path_of(words[0])):
                file.since.append((call.start, call.end, int(words[1]), None))
        elif name in ("mkdir", "mkdirat"):
            self.named(words[-2], Folder())
        elif name in ("unlink", "rmdir", "unlinkat"):
            self.named(words[0 if name != "unlinkat" else 1], None)
        elif name in ("link", "linkat", "rename", "renameat", "renameat2"):
            old, new = words[:2] if name in ("link", "rename") else (words[1], words[3])
            self.moved(plain(old).decode(), plain(new).decode(), keep=name.startswith("link"))
        elif name in ("mmap", "mmap2"):
            if "MAP_SHARED" in words[3] and "PROT_WRITE" in words[2] and self.within(path_of(words[4])):
                raise RuntimeError(f"a file is written through memory, which cannot be followed: {path_of(words[4])}")
        elif name not in ("fsync", "fdatasync"):
            paths = [path_of(word) or (plain(word).decode(errors="replace") if word.startswith('"\\x2f') else None) for word in words]
            if name == "io_uring_setup" or any(self.within(path) for path in paths):
                raise RuntimeError(f"{name} cannot be followed")

    def ended(self, call):
        """What is true once a call has ended: only a sync makes anything safe."""
        if call.name in ("fsync", "fdatasync") and self.syncs and (node := self.node(path_of(call.words[0]))):
            node.sync(call.start)

    def opened(self, call):
        path, flags = path_of(call.result), call.words[-1] if call.name == "openat" else call.words[1]
        self.places.pop(call.result.partition("<")[0], None)
        flags = " ".join(call.words)
        place = self.within(path)
        if not place:
            return
        folder, name = place
        if name not in folder.live:
            if "O_CREAT" not in flags:
                raise RuntimeError(f"{path} was opened and never made")
            folder.change(**{name: File()})
        if "O_TRUNC" in flags:
            folder.live[name].since.append((call.start, call.end, 0, None))
        if "O_APPEND" in flags:
            raise RuntimeError(f"{path} is appended to, which cannot be followed")

    def named(self, word, node):
        if place := self.within(plain(word).decode()):
            folder, name = place
            folder.change(**{name: node})

    def moved(self, old, new, keep):
        source, target = self.within(old), self.within(new)
        if not source or not target:
            return
        node = source[0].live[source[1]]
        if source[0] is target[0]:
            source[0].change(**({} if keep else {source[1]: None}), **{target[1]: node})
            return
        target[0].change(**{target[1]: node})
        if not keep:
            source[0].change(**{source[1]: None})

    def image(self, place, chance, mode):
        """Writes what a cut leaves to a new folder."""
        sector = chance.choice([512, 4096])
        shutil.rmtree(place, ignore_errors=True)
        self._image(pathlib.Path(place), self.top, chance, mode, sector)
        return sector

    def _image(self, place, folder, chance, mode, sector):
        place.mkdir(mode=0o700)
        for name, node in folder.after_cut(chance, mode).items():
            if isinstance(node, Folder):
                self._image(place / name, node, chance, mode, sector)
            else:
                (place / name).write_bytes(node.after_cut(chance, mode, sector))
                (place / name).chmod(0o600)


def at_each(disk, recorded, moments):
    """Stops at each moment, in order, with the disk as it is then."""
    steps = [(call.start, 0, number, disk.began, call) for number, call in enumerate(recorded)]
    steps += [(call.end, 1, number, disk.ended, call) for number, call in enumerate(recorded)]
    steps.sort(key=lambda step: step[:3])
    done = 0
    for moment in sorted(moments):
        while done < len(steps) and steps[done][0] <= moment:
            _, _, _, act, call = steps[done]
            act(call)
            done += 1
        yield moment
