"""An organization whose archives leave the building, and what somebody with its database does to it."""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing, contextmanager
from datetime import timedelta

from engine.archives.contents import packs
from engine.archives.contents.log import as_hashed
from engine.archives.contents.windows import days
from engine.archives.sealing import bundles, dsse, manifest
from engine.archives.sealing.spool import ArchiveSpool
from engine.archives.sealing.zip_writer import write_zip
from engine.model import merkle
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import EventRow, Store
from engine.store.chain.chain import GENESIS, link
from engine.store.queries.history.audit import events_between
from reports import CATALOGUE
from tests.conftest import NOW

BARE = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


class Office:
    """The organization acme in a folder, with a clock that goes on by a day for each archive."""

    def __init__(self, folder, url):
        self.folder, self.url, self.now = folder, url, NOW
        self.handed = folder / "handed over"
        self.handed.mkdir(exist_ok=True)

    @contextmanager
    def open_services(self):
        """The services of a process that starts now, with nothing in memory."""
        store = Store(self.url)
        replica = Replica(self.url, None)
        snapshots = Snapshots(store, replica, Artifacts(self.folder / f"artifacts-{self.now.timestamp()}"), CATALOGUE)
        try:
            yield Services(Settings.of({"SVC_DATA_DIR": str(self.folder / "var")}), store, snapshots, self.now)
        finally:
            snapshots.close()
            replica.close()
            store.close()

    def write(self, *names):
        """Events, each by a write of its own."""
        store = Store(self.url)
        for name in names:
            with store.revision("acme", "import", now=self.now) as revision:
                revision.append_events([EventRow(name, self.now, "ann", "mfa.enforced", details=f'{{"n":"{name}"}}')])
        store.close()

    def hand_over(self, name, kind="bundle", window="7d"):
        """An archive as it leaves: a copy under ``name``."""
        with self.open_services() as services:
            if kind == "bundle":
                row = bundles.create(services, "acme", "owner@acme.example", days(window), now=self.now).row
                path = bundles.archive_path(services.settings, "acme", row["id"])
            else:
                path = packs.pack(services, "acme", kind, days(window), now=self.now).path
            copy = shutil.copy(path, self.handed / name)
        self.now += timedelta(days=1)
        return copy


def by_hand(office, *statements):
    """What somebody writes into the database with a shell."""
    with closing(sqlite3.connect(office.url.removeprefix("sqlite:///"))) as connection:
        for statement in statements:
            connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)
        connection.commit()


def truncate(office, last):
    """Remove every event after ``last`` and all that speaks of them, inside and beside the database."""
    with closing(sqlite3.connect(office.url.removeprefix("sqlite:///"))) as connection:
        (digest,) = connection.execute(
            "SELECT hash FROM audit_log WHERE org_id = 'acme' AND seq = ?", (last,)
        ).fetchone()
    gone = [
        ("change_log", "revision"),
        ("bundle_files", "revision"),
        ("bundles", "revision"),
        ("signed_heads", "seq"),
        ("archive_heads", "seq"),
        ("audit_log", "seq"),
    ]
    by_hand(
        office,
        *((f"DELETE FROM {table} WHERE org_id = 'acme' AND {column} > {last}") for table, column in gone),
        "DELETE FROM event_tiles WHERE org_id = 'acme'",
        ("UPDATE heads SET last_seq = ?, hash = ? WHERE org_id = 'acme'", (last, digest)),
        ("UPDATE table_heads SET revision = ?, hash = ? WHERE org_id = 'acme' AND revision > ?", (last, digest, last)),
    )
    forget_heads(office)


def forget_heads(office):
    """Nothing outside the database says what was signed."""
    shutil.rmtree(office.folder / "var" / "heads", ignore_errors=True)


def rewrite(office, event_id, actor):
    """Change who did something, and hash all that follows anew."""
    path = office.url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE audit_log SET actor = ? WHERE org_id = 'acme' AND event_id = ?", (actor, event_id))
        connection.commit()
    store = Store(office.url)
    previous, hashes = GENESIS, []
    for page in events_between(store, "acme", 1, 1_000_000):
        for row in page:
            previous = link(previous, as_hashed("acme", row), row.changes)
            hashes.append((previous, row.seq))
    store.close()
    by_hand(
        office,
        *(("UPDATE audit_log SET hash = ? WHERE org_id = 'acme' AND seq = ?", pair) for pair in hashes),
        ("UPDATE heads SET hash = ? WHERE org_id = 'acme'", (previous,)),
        "UPDATE table_heads SET hash = (SELECT a.hash FROM audit_log a WHERE a.org_id = 'acme' AND a.seq = revision) "
        "WHERE org_id = 'acme'",
        "DELETE FROM event_tiles WHERE org_id = 'acme'",
        "DELETE FROM signed_heads WHERE org_id = 'acme'",
        "DELETE FROM archive_heads WHERE org_id = 'acme'",
    )
    forget_heads(office)


def seal_again(files, key):
    """The files under a manifest that fits them, signed: what somebody with the signing key can do."""
    statement = json.loads(files[manifest.MANIFEST])
    rest = {name: files[name] for name in sorted(files) if name not in manifest.UNLISTED}
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in rest.items()}
    predicate = statement["predicate"]
    statement["subject"] = [{"name": name, "digest": {"sha256": found}} for name, found in sums.items()]
    predicate["files"] = [
        {"path": name, "bytes": len(rest[name]), "sha256": found, "rows": None} for name, found in sums.items()
    ]
    root = merkle.root([merkle.file_leaf(*pair) for pair in sums.items()]).hex()
    predicate["merkle"] |= {"size": len(rest), "root": root}
    payload = json.dumps(statement, indent=2).encode()
    rest |= {manifest.MANIFEST: payload, manifest.ENVELOPE: dsse.sign(payload, key)}
    every = [(name, hashlib.sha256(data).hexdigest()) for name, data in rest.items()]
    return {**rest, manifest.SUMS: manifest.sums(every)}


def zip_files(files, folder, path):
    """An archive of these files, shaped as ours are."""
    with ArchiveSpool(folder) as spool, path.open("wb") as file:
        for name, data in files.items():
            spool.add(name, "", data)
        write_zip(file, spool.parts)
    return path


def files_of(path):
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def unpack(path, folder):
    """The archive unpacked in an empty folder."""
    folder.mkdir(parents=True)
    with zipfile.ZipFile(path) as opened:
        opened.extractall(folder)
    return folder


def verify_folder(folder, *arguments):
    """Exit code and lines of ``python3 -I verify.py`` in a folder, without anything of ours."""
    command = [sys.executable, "-I", "verify.py", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=BARE, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def table_rows(office, table):
    """A table and its rows as they are now, for ``restore``."""
    with closing(sqlite3.connect(office.url.removeprefix("sqlite:///"))) as connection:
        return table, connection.execute(f"SELECT * FROM {table}").fetchall()


def restore(office, *tables):
    """Put rows back."""
    for table, rows in tables:
        by_hand(office, *((f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row) for row in rows))
