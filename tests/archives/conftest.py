"""A small sealed archive, and ways to break it."""

from dataclasses import replace
from datetime import date
from hashlib import sha256

import pytest

from engine.archives.contents.about import About
from engine.archives.sealing.archive import seal
from engine.archives.sealing.manifest import EventRange, ManifestRevision, Owner, Window
from engine.archives.sealing.spool import ArchiveSpool
from engine.runtime.keys.signing_keys import signing_key
from engine.store.chain.chain import GENESIS

DAY = date(2026, 11, 20)


def chain(*events):
    """Lines of an audit log with these events, and the hash of the last."""
    lines, previous = [], GENESIS
    for event in events:
        found = sha256(previous.encode() + event).hexdigest()
        lines.append(b'{"hash":"%b","previous":"%b","event":%b}\n' % (found.encode(), previous.encode(), event))
        previous = found
    return b"".join(lines), previous


LOG, HEAD = chain(b'{"seq":1}', b'{"seq":2,"object_id":"\xc3\xa9"}', b'{"seq":3}')
ABOUT = About(
    kind="bundle",
    title="Evidence bundle",
    organization=Owner("acme", "Acme"),
    as_of=DAY,
    window=Window("30d", date(2026, 10, 22), DAY),
    revision=ManifestRevision(3, HEAD),
    settings_version=0,
    events=EventRange(3, 1, 3),
)
FILES = {"audit_log.jsonl": LOG, "soc2.csv": b"control_id,state\r\nCC6.1,effective\r\n", "empty.csv": b""}


@pytest.fixture(scope="session")
def key(tmp_path_factory):
    return signing_key(tmp_path_factory.mktemp("keys") / "signing.key")


@pytest.fixture(scope="session")
def other_key(tmp_path_factory):
    return signing_key(tmp_path_factory.mktemp("keys") / "other.key")


@pytest.fixture
def make(tmp_path, key):
    """``make("a.zip", {name: bytes}, kind=…)`` seals an archive; what is not given is the small bundle above."""

    def make_archive(name="bundle.zip", files=FILES, signed_by=key, **about):
        with ArchiveSpool(tmp_path / "spool") as spool:
            for file, data in files.items():
                spool.add(file, f"file {file}", data, data.count(b"\n"))
            return seal(spool, replace(ABOUT, **about), signed_by, tmp_path / name)

    return make_archive
