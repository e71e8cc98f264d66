#!/usr/bin/env python3
"""Check an unpacked evidence archive, or a receipt, with the standard library alone:

python3 -I verify.py [FOLDER]      python3 -I verify.py RECEIPT

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


# -- receipts: an event, its path to a signed head, the head (docs/history.md) -----------------------------------------

RECEIPT = b"hq-receipt/v1\n"
MOST_STEPS, MOST_SIGNATURES = 64, 64


def need(where: str, holds: bool, problem: str) -> None:
    if not holds:
        fail(where, problem)


def strict_base64(where: str, text: str, size: int | None = None) -> bytes:
    """Bytes in the one form of base64 that they have."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        fail(where, f"has no base64 in {text[:60]!r}")
    if base64.b64encode(data).decode() != text or size not in (None, len(data)):
        fail(where, f"has base64 of another form or length: {text[:60]!r}")
    return data


def signature_lines(where: str, text: str) -> list[tuple[str, bytes, bytes]]:
    """Name, key id and signature of each line under a note (C2SP signed-note)."""
    found = []
    need(where, text.count("\n") < MOST_SIGNATURES, "has too many signatures")
    for line in text.split("\n"):
        one = re.fullmatch(r"\u2014 ([^\s+]+) (\S+)", line)
        if one is None:
            fail(where, f"has no signature in the line {line[:80]!r}")
        data = strict_base64(where, one[2])
        found.append((one[1], data[:4], data[4:]))
    return found


def note_signed(where: str, text: str, tail: str, name: str, key: bytes) -> None:
    """The note carries a signature of the key under that name, and none under it that does not hold."""
    key_id = hashlib.sha256(name.encode() + b"\n\x01" + key).digest()[:4]
    mine = [sig for who, found, sig in signature_lines(where, tail) if (who, found) == (name, key_id)]
    need(where, bool(mine), f"has no signature of its key under {name}")
    need(where, all(signed(key, text.encode(), sig) for sig in mine), f"the signature of {name} does not hold")


def head_of(where: str, text: str) -> tuple[str, int, bytes, str]:
    """Origin, size, root and chain hash of a signed head (C2SP tlog-checkpoint)."""
    found = re.fullmatch(r"hq/([^\s+]+)\n(0|[1-9][0-9]{0,18})\n(\S{44})\nchain ([0-9a-f]{64})\n", text)
    if found is None:
        fail(where, "has no head in its one form")
    return found[1], int(found[2]), strict_base64(where, found[3], 32), found[4]


def path_root(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    """Where a leaf and its path lead (RFC 9162, 2.1.3.2); None where they fit no tree of that size."""
    if not 0 <= index < size:
        return None
    place, last, found = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            found = hashlib.sha256(b"\1" + step + found).digest()
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = hashlib.sha256(b"\1" + found + step).digest()
        place, last = place >> 1, last >> 1
    return found if last == 0 else None


def linked_keys(where: str, parts: list[str], key: bytes) -> list[bytes]:
    """The keys that rotations lead to from one: each is a note that both of its keys signed."""
    pairs, name = [], "hq/signing-key"
    need(where, len(parts) % 2 == 0, "has half a rotation of keys")
    for text, tail in zip(parts[::2], parts[1::2]):  # noqa: B905
        found = re.fullmatch(rf"{name}\nfrom (\S{{44}})\nto (\S{{44}})\nat \S{{27}}", text)
        if found is None:
            fail(where, "has a rotation of keys in another than its one form")
        pair = (strict_base64(where, found[1], 32), strict_base64(where, found[2], 32))
        for one in pair:
            note_signed(where, text + "\n", tail, name, one)
        pairs.append(pair)
    known = [key]
    for one in known:
        known += [b for a, b in [*pairs, *(pair[::-1] for pair in pairs)] if a == one and b not in known]
    return known


def check_receipt(path: Path, folder: Path) -> None:
    """The event is the one under the signed head, and the key is that of ``folder``'s archive, where there is one."""
    name = path.name
    try:
        text = small(path.parent, name).decode()
    except UnicodeDecodeError:
        fail(name, "is no receipt: it is not UTF-8")
    need(name, not re.search(r"[\x00-\x09\x0b-\x1f]", text) and text.endswith("\n"), "is no receipt")
    first, *parts = text[:-1].split("\n\n")
    lines = first.split("\n")
    need(name, len(parts) >= 2 and 5 <= len(lines) <= 5 + MOST_STEPS, "is no receipt: parts are missing")
    need(name, lines[0].encode() + b"\n" == RECEIPT and lines[3] == "c2sp.org/tlog-proof@v1", "is no receipt")
    need(name, lines[1].startswith("key "), "names no key")
    key = strict_base64(name, lines[1][4:], 32)
    line, place = lines[2].encode(), re.fullmatch(r"index (0|[1-9][0-9]{0,18})", lines[4])
    found, before, event = line[9:73], line[87:151], line[161:-1]
    need(name, line == b'{"hash":"%b","previous":"%b","event":%b}' % (found, before, event), "has no event")
    need(name, re.fullmatch(rb"[0-9a-f]{128}", found + before) is not None, "has no hashes beside its event")
    need(name, hashlib.sha256(before + event).hexdigest().encode() == found, "its event does not match its hash")
    if place is None:
        fail(name, "names no index")
    whose, size, stated, chain = head_of(name, parts[0] + "\n")
    try:
        told = json.loads(event.decode())
        seq, org_id, shown = told["seq"], told["org_id"], f"{told['event_id']}: {told['action']} by {told['actor']}"
    except (ValueError, KeyError, TypeError) as error:
        fail(name, f"its event cannot be read ({error!r})")
    need(name, (seq, org_id) == (int(place[1]) + 1, whose), "its event is of another place or organization")
    need(name, seq != size or found.decode() == chain, "its event is not the last one that the head names")
    leaf = hashlib.sha256(b"\0" + bytes.fromhex(found.decode())).digest()
    path_found = path_root(leaf, seq - 1, size, [strict_base64(name, step, 32) for step in lines[5:]])
    need(name, path_found == stated, "its path does not lead to the root of the head")
    note_signed(name, parts[0] + "\n", parts[1], f"hq/{whose}", key)
    key_id = hashlib.sha256(DER + key).hexdigest()
    known = {hashlib.sha256(DER + one).hexdigest() for one in linked_keys(name, parts[2:], key)}
    print(f"ok: event {seq} of {whose} is under the signed head of {size:,} events")
    print(f"    {shown}, recorded {told.get('recorded_at')}")
    if (folder / "signing_key.pem").is_file():
        pem = small(folder, "signing_key.pem").decode("ascii", "replace").split("\n")
        der = strict_base64("signing_key.pem", "".join(part for part in pem if "-----" not in part))
        if hashlib.sha256(der).hexdigest() not in known:
            fail(name, f"is signed with the key {key_id}, which is not that of this archive")
        print(f"signed with the key {key_id}: that of this archive, or one that it leads to")
    else:
        print(f"signed with the key {key_id}: compare it with the one that {whose} gave you")


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


def is_receipt(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(RECEIPT)) == RECEIPT


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    if len(sys.argv) > 1 and is_receipt(Path(sys.argv[1])):
        check_receipt(Path(sys.argv[1]), here)
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
