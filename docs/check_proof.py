#!/usr/bin/env python3
"""Checks what `chancery prove` or an answer gave, without Chancery and without a network.

    check_proof.py PROOF.json --key KEY               # one fact or audit record; prints it
    check_proof.py --export LINES --checkpoint NOTE --key KEY   # all audit records of a tenant

KEY is what `chancery audit key` printed, from a place that you trust: the proof names a key too, but whoever forges a proof
forges that as well. Needs Python 3 and nothing else. The tree is that of RFC 6962, the note that of c2sp.org/signed-note.
"""

import argparse
import base64
import hashlib
import json
import sys


class Wrong(Exception):
    """What does not fit."""


# Ed25519, as RFC 8032 states it. Slow, and only for checking: nothing here is secret.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def x_of(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        raise Wrong("a point of the signature is not on the curve")
    return P - x if x % 2 != sign else x


def point(data):
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255, number >> 255
    if y >= P:
        raise Wrong("a point of the signature is not on the curve")
    x = x_of(y, sign)
    return x, y, 1, x * y % P


def add(a, b):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    e, f = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    g, h = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    k, l, m, n = f - e, h - g, h + g, f + e
    return k * l % P, m * n % P, l * m % P, k * n % P


def times(number, at):
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = add(total, at)
        at, number = add(at, at), number >> 1
    return total


BASE_Y = 4 * pow(5, -1, P) % P
BASE = (x_of(BASE_Y, 0), BASE_Y, 1, x_of(BASE_Y, 0) * BASE_Y % P)


def signed_by(key, text, signature):
    """Whether 32 bytes of key signed the text."""
    if len(signature) != 64:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    if scalar >= ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % ORDER
    left, right = times(scalar, BASE), add(point(signature[:32]), times(challenge, point(key)))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def read_key(text):
    """Name, id and bytes of `name+id+base64`."""
    name, number, encoded = text.strip().split("+", 2)
    data = base64.b64decode(encoded, validate=True)
    if data[0] != 1 or len(data) != 33:
        raise Wrong("this is no Ed25519 key")
    expected = hashlib.sha256(name.encode() + b"\n" + data).digest()[:4]
    if bytes.fromhex(number) != expected:
        raise Wrong("the key does not fit its id")
    return name, expected, data[1:]


def read_note(note, key):
    """Origin, size and root of a checkpoint that this key signed."""
    name, number, public = read_key(key)
    text, signatures = note.rsplit("\n\n", 1)
    text += "\n"
    for line in signatures.splitlines():
        mark, signer, encoded = line.split(" ")
        data = base64.b64decode(encoded, validate=True)
        if mark == "—" and signer == name and data[:4] == number and signed_by(public, text.encode(), data[4:]):
            origin, size, root = text.split("\n")[:3]
            return origin, int(size), base64.b64decode(root, validate=True)
    raise Wrong("the checkpoint is not signed by this key")


def leaf_hash(leaf):
    return hashlib.sha256(b"\0" + leaf.encode()).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of_path(index, size, hash, path):
    """The root that a leaf and its path lead to (RFC 6962, 2.1.1)."""
    if not 0 <= index < size:
        raise Wrong("the tree has no such leaf")
    last = size - 1
    for other in path:
        if last == 0:
            raise Wrong("the path is too long")
        if index % 2 or index == last:
            hash = node_hash(other, hash)
            while index % 2 == 0 and index:
                index, last = index >> 1, last >> 1
        else:
            hash = node_hash(hash, other)
        index, last = index >> 1, last >> 1
    if last:
        raise Wrong("the path is too short")
    return hash


def root_of_leaves(hashes):
    """The root of a whole tree (RFC 6962, 2.1)."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    half = 1 << (len(hashes) - 1).bit_length() - 1
    return node_hash(root_of_leaves(hashes[:half]), root_of_leaves(hashes[half:]))


def check_proof(proof, key):
    origin, size, root = read_note(proof["checkpoint"], key)
    if not origin.endswith("/" + proof["tree"]):
        raise Wrong("the checkpoint is of another tree")
    path = [base64.b64decode(hash, validate=True) for hash in proof["path"]]
    if root_of_path(proof["index"], size, leaf_hash(proof["leaf"]), path) != root:
        raise Wrong("the leaf is not in the tree that was signed")
    leaf = json.loads(proof["leaf"])
    if proof["tree"] == "facts" and leaf["sequence"] != str(proof["index"] + 1):
        raise Wrong("the fact does not stand in its place")
    if "/" + leaf["tenant"] + "/" + proof["tree"] != origin[-len("/" + leaf["tenant"] + "/" + proof["tree"]) :]:
        raise Wrong("the checkpoint is of another tenant")
    return origin, size, leaf


def check_export(lines, note, key):
    origin, size, root = read_note(note, key)
    if len(lines) < size:
        raise Wrong(f"{size} leaves were signed, and only {len(lines)} are here")

    def hash_of(line):
        removed = json.loads(line).get("removed")
        return base64.b64decode(removed, validate=True) if removed else leaf_hash(line)

    if root_of_leaves([hash_of(line) for line in lines[:size]]) != root:
        raise Wrong("the records are not those that were signed")
    return origin, size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proof", nargs="?", help="a file with a proof, or - for stdin")
    parser.add_argument("--key", required=True)
    parser.add_argument("--export", help="a file with what `chancery audit export` printed")
    parser.add_argument("--checkpoint", help="a file with a signed checkpoint of the audit tree")
    options = parser.parse_args()
    try:
        if options.export:
            lines = open(options.export, encoding="utf-8").read().splitlines()
            origin, size = check_export(lines, open(options.checkpoint, encoding="utf-8").read(), options.key)
            print(f"right: the first {size} records are those of {origin}")
            return 0
        proof = json.load(sys.stdin if options.proof in (None, "-") else open(options.proof, encoding="utf-8"))
        proofs = proof if isinstance(proof, list) else [proof]
        for proof in proofs:
            origin, size, leaf = check_proof(proof, options.key)
            print(f"right: leaf {proof['index']} of {size} in {origin}")
            print(json.dumps(leaf, indent=2, ensure_ascii=False))
        return 0
    except Wrong as wrong:
        print(f"WRONG: {wrong}")
    except (AttributeError, KeyError, ValueError, TypeError, IndexError, OSError) as error:
        print(f"WRONG: this cannot be read: {error!r}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
