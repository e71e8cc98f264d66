"""The audit chain of an archive, read line by line as it was written (``engine.archives.contents.log``)."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from engine.archives.errors import BrokenArchive
from engine.archives.sealing.manifest import LOG, EventRange, ManifestRevision
from engine.archives.verification.verify import Frontier
from engine.model import merkle

LINE = 16 * 1024 * 1024
_HEIGHT = 8  # of the subtrees that are added at a time
_LEAVES = 1 << _HEIGHT


def check_chain(pieces: Iterator[bytes], events: EventRange, revision: ManifestRevision, tree: Frontier | None) -> None:
    """Every event follows from the one before, and the last is the revision. ``tree`` grows by them."""
    count, previous = 0, b""
    for lines in _lines(pieces):
        hashes = []
        for line in lines:
            count += 1
            before = previous or line[87:151]
            digest = sha256(before + line[161:-1])
            content = digest.hexdigest().encode()
            if line[:161] != b'{"hash":"%b","previous":"%b","event":' % (content, before) or line[-1:] != b"}":
                raise _broken(line, count, previous)
            hashes.append(digest.digest())
            previous = content
        if tree is not None:
            grow(tree, hashes)
    if count != events.count:
        raise BrokenArchive(LOG, f"has {count:,} events; the manifest speaks of {events.count:,}")
    if count and previous.decode() != revision.hash:
        raise BrokenArchive(LOG, f"ends at {previous.decode()}; the revision of the manifest is {revision.hash[:100]}")


def grow(tree: Frontier, entries: Sequence[bytes]) -> None:
    """Add entries as ``Frontier.add`` does each: whole subtrees at once."""
    place = min(-tree.size % _LEAVES, len(entries))
    for entry in entries[:place]:
        tree.add(entry)
    while len(entries) - place >= _LEAVES:
        root = merkle.root([sha256(b"\0" + entry).digest() for entry in entries[place : place + _LEAVES]])
        subtrees = tree.size >> _HEIGHT
        while subtrees & 1:
            root, subtrees = merkle.node_hash(tree.parts.pop(), root), subtrees >> 1
        tree.parts.append(root)
        tree.size += _LEAVES
        place += _LEAVES
    for entry in entries[place:]:
        tree.add(entry)


def _broken(line: bytes, number: int, previous: bytes) -> BrokenArchive:
    content, before, event = line[9:73], line[87:151], line[161:-1]
    if line != b'{"hash":"%b","previous":"%b","event":%b}' % (content, before, event):
        return BrokenArchive(LOG, f"line {number:,} is no line of an audit chain")
    if previous and before != previous:
        return BrokenArchive(
            LOG,
            f"line {number:,} does not follow the line before: expected {previous.decode()}, "
            f"found {before.decode('ascii', 'backslashreplace')}",
        )
    expected = sha256(before + event).hexdigest()
    return BrokenArchive(
        LOG,
        f"line {number:,} does not match its hash: expected {expected}, "
        f"found {content.decode('ascii', 'backslashreplace')}",
    )


def _lines(pieces: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Lines without their ends, those of a piece at a time; BrokenArchive for one that is too long or never ends."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield lines
        if len(rest) > LINE:
            raise BrokenArchive(LOG, f"has a line of more than {LINE:,} bytes")
    if rest:
        raise BrokenArchive(LOG, "its last line does not end")
