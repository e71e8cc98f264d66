#!/usr/bin/env python3
"""Check an evidence archive, and whether two of them tell one history, with the standard library alone.

    python3 -I verify.py                      the unpacked archive that this file stands in
    python3 -I verify.py OTHER.zip            that archive, OTHER.zip, and that one history continues the other
    python3 -I verify.py ONE.zip OTHER.zip    two archives, wherever they are; a folder may stand for either
    python3 -I verify.py FOLDER               an unpacked archive elsewhere
    python3 -I verify.py RECEIPT              an event, and that it lies under a signed head (hq prove)

It writes nothing and needs no network. Checked are: the file names and sizes, SHA-256 of every file, files too many,
the Merkle root (RFC 6962), SHA256SUMS, the DSSE envelope and its Ed25519 signature (RFC 8032), every link of the audit
chain, the signed head of the history, and the proofs that every earlier seal lies under it.
Exit code 0: all of it holds. 1: something does not, and is named. Whose key it is you must compare yourself.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

UNLISTED = ("manifest.json", "manifest.dsse.json", "SHA256SUMS")
LOG, HEAD, HEADS, ROTATIONS = "audit_log.jsonl", "head.txt", "heads.json", "key_rotations.txt"
INSTALLATION = "installation.txt"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SMALL = 16 * 1024 * 1024
Point = tuple[int, int, int, int]
Holds = Callable[[bytes, bytes, bytes], bool]  # key, message, signature
DER = bytes.fromhex("302a300506032b6570032100")  # what stands before the 32 bytes of an Ed25519 key
UNREADABLE = (OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error)


class Broken(Exception):
    """What does not hold, and where."""

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}" if where else problem)
        self.where, self.problem = where, problem


class Unproven(Exception):
    """What two archives do not tell."""


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


# Trees after RFC 6962: SHA-256, leaves and nodes told apart by a first byte


def leaf(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


class Frontier:
    """A tree that grows at its end: the roots of its whole parts, the largest first. ValueError for too many or few."""

    def __init__(self, size: int = 0, parts: Iterable[bytes] = ()) -> None:
        self.size, self.parts = size, list(parts)
        if size < 0 or len(self.parts) != bin(size).count("1"):
            raise ValueError(f"a tree of {size:,} leaves has {bin(size).count('1')} parts, not {len(self.parts)}")

    def add(self, data: bytes) -> None:
        content, place = leaf(data), self.size
        while place & 1:
            content, place = node(self.parts.pop(), content), place >> 1
        self.parts.append(content)
        self.size += 1

    def root(self) -> bytes:
        if not self.parts:
            return hashlib.sha256(b"").digest()
        content = self.parts[-1]
        for left in self.parts[-2::-1]:
            content = node(left, content)
        return content


def leads_to(data: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """Whether the path leads from the leaf to the root (RFC 9162, 2.1.3.2)."""
    place, last, content = index, size - 1, leaf(data)
    if not 0 <= index < size:
        return False
    for step in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            content = node(step, content)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            content = node(content, step)
        place, last = place >> 1, last >> 1
    return last == 0 and content == root


def continues(size: int, root: bytes, later: int, later_root: bytes, proof: list[bytes]) -> bool:
    """Whether the later tree begins with the earlier one (RFC 9162, 2.1.4.2)."""
    if size == later:
        return not proof and root == later_root
    if size == 0:
        return not proof and root == Frontier().root()
    if not 0 < size < later:
        return False
    steps = proof if size & (size - 1) else [root, *proof]
    if not steps:
        return False
    place, last = size - 1, later - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            before, after = node(step, before), node(step, after)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            after = node(after, step)
        place, last = place >> 1, last >> 1
    return last == 0 and before == root and after == later_root


# Notes after C2SP signed-note: signed heads (tlog-checkpoint), and changes of the key that signs them


MOST_SIGNATURES = 64


class Head(NamedTuple):
    """So many events, the root of the tree over them, the hash of the last in the chain."""

    size: int
    root: bytes
    chain: str


def fail(where: str, problem: str) -> NoReturn:
    raise Broken(where, problem)


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
    lines = []
    need(where, text.count("\n") < MOST_SIGNATURES, "has too many signatures")
    for line in text.split("\n"):
        one = re.fullmatch(r"\u2014 ([^\s+]+) (\S+)", line)
        if one is None:
            fail(where, f"has no signature in the line {line[:80]!r}")
        data = strict_base64(where, one[2])
        lines.append((one[1], data[:4], data[4:]))
    return lines


def note_key_id(name: str, key: bytes) -> bytes:
    """The four bytes by which a note names an Ed25519 key."""
    return hashlib.sha256(name.encode() + b"\n\x01" + key).digest()[:4]


def note_signed(where: str, text: str, tail: str, name: str, key: bytes, holds: Holds = signed) -> None:
    """The note carries a signature of the key under that name, and none under it that does not hold."""
    lines = signature_lines(where, tail)
    mine = [sig for who, content, sig in lines if (who, content) == (name, note_key_id(name, key))]
    need(where, bool(mine), f"has no signature of its key under {name}")
    need(where, all(holds(key, text.encode(), sig) for sig in mine), f"the signature of {name} does not hold")


def head_of(where: str, text: str) -> tuple[str, int, bytes, str]:
    """Origin, size, root and chain hash of a signed head (C2SP tlog-checkpoint)."""
    match = re.fullmatch(r"hq/([^\s+]+)\n(0|[1-9][0-9]{0,18})\n(\S{44})\nchain ([0-9a-f]{64})\n", text)
    if match is None:
        fail(where, "has no head in its one form")
    return match[1], int(match[2]), strict_base64(where, match[3], 32), match[4]


def linked_keys(where: str, parts: list[str], key: bytes) -> list[bytes]:
    """The keys that rotations lead to from one: each is a note that both of its keys signed."""
    pairs, name = [], "hq/signing-key"
    need(where, len(parts) % 2 == 0, "has half a rotation of keys")
    for text, tail in zip(parts[::2], parts[1::2]):  # noqa: B905
        match = re.fullmatch(rf"{name}\nfrom (\S{{44}})\nto (\S{{44}})\nat \S{{27}}", text)
        if match is None:
            fail(where, "has a rotation of keys in another than its one form")
        pair = (strict_base64(where, match[1], 32), strict_base64(where, match[2], 32))
        for one in pair:
            note_signed(where, text + "\n", tail, name, one)
        pairs.append(pair)
    known = [key]
    for one in known:
        known += [b for a, b in [*pairs, *(pair[::-1] for pair in pairs)] if a == one and b not in known]
    return known


def read_head(where: str, note: str, org: str, keys: list[bytes], holds: Holds = signed) -> Head:
    """The head of an organization in a note that one of the keys signed."""
    text, _, tail = note.partition("\n\n")
    need(where, tail.endswith("\n"), "has no head in its one form")
    whose, size, root, chain = head_of(where, text + "\n")
    need(where, whose == org, f"has a head of {whose[:100]!r}, expected {org!r}")
    ids = {key_id for name, key_id, _ in signature_lines(where, tail[:-1]) if name == f"hq/{org}"}
    by = next((key for key in keys if note_key_id(f"hq/{org}", key) in ids), keys[0])
    note_signed(where, text + "\n", tail[:-1], f"hq/{org}", by, holds)
    return Head(size, root, chain)


def check_installation(text: str, org: str, revision: dict[str, Any], keys: list[bytes], holds: Holds = signed) -> None:
    """The organization is under the signed head of the tree over the whole installation. Broken where it is not."""
    where = INSTALLATION
    proof, _, note = text.partition("\n\n")
    lines = proof.split("\n")
    form = r'\{"hash":"([0-9a-f]{64})","org":"([^\s"\\]+)","salt":"([0-9a-f]{32})","seq":([1-9][0-9]{0,18})\}'
    need(where, len(lines) >= 4 and lines[0] == "hq-installation/v1", "is no proof of an installation")
    match = re.fullmatch(form, lines[1])
    index = re.fullmatch(r"index (0|[1-9][0-9]{0,18})", lines[3])
    if match is None or index is None or lines[2] != "c2sp.org/tlog-proof@v1":
        fail(where, "has no proof in its one form")
    need(where, match[2] == org, f"is about {match[2][:100]!r}, expected {org!r}")
    seq, chain = int(match[4]), match[1]
    need(where, seq <= revision["seq"], "is of a later event than the revision")
    need(where, seq != revision["seq"] or chain == revision["hash"], "names another event than the revision's")
    head = read_head(where, note, "*", keys, holds)
    leaf_data = bytes.fromhex(match[3]) + f"{org}\n{seq}\n{chain}\n".encode()
    path = [strict_base64(where, line, 32) for line in lines[4:]]
    under = leads_to(leaf_data, int(index[1]), head.size, path, head.root)
    need(where, under, "the organization does not lie under the signed head of the installation")


def read_rotations(where: str, text: str, key: bytes) -> list[bytes]:
    """The keys that a file of rotations leads to from one, itself first."""
    need(where, text.endswith("\n"), "has half a rotation of keys")
    return linked_keys(where, text[:-1].split("\n\n"), key)


def from_hex(text: object) -> bytes:
    """32 bytes in lower case hex digits; ValueError."""
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]{64}", text):
        raise ValueError(f"has no SHA-256 in {str(text)[:80]!r}")
    return bytes.fromhex(text)


# What an archive says of the history before it


class Seal(NamedTuple):
    """An earlier bundle: SHA-256 of its manifest, and where it was sealed; ``chain`` None where nothing proves it."""

    bundle: str
    manifest: str
    seq: int
    chain: str | None


def proof_of(value: object) -> list[bytes]:
    """The hashes of a proof; ValueError."""
    if not isinstance(value, list) or len(value) > 64:
        raise ValueError("has a proof that is no list of hashes")
    return [from_hex(one) for one in value]


class History:
    """The signed head of an archive and what it proves of earlier ones. Broken where a proof does not hold."""

    def __init__(
        self, note: bytes, proofs: bytes, about: dict[str, Any], keys: list[bytes], holds: Holds = signed
    ) -> None:
        org, revision = about["organization"]["id"], about["revision"]
        try:
            self.head = read_head(HEAD, note.decode(), org, keys, holds)
        except UnicodeDecodeError:
            fail(HEAD, "is not UTF-8")
        if (self.head.size, self.head.chain) != (revision["seq"], revision["hash"]):
            raise Broken(HEAD, "is that of another revision than the manifest's")
        try:
            text = proofs.decode()
            read = json.loads(text)
            if json.dumps(read, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n" != text:
                raise ValueError("is not in its one form")
            self.before = Frontier(read["before"]["size"], map(from_hex, read["before"]["parts"]))
            self.roots = {one["size"]: self._root(one) for one in read["heads"]}
            self.seals = [self._seal(one, org, keys, holds) for one in read["seals"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Broken(HEADS, f"cannot be read ({error})") from error

    def _root(self, one: dict[str, Any]) -> bytes:
        root, size = from_hex(one["root"]), one["size"]
        if not continues(size, root, self.head.size, self.head.root, proof_of(one["proof"])):
            raise Broken(HEADS, f"the tree of {size!r:.40} events is not the beginning of the signed one")
        return root

    def _seal(self, one: dict[str, Any], org: str, keys: list[bytes], holds: Holds) -> Seal:
        name, seq, chain = one["bundle"], one["revision"]["seq"], one["revision"]["hash"]
        if one["proof"] is None:
            return Seal(name, one["manifest_sha256"], seq, None)
        proof = proof_of(one["proof"])
        if one["head"] is None:
            under = leads_to(from_hex(chain), seq - 1, self.head.size, proof, self.head.root)
        else:
            head = read_head(HEADS, one["head"], org, keys, holds)
            if (head.size, head.chain) != (seq, chain):
                raise Broken(HEADS, f"the head of the bundle {name} is that of another revision")
            under = continues(seq, head.root, self.head.size, self.head.root, proof)
            self.roots[seq] = head.root
        if not under:
            raise Broken(HEADS, f"the bundle {name}, sealed at event {seq:,}, does not lie under the signed head")
        return Seal(name, one["manifest_sha256"], seq, chain)

    def check(self, tree: Frontier | None) -> None:
        """``tree``: what the events before and those in the archive make."""
        if tree is None or (tree.size, tree.root()) != (self.head.size, self.head.root):
            raise Broken(HEADS, "the events here, after those before, do not make the tree of the signed head")


# Archives


class Archive:
    """An archive as it lies there: an unpacked folder, or a ZIP. ``check`` comes first; the rest follows from it."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.resolve().name
        self.history: History | None = None
        self.zip: zipfile.ZipFile | None = None
        if not path.exists():
            raise Broken("", "is not there")
        if not path.is_dir():
            try:
                self.zip = zipfile.ZipFile(path)
            except UNREADABLE as error:
                raise Broken("archive", f"cannot be read ({error})") from error

    def names(self) -> list[str]:
        if self.zip is None:
            return sorted(path.name for path in self.path.iterdir())
        return sorted(info.filename for info in self.zip.infolist())

    def size(self, name: str) -> int:
        """The size of a file, which is no link."""
        if self.zip is not None:
            if self.names().count(name) != 1:
                raise Broken(name, "is missing" if name not in self.names() else "is there twice")
            return self.zip.getinfo(name).file_size
        path = self.path / name
        if path.is_symlink() or not path.is_file():
            raise Broken(name, "is missing")
        return path.stat().st_size

    def pieces(self, name: str, lines: bool = False) -> Iterator[bytes]:
        """What a file holds, in pieces or in lines."""
        size = self.size(name)
        try:
            with self.zip.open(name) if self.zip is not None else (self.path / name).open("rb") as file:
                left = size
                while left > 0:
                    piece = file.readline(SMALL) if lines else file.read(1 << 20)
                    if not piece:
                        break
                    left -= len(piece)
                    yield piece
        except UNREADABLE as error:
            raise Broken(name, f"cannot be read ({error})") from error

    def small(self, name: str) -> bytes:
        """A file that is read whole."""
        if self.size(name) > SMALL:
            raise Broken(name, f"is larger than {SMALL:,} bytes")
        return b"".join(self.pieces(name))

    def digest(self, name: str, size: int | None) -> str:
        found = self.size(name)
        if size is not None and found != size:
            raise Broken(name, f"was changed: expected {size:,} bytes, found {found:,}")
        total = hashlib.sha256()
        for piece in self.pieces(name):
            total.update(piece)
        return total.hexdigest()

    def check(self, besides: Iterable[str] = ()) -> None:
        """All that can be checked of it alone; files ``besides`` may lie in its folder."""
        self.read_manifest()
        self.check_files(besides)
        self.read_history()
        if self.history is not None:
            self.history.check(self.tree(self.seq))
        elif self.first is not None:
            for _ in self.events():
                pass

    def read(self) -> None:
        """What two archives are compared by, of one whose files were checked before."""
        self.read_manifest()
        self.read_history()

    def read_manifest(self) -> None:
        """What the manifest says, signed with the key beside it."""
        payload = self.small("manifest.json")
        try:
            statement = json.loads(payload.decode())
            self.about = predicate = statement["predicate"]
            self.listed = files = [(file["path"], file["bytes"], file["sha256"]) for file in predicate["files"]]
            subjects = [(one["name"], one["digest"]["sha256"]) for one in statement["subject"]]
            self.stated, self.key_id, self.org = (
                predicate["merkle"]["root"],
                predicate["key_id"],
                predicate["organization"]["id"],
            )
            self.seq = predicate["revision"]["seq"]
            self.chain: str = predicate["revision"]["hash"]
            self.day, self.kind = predicate["as_of"], predicate["kind"]
            self.first = predicate["events"]["first_seq"] if predicate["events"] else None
        except (ValueError, KeyError, TypeError) as error:
            raise Broken("manifest.json", f"cannot be read ({error!r})") from error
        self.manifest = hashlib.sha256(payload).hexdigest()
        if subjects != [(name, found) for name, _, found in files]:
            raise Broken("manifest.json", "lists other files as subjects than in its predicate")
        names = [name for name, _, _ in files]
        for name in names:
            if not NAME.fullmatch(name) or name in UNLISTED or names.count(name) > 1:
                raise Broken("manifest.json", f"lists the file {name!r}")
        self.check_signature(payload)

    def check_files(self, besides: Iterable[str]) -> None:
        """Every file is the one that the manifest lists, and there is no other."""
        files = self.listed
        for name, size, expected in files:
            digest = self.digest(name, size)
            if digest != expected:
                raise Broken(name, f"was changed: expected SHA-256 {expected}, found {digest}")
        extra = sorted(set(self.names()) - {name for name, _, _ in files} - set(UNLISTED) - set(besides))
        if extra:
            raise Broken(extra[0], "is in this folder and not in the manifest")
        tree = Frontier()
        for name, _, digest in files:
            tree.add(f"{digest}  {name}".encode())
        if tree.root().hex() != self.stated:
            raise Broken("manifest.json", "states another Merkle root than that of the files")
        sums = [(name, found) for name, _, found in files]
        sums += [(name, self.digest(name, None)) for name in UNLISTED if name != "SHA256SUMS"]
        if self.small("SHA256SUMS") != "".join(f"{found}  {name}\n" for name, found in sorted(sums)).encode():
            raise Broken("SHA256SUMS", "lists other sums than those of the files")
        self.files = len(files) + len(UNLISTED)

    def read_history(self) -> None:
        """The keys that lead to its own, and the signed heads, where it has them."""
        names = [name for name, _, _ in self.listed]
        if (self.first is None) != (LOG not in names):
            raise Broken("manifest.json", f"speaks of events, and {LOG} is not there, or the other way round")
        self.keys = [self.key]
        if ROTATIONS in names:
            try:
                self.keys = read_rotations(ROTATIONS, self.small(ROTATIONS).decode(), self.key)
            except UnicodeDecodeError:
                fail(ROTATIONS, "is not UTF-8")
        if HEAD in names or HEADS in names:
            self.history = History(self.small(HEAD), self.small(HEADS), self.about, self.keys)
        if INSTALLATION in names:
            try:
                text = self.small(INSTALLATION).decode()
            except UnicodeDecodeError:
                fail(INSTALLATION, "is not UTF-8")
            check_installation(text, self.about["organization"]["id"], self.about["revision"], self.keys)

    def der(self) -> bytes:
        """The key beside the manifest."""
        lines = self.small("signing_key.pem").decode("ascii", "replace").split("\n")
        try:
            der = base64.b64decode("".join(line for line in lines if "-----" not in line), validate=True)
        except ValueError as error:
            raise Broken("signing_key.pem", f"cannot be read ({error})") from error
        if len(der) != 44 or der[:12] != DER:
            raise Broken("signing_key.pem", "is no Ed25519 key")
        return der

    def check_signature(self, payload: bytes) -> None:
        """The envelope holds the manifest and is signed with the key beside it."""
        name = "manifest.dsse.json"
        der = self.der()
        try:
            envelope = json.loads(self.small(name).decode())
            (one,) = envelope["signatures"]
            kind, held = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"], validate=True)
            signature = base64.b64decode(one["sig"], validate=True)
        except (binascii.Error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Broken(name, f"cannot be read ({error})") from error
        if held != payload:
            raise Broken(name, "holds another manifest than manifest.json")
        if hashlib.sha256(der).hexdigest() != self.key_id or one["keyid"] != self.key_id:
            raise Broken("signing_key.pem", "is not the key that the manifest names")
        self.key = der[12:]
        if not signed(self.key, b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(held), held), signature):
            raise Broken(name, "its signature is not that of signing_key.pem")

    def events(self) -> Iterator[bytes]:
        """The hashes of the events of the log: every event follows from the one before, the last is the revision."""
        count, previous = 0, b""
        for line in self.pieces(LOG, lines=True):
            count += 1
            content, before, event = line[9:73], line[87:151], line[161:-2]
            if line != b'{"hash":"%b","previous":"%b","event":%b}\n' % (content, before, event) or previous not in (
                b"",
                before,
            ):
                raise Broken(LOG, f"line {count:,} does not follow the line before")
            if hashlib.sha256(before + event).hexdigest().encode() != content:
                raise Broken(LOG, f"line {count:,} does not match its hash")
            previous = content
            yield bytes.fromhex(content.decode())
        if count != self.about["events"]["count"] or (count and previous.decode() != self.chain):
            raise Broken(LOG, "does not end at the revision that the manifest names")

    def tree(self, size: int) -> Frontier | None:
        """The tree of the first ``size`` events, where the archive has what it is made of."""
        if self.history is None or not self.history.before.size <= size <= self.seq:
            return None
        tree = Frontier(self.history.before.size, self.history.before.parts)
        for content in self.events() if self.first is not None else [bytes.fromhex(self.chain)]:
            if tree.size < size:
                tree.add(content)
        return tree if tree.size == size else None

    def hash_at(self, seq: int) -> str | None:
        """The hash of an event, where the archive has it under its signature."""
        if seq == self.seq:
            return self.chain
        if self.first is not None and seq >= self.first:
            return next(islice(self.events(), seq - self.first, None)).hex()
        seals = self.history.seals if self.history is not None else []
        return next((seal.chain for seal in seals if seal.seq == seq), None)


# Receipts: an event, its path to a signed head, the head

RECEIPT = b"hq-receipt/v1\n"
MOST_STEPS = 64


def is_receipt(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(RECEIPT)) == RECEIPT


def check_receipt(file: Path, folder: Path) -> None:
    """The event is the one under the signed head, and the key is that of ``folder``'s archive, where there is one."""
    name = file.name
    try:
        text = file.read_bytes().decode()
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
    content, before, event = line[9:73], line[87:151], line[161:-1]
    need(name, line == b'{"hash":"%b","previous":"%b","event":%b}' % (content, before, event), "has no event")
    need(name, re.fullmatch(rb"[0-9a-f]{128}", content + before) is not None, "has no hashes beside its event")
    need(name, hashlib.sha256(before + event).hexdigest().encode() == content, "its event does not match its hash")
    if place is None:
        fail(name, "names no index")
    whose, size, stated, chain = head_of(name, parts[0] + "\n")
    try:
        document = json.loads(event.decode())
        seq, org_id, label = (
            document["seq"],
            document["org_id"],
            f"{document['event_id']}: {document['action']} by {document['actor']}",
        )
    except (ValueError, KeyError, TypeError) as error:
        fail(name, f"its event cannot be read ({error!r})")
    need(name, (seq, org_id) == (int(place[1]) + 1, whose), "its event is of another place or organization")
    need(name, seq != size or content.decode() == chain, "its event is not the last one that the head names")
    path = [strict_base64(name, step, 32) for step in lines[5:]]
    leads = leads_to(bytes.fromhex(content.decode()), seq - 1, size, path, stated)
    need(name, leads, "its path does not lead to the root of the head")
    note_signed(name, parts[0] + "\n", parts[1], f"hq/{whose}", key)
    key_id = hashlib.sha256(DER + key).hexdigest()
    known = {hashlib.sha256(DER + one).hexdigest() for one in linked_keys(name, parts[2:], key)}
    print(f"ok: event {seq} of {whose} is under the signed head of {size:,} events")
    print(f"    {label}, recorded {document.get('recorded_at')}")
    if (folder / "signing_key.pem").is_file():
        if hashlib.sha256(Archive(folder).der()).hexdigest() not in known:
            fail(name, f"is signed with the key {key_id}, which is not that of this archive")
        print(f"signed with the key {key_id}: that of this archive, or one that it leads to")
    else:
        print(f"signed with the key {key_id}: compare it with the one that {whose} gave you")


# Two archives


def compare(one: Archive, two: Archive) -> str:
    """How one history continues the other. Broken where it does not, Unproven where the two do not tell."""
    if one.org != two.org:
        raise Broken("archives", f"are of different organizations: {one.org} and {two.org}")
    old, new = sorted((one, two), key=lambda archive: (archive.seq, archive.day))
    if old.key not in new.keys and new.key not in old.keys:
        raise Broken("archives", f"are signed with different keys, and neither took the other's place: {old.name} with "
                     f"{old.key_id}, {new.name} with {new.key_id}")  # fmt: skip
    check_order(old, new)
    mine, theirs = old.history, new.history
    found: list[tuple[object, object, str]] = []  # what each says of the end of the old one, in which words
    if mine is not None and theirs is not None:
        tree = new.tree(old.seq)
        root = tree.root() if tree is not None else theirs.roots.get(old.seq)
        found.append((mine.head.root, root, "its signed head"))
    found.append((old.chain, new.hash_at(old.seq), "the hash of its last event"))
    for own, other, _ in found:
        if other not in (None, own):
            place = first_difference(old, new)
            since = "" if place is None else f": they differ from event {place:,} on"
            raise Broken("history", f"{new.name} does not continue {old.name}, which ends at event {old.seq:,}{since}. "
                                    "One of the two was rewritten")  # fmt: skip
    if new.kind == old.kind == "bundle" and theirs is not None and old.seq < new.seq:
        known = {(seal.seq, seal.manifest) for seal in theirs.seals}
        earlier = [Seal(old.name, old.manifest, old.seq, old.chain), *(mine.seals if mine is not None else [])]
        for seal in earlier:
            if (seal.seq, seal.manifest) not in known:
                raise Broken(
                    new.name, f"does not name {seal.bundle}, sealed at event {seal.seq:,}, among the earlier seals"
                )
    how = next((word for _, other, word in found if other is not None), None)
    if how is None:
        missing = ""
        if old.kind == "bundle" and theirs is not None:
            missing = (
                f". It does not name {old.name} among the earlier seals: unless it was made while that one was sealed, "
                "a seal was removed"
            )
        raise Unproven(
            f"{new.name} has nothing about event {old.seq:,}, at which {old.name} ends: compare each with a bundle "
            f"that was sealed between them, or with one whose window reaches back so far{missing}"
        )
    if old.seq == new.seq:
        return f"{old.name} and {new.name} end at the same event, {old.seq:,}"
    text = f"event {old.seq:,} of" if how.startswith("the") else f"the first {old.seq:,} events of"
    return f"{new.name} continues the history of {old.name}: {how} is that of {text} {new.seq:,}"


def check_order(old: Archive, new: Archive) -> None:
    """Nothing says that the one with fewer events came later."""
    later = f"{old.name} was made after {new.name}, and ends before it: at event {old.seq:,}, not beyond {new.seq:,}"
    if old.seq < new.seq:
        previous = old.about["previous"]
        days = date.fromisoformat(old.day) - date.fromisoformat(new.day)  # one, where the time zone was changed
        if days.days > 1 or (previous is not None and previous["manifest_sha256"] == new.manifest):
            raise Broken("history", f"{later}. Events were removed")


def first_difference(old: Archive, new: Archive) -> int | None:
    """The first event of which both have the hash, and another one."""
    if old.first is None or new.first is None:
        return None
    start = max(old.first, new.first)
    pairs = zip(islice(old.events(), start - old.first, None), islice(new.events(), start - new.first, None))  # noqa: B905
    return next((place for place, (one, other) in enumerate(pairs, start) if one != other), None)


def main(arguments: list[str]) -> None:
    here, paths = Path(__file__).resolve().parent, [Path(argument) for argument in arguments]
    if len(paths) == 1 and is_receipt(paths[0]):
        check_receipt(paths[0], here)
        return
    if not paths or (len(paths) == 1 and not paths[0].is_dir()):
        paths = [here, *paths]
    archives = []
    for path in paths:
        try:
            archive = Archive(path)
            archive.check({other.name for other in paths if other.resolve().parent == path.resolve()})
        except Broken as broken:
            raise Broken(*(("", str(broken)) if len(paths) == 1 else (path.name, str(broken)))) from broken
        archives.append(archive)
        print(f"ok: {archive.kind} of {archive.org}, {archive.files} files hold")
    if len(archives) == 2:
        print(f"ok: {compare(*archives)}")
    last = archives[-1]
    print(f"signed with the key {last.key_id}: compare it with the one that {last.org} gave you")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Broken as found:
        print(f"broken: {found}")
        sys.exit(1)
    except Unproven as found:
        print(f"unproven: {found}")
        sys.exit(1)
