"""Starts the server for a test: a free port, a data directory of its own, and an end by process id."""

import atexit
import os
import pathlib
import re
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
START_SECONDS_MAX = 30
STOP_SECONDS_MAX = 30

# The program under test; ./test says where it was built.
CHANCERY = os.environ.get("TEST_BINARY", str(ROOT / "target/debug/chancery"))


def stdio_arguments(data, capability="transformation"):
    """The arguments of a stdio server on `data`, as a client's configuration would name them."""
    return ["serve", "--stdio", "--capability", capability, "--data", str(data)]


class Server:
    """One HTTP server process on a data directory. It asks for no token, unless settings say whose are good."""

    def __init__(self, data, *settings):
        self.log = ""
        self._ready = threading.Event()
        self.origin = None
        guard = [word for setting in settings for word in ("--set", setting)] or ["--open"]
        self.process = subprocess.Popen(
            [CHANCERY, "serve", "--listen", "127.0.0.1:0", "--data", str(data), *guard],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.kill)
        threading.Thread(target=self._read, daemon=True).start()
        self._ready.wait(START_SECONDS_MAX)
        if self.origin is None:
            self.kill()
            raise RuntimeError(f"the server did not say that it listens:\n{self.log}")

    def _read(self):
        for line in self.process.stderr:
            self.log = (self.log + line)[-20_000:]
            if self.origin is None and (found := re.search(r"listening on (http://[0-9.:\[\]]+)", line)):
                self.origin = found[1]
                self._ready.set()
        self._ready.set()

    def stop(self):
        """Ends the server the polite way and answers its exit code."""
        self.process.terminate()
        try:
            code = self.process.wait(STOP_SECONDS_MAX)
        finally:
            self.kill()
        return code

    def kill(self):
        """Ends the server as a power cut would."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
