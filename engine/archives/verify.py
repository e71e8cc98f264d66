#!/usr/bin/env python3
"""Check an unpacked evidence archive with the standard library alone: python3 -I verify.py [FOLDER]

It reads the files of the folder that it stands in, writes nothing and needs no network. Checked are: the file names and
sizes, SHA-256 of every file, files too many, the Merkle root (RFC 6962), SHA256SUMS, the DSSE envelope and its Ed25519
signature (RFC 8032), and, where there is an audit_log.jsonl, every link of the audit chain.
Exit code 0: all of it holds. 1: something does not, and is named. Whose key it is you must compare yourself.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

UNLISTED = ("manifest.json", "manifest.dsse.json", "SHA256SUMS")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SMALL = 16 * 1024 * 1024
Point = tuple[int, int, int, int]
DER = bytes.fromhex("302a300506032b6570032100")  # what stands before the 32 bytes of an Ed25519 key

# Ed25519, RFC 8032 section 5.1: points are (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(factor: int, point: Point) -> Point:
    total = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = add(total, point)
        point, factor = add(point, point), factor >> 1
    return total


def unpacked(data: bytes) -> Point | None:
    """The point of 32 bytes; None when there is none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = unpacked((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")) or (0, 1, 1, 0)


def signed(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the 64 bytes are the signature of the message under the 32 bytes of the key."""
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = unpacked(key), unpacked(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def fail(where: str, problem: str) -> NoReturn:
    print(f"broken: {where}: {problem}")
    sys.exit(1)


def plain(folder: Path, name: str) -> Path:
    """A file of the folder, which is no link."""
    path = folder / name
    if path.is_symlink() or not path.is_file():
        fail(name, "is missing")
    return path


def small(folder: Path, name: str) -> bytes:
    """A file that is read whole."""
    path = plain(folder, name)
    if path.stat().st_size > SMALL:
        fail(name, f"is larger than {SMALL:,} bytes")
    return path.read_bytes()


def digest(folder: Path, name: str, size: int | None) -> str:
    path = plain(folder, name)
    if size is not None and path.stat().st_size != size:
        fail(name, f"was changed: expected {size:,} bytes, found {path.stat().st_size:,}")
    total = hashlib.sha256()
    with path.open("rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            total.update(piece)
    return total.hexdigest()


def root(leaves: Iterable[bytes]) -> bytes:
    level = [hashlib.sha256(b"\0" + leaf).digest() for leaf in leaves]
    while len(level) > 1:
        pairs = [hashlib.sha256(b"\1" + a + b).digest() for a, b in zip(level[::2], level[1::2])]  # noqa: B905
        level = pairs + level[len(pairs) * 2 :]
    return level[0] if level else hashlib.sha256(b"").digest()


def check_signature(folder: Path, payload: bytes, key_id: str) -> None:
    """The envelope holds the manifest and is signed with the key beside it."""
    name = "manifest.dsse.json"
    lines = small(folder, "signing_key.pem").decode("ascii", "replace").split("\n")
    try:
        der = base64.b64decode("".join(line for line in lines if "-----" not in line), validate=True)
        envelope = json.loads(small(folder, name).decode())
        (one,) = envelope["signatures"]
        kind, held = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"], validate=True)
        signature = base64.b64decode(one["sig"], validate=True)
    except (binascii.Error, ValueError, KeyError, TypeError, AttributeError) as error:
        fail(name, f"cannot be read ({error})")
    if held != payload:
        fail(name, "holds another manifest than manifest.json")
    if len(der) != 44 or der[:12] != DER:
        fail("signing_key.pem", "is no Ed25519 key")
    if hashlib.sha256(der).hexdigest() != key_id or one["keyid"] != key_id:
        fail("signing_key.pem", "is not the key that the manifest names")
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(held), held)
    if not signed(der[12:], message, signature):
        fail(name, "its signature is not that of signing_key.pem")


def check_chain(folder: Path, predicate: dict[str, Any]) -> None:
    """Every event follows from the one before; the last is the revision."""
    name, count, previous = "audit_log.jsonl", 0, b""
    with plain(folder, name).open("rb") as file:
        for line in iter(lambda: file.readline(SMALL), b""):
            count += 1
            found, before, event = line[9:73], line[87:151], line[161:-2]
            shape = b'{"hash":"%b","previous":"%b","event":%b}\n' % (found, before, event)
            if line != shape or previous not in (b"", before):
                fail(name, f"line {count:,} does not follow the line before")
            if hashlib.sha256(before + event).hexdigest().encode() != found:
                fail(name, f"line {count:,} does not match its hash")
            previous = found
    if count != predicate["events"]["count"] or (count and previous.decode() != predicate["revision"]["hash"]):
        fail(name, "does not end at the revision that the manifest names")


def main(folder: Path) -> None:
    payload = small(folder, "manifest.json")
    try:
        statement = json.loads(payload.decode())
        predicate = statement["predicate"]
        files = [(file["path"], file["bytes"], file["sha256"]) for file in predicate["files"]]
        subjects = [(one["name"], one["digest"]["sha256"]) for one in statement["subject"]]
        stated, key_id, whose = predicate["merkle"]["root"], predicate["key_id"], predicate["organization"]["id"]
    except (ValueError, KeyError, TypeError) as error:
        fail("manifest.json", f"cannot be read ({error!r})")
    if subjects != [(name, found) for name, _, found in files]:
        fail("manifest.json", "lists other files as subjects than in its predicate")
    names = [name for name, _, _ in files]
    for name in names:
        if not NAME.fullmatch(name) or name in UNLISTED or names.count(name) > 1:
            fail("manifest.json", f"lists the file {name!r}")
    check_signature(folder, payload, key_id)
    for name, size, expected in files:
        found = digest(folder, name, size)
        if found != expected:
            fail(name, f"was changed: expected SHA-256 {expected}, found {found}")
    extra = sorted({path.name for path in folder.iterdir()} - set(names) - set(UNLISTED))
    if extra:
        fail(extra[0], "is in this folder and not in the manifest")
    if root(f"{found}  {name}".encode() for name, _, found in files).hex() != stated:
        fail("manifest.json", "states another Merkle root than that of the files")
    sums = [(name, found) for name, _, found in files]
    sums += [(name, digest(folder, name, None)) for name in UNLISTED if name != "SHA256SUMS"]
    expected = "".join(f"{found}  {name}\n" for name, found in sorted(sums)).encode()
    if small(folder, "SHA256SUMS") != expected:
        fail("SHA256SUMS", "lists other sums than those of the files")
    if "audit_log.jsonl" in names:
        check_chain(folder, predicate)
    print(f"ok: {predicate['kind']} of {whose}, {len(files) + len(UNLISTED)} files hold")
    print(f"signed with the key {key_id}: compare it with the one that {whose} gave you")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent)
