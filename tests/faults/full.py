"""F06: the disk fills up while the server runs. Writes are refused as unavailable, reads go on, and writes come back with space.
The audit log lies on the same disk: no call waits for it or fails by it, and it goes on with space.

The data lies on a small tmpfs in the server's own mount namespace, which needs root; elsewhere this is skipped.
"""

import datetime
import http.client
import pathlib
import subprocess
import sys
import tempfile
import time

from harness import CHANCERY, Checks, Http, Refused, Server, Unknown, everything, mountable, mounted

VOLUME_MIB = 16
WRITES_MAX = 20_000
BACK_SECONDS_MAX = 5
HEALTH_SECONDS_MAX = 5


def write(client, number, acknowledged):
    """One larger write; answers the code of a refusal, or nothing."""
    arguments = {"type": "Goal", "name": f"goal {number}", "description": "x" * 4000, "client_request_id": f"goal {number}"}
    try:
        acknowledged[f"goal {number}"] = client.call("createElement", arguments)["element"]["id"]
        return None
    except Refused as refused:
        return refused.code
    except Unknown as unknown:
        return f"no answer: {unknown}"


def calls_in_audit(server, place, since):
    """How many calls since then the audit log has, read from the server's own volume by another process."""
    inside = ["nsenter", "-t", str(server.process.pid), "-m"]
    command = [CHANCERY, "audit", "--data", str(place), "--since", since, "--json"]
    done = subprocess.run([*inside, *command], capture_output=True, text=True, timeout=60)
    return sum("listElements" in line for line in done.stdout.splitlines())


def wait_for(count, seconds):
    """What is counted once it is not nothing, or nothing after some seconds."""
    deadline = time.monotonic() + seconds
    while not (found := count()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def main():
    checks = Checks()
    if not mountable():
        checks.skip("a disk that fills up", "no right to mount")
        return checks.close()
    place = pathlib.Path(tempfile.mkdtemp(prefix="chancery-full-"))
    server = Server(place, mounted(f'mount -t tmpfs -o size={VOLUME_MIB}m none "{place}"'))
    client, acknowledged = Http(server.port), {}
    # The server's volume as seen from outside its namespace.
    ballast = pathlib.Path(f"/proc/{server.process.pid}/root{place}/ballast")
    for number in range(20):
        write(client, number, acknowledged)
    checks.check(len(acknowledged) == 20, "writes while there is space", acknowledged)
    with open(ballast, "wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 65536):
                pass
        except OSError:
            pass

    codes = []
    for number in range(100, 100 + WRITES_MAX):
        code = write(client, number, acknowledged)
        codes += [code] if code else []
        if len(codes) == 20:
            break
    checks.check(len(codes) == 20, "a full disk refuses writes", f"{len(acknowledged)} acknowledged, refused {codes}")
    checks.check(set(codes) == {"SERVICE_UNAVAILABLE"}, "the code is SERVICE_UNAVAILABLE", sorted(set(codes)))
    try:
        held = {item["name"]: item["id"] for item in everything(client, "listElements", "elements")}
        checks.check(held == acknowledged, "reads go on, with all that was acknowledged and no more", f"{len(held)} of {len(acknowledged)}")
    except (Refused, Unknown) as problem:
        checks.check(False, "reads go on", repr(problem))

    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HEALTH_SECONDS_MAX)
    connection.request("GET", "/health")
    checks.check(connection.getresponse().status == 200, "/health answers while nothing can be written")
    connection.close()

    ballast.unlink()
    freed, freed_at = time.monotonic(), datetime.datetime.now(datetime.timezone.utc).isoformat()
    # The same keys: what was refused as unavailable may be tried again.
    while (code := write(client, 10**6, acknowledged)) and time.monotonic() - freed < 2 * BACK_SECONDS_MAX:
        time.sleep(0.05)
    took = time.monotonic() - freed
    checks.check(code is None and took <= BACK_SECONDS_MAX, f"writes are back {took:.1f} s after there is space", code)
    held = {item["name"]: item["id"] for item in everything(client, "listElements", "elements")}
    checks.check(held == acknowledged, "no acknowledged write is lost, none appears", f"{len(held)} of {len(acknowledged)}")
    audited = wait_for(lambda: calls_in_audit(server, place, freed_at), BACK_SECONDS_MAX)
    checks.check(audited, "calls after that are in the audit log", f"{audited} rows")
    checks.check(server.stop() == 0, "the server ends with 0 on SIGTERM", "".join(server.lines))
    place.rmdir()
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
