"""A call of files or of the database fails under a request, at any place: 503 with its word, nothing half, and the same
request goes through afterwards."""

import errno
import os
import shutil
import sqlite3
from contextlib import closing, contextmanager

import pytest
from freezegun import freeze_time
from sqlalchemy import func, select

import api
from engine.archives.contents import contents
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.schema.outputs import bundles
from engine.store.schema.services import incidents
from engine.web.app import Console
from reports import CATALOGUE
from tests.conftest import NOW
from tests.faults.layer import failing, failing_store, sqlite_error
from tests.laws import WHOLE
from tests.web.client import Client
from tests.web.conftest import SECRET

pytestmark = pytest.mark.real

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
ALERTS = {"alerts": [{"title": "Disk is filling", "dedupe_key": f"k{number}"} for number in range(3)]}
MOST = 400
STEPS = (
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    13,
    17,
    22,
    29,
    38,
    50,
    66,
    87,
    115,
    152,
    200,
    264,
    349,
    460,
    600,
    800,
    1050,
    1400,
    9000,
)


@contextmanager
def console(folder):
    """A console over the store in a folder, whose files are all below it."""
    with closing(Store(f"sqlite:///{folder}/hq.db")) as store, closing(Replica(store.url, None)) as replica:
        snapshots = Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE)
        settings = Settings.of({"SVC_DATA_DIR": str(folder), "SVC_SESSION_SECRET": SECRET})
        with closing(snapshots):
            yield Console(api.ROUTES, Services(settings, store, snapshots, NOW))


@pytest.fixture(scope="module")
def template(peopled_template, tmp_path_factory):
    """The store of acme and other, with a token of acme's monitor, and that token."""
    folder = tmp_path_factory.mktemp("monitored")
    shutil.copy(peopled_template, folder / "hq.db")
    with freeze_time(NOW), console(folder) as opened:
        made = owner(opened).post("/api/user/alert-ingest-tokens", {"label": "monitor"})
    with closing(sqlite3.connect(folder / "hq.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # so that the file alone is all of it
    return folder / "hq.db", made.json["secret"]


def owner(opened):
    return Client(opened, opened.gate.sessions.issue("owner@acme.example", "acme", now=NOW))


def post_as_owner(opened, path, body, token):
    if path == INGEST[0]:
        return Client(opened, None).post(path, body, authorization=f"Bearer {token}")
    return owner(opened).post(path, body)


def count(opened, table):
    with opened.services.store.reader() as connection:
        return connection.execute(select(func.count()).select_from(table).where(table.c.org_id == "acme")).scalar_one()


def leftovers(folder):
    """Files of archives, finished or not."""
    return [
        path.name for path in folder.rglob("*") if path.is_file() and (path.suffix == ".zip" or ".new" in path.name)
    ]


def check(operation, folder, template, fault, words):
    """Do it with the fault, look, and do it again; whether the fault was met."""
    folder.mkdir()
    store, token = template
    shutil.copy(store, folder / "hq.db")
    path, body, table, status, made = operation
    with fault as calls, console(folder) as opened:
        answer = post_as_owner(opened, path, body, token)
    with console(folder) as opened:
        assert opened.services.store.verify("acme").ok
        if answer.status == status:
            assert count(opened, table) == made
        else:
            assert (answer.status, answer.json["error"] in words) == (503, True), answer.body
            assert int(answer.headers["retry-after"]) > 0
            assert [inside for inside in ("injected", str(folder)) if inside in answer.json["message"]] == []
            before = count(opened, table)
            assert before in (0, made)  # what failed may come after all is written
            assert len(leftovers(folder)) == (before if table is bundles else 0)
            again = post_as_owner(opened, path, body, token)
            made_then = before + made if table is bundles else made  # alerts that are there already are known again
            assert (again.status, count(opened, table)) == (status, made_then), again.body
            assert opened.services.store.verify("acme").ok
    return calls.met


INGEST = ("/api/integrations/alerts", ALERTS, incidents, 200, 3)
SEAL = ("/api/governance/compliance/bundles", {"window": "30d"}, bundles, 201, 1)


def all_places(operation, tmp_path, template, fault, words, places):
    for n in places:
        if not check(operation, tmp_path / str(n), template, fault(n), words):
            assert n > 2, "there were calls to fail"
            return
    pytest.fail("it never came to its end")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (sqlite_error("SQLITE_FULL"), {"disk_full"}),
        (sqlite_error("SQLITE_IOERR_WRITE"), {"store_io_error"}),
        (MemoryError(), {"out_of_memory"}),
    ],
    ids=["full", "io", "memory"],
)
def test_alerts_are_taken_whole_or_not_at_all(error, words, tmp_path, template, clock):
    places = range(1, MOST) if not isinstance(error, MemoryError) else STEPS
    all_places(INGEST, tmp_path, template, lambda n: failing_store(n, error), words, places)


def test_a_bundle_is_sealed_whole_or_not_at_all(tmp_path, template, clock, monkeypatch):
    """Of a report each and at every fourth place; in the weekly job of everything and at each."""
    places = STEPS if WHOLE else STEPS[::-4][::-1]
    if not WHOLE:
        monkeypatch.setattr(contents, "FRAMEWORKS", contents.FRAMEWORKS[:1])
        monkeypatch.setattr(contents, "BUNDLE", (contents.LINEAGE,))
    fulls = {"disk_full"}
    (tmp_path / "files").mkdir()
    (tmp_path / "store").mkdir()
    all_places(SEAL, tmp_path / "files", template, lambda n: failing(n, FULL, below=tmp_path / "files"), fulls, places)
    all_places(
        SEAL, tmp_path / "store", template, lambda n: failing_store(n, sqlite_error("SQLITE_FULL")), fulls, places
    )
