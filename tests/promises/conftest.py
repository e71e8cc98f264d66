"""A console over two organizations that have rows in every table, and what every reading route answers there."""

import logging
import re
import shutil
from contextlib import closing, contextmanager
from dataclasses import fields, replace

import pytest
from freezegun import freeze_time

import api
from engine.copilot.answers.sources import route_of
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings, variable
from engine.store import PLATFORM, Store
from engine.store.schema import metadata
from engine.web.admission.limits import Limiter
from engine.web.app import Console
from engine.web.handlers.evidence.assessors import EXPORTS
from reports import CATALOGUE
from tests.conftest import NOW
from tests.promises.records import PLATFORMS, fill, identifier
from tests.promises.texts import hostile
from tests.web.client import Client
from tests.web.conftest import SECRET, console, people, peopled_template, with_people
from tests.web.door import issue_token

COMPLIANCE = "/api/governance/compliance"
THEIRS = "Theirs-4f1c"  # in every text of the neighbour
CRON = "planted-5d20c7e1f0a9-cron"
NAMED = {  # the table of whose rows a path names one, by the part of the path before the identifier
    "incidents": "incidents",
    "services": "services",
    "threads": "copilot_threads",
    "bundles": "bundles",
    "leads": "leads",
    "pilots": "pilots",
    "api-keys": "credentials",
    "alert-ingest-tokens": "credentials",
    "assessor-tokens": "credentials",
}


PLANTED = "planted-5d20c7e1f0a94b3c8d6e7f8091a2b3c4"  # in every setting that is secret
SECRETS = {variable(declared): declared for declared in fields(Settings) if declared.metadata["secret"]}
URLS = {
    "SVC_DATABASE_URL": f"postgresql+psycopg://hq:{PLANTED}@127.0.0.1:9/hq",
    "SVC_SMTP_URL": f"smtps://hq:{PLANTED}@127.0.0.1:9",
    **{f"SVC_{name}_URL": f"http://127.0.0.1:9/{PLANTED}" for name in ("LLM", "REASONING", "ROBOT", "CHAT_WEBHOOK")},
}


def settings_of(folder):
    """The variables of a console; every secret one is set."""
    return {
        **{name: URLS.get(name, PLANTED) for name in SECRETS},
        **{name: CRON for name in SECRETS if name.endswith("_CRON_SECRET")},
        "SVC_DATA_DIR": str(folder / "var"),
        "SVC_SESSION_SECRET": SECRET,
        "SVC_PLATFORM_ADMIN_EMAILS": "owner@acme.example",
        "SVC_BASE_URL": "http://localhost:8080",
    }


class World:
    """The console, and everything that it answered to the owner of acme."""

    def __init__(self, console, folder):
        self.console, self.folder = console, folder

    def client(self, who="owner@acme.example", org="acme"):
        """A client of which no call uses up the share of another."""
        self.console.gate = replace(self.console.gate, limiter=Limiter("memory://"))
        made = Client(self.console, self.console.gate.sessions.issue(who, org, now=NOW) if who else None)
        made.declared = False  # what is wrong is told of all answers at once
        return made

    def call(self, method, path, body=b"", **headers):
        return self.client().call(method, path, body, **headers)


@pytest.fixture(scope="package")
def hostile_store(acme_template, tmp_path_factory):
    """acme with hostile texts in every column, other with its own mark in every column, and the platform's rows."""
    path = tmp_path_factory.mktemp("promises") / "hq.db"
    shutil.copy(acme_template, path)
    with closing(Store(f"sqlite:///{path}")) as store:
        people(store)
        platforms = [metadata.tables[name] for name in metadata.tables if name in PLATFORMS]
        fill(store, "acme", hostile, now=NOW, rows=8)
        fill(store, "other", lambda *told: f"{THEIRS} {told}", now=NOW)
        with store.revision(PLATFORM, "setup", now=NOW, create={"name": "Platform"}) as revision:
            revision.record("platform.prepared")
        fill(store, PLATFORM, hostile, now=NOW, rows=8, tables=platforms)
    return path


@pytest.fixture(scope="package")
def open_copy(hostile_store, tmp_path_factory):
    """``opened(folder)``: a console over a copy of the filled store."""
    made = []

    def console():
        folder = tmp_path_factory.mktemp("console")
        shutil.copy(hostile_store, folder / "hq.db")
        store = Store(f"sqlite:///{folder / 'hq.db'}")
        replica = Replica(store.url, None)
        snapshots = Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE)
        made.extend([snapshots, replica, store])
        return World(Console(api.ROUTES, Services(Settings.of(settings_of(folder)), store, snapshots, NOW)), folder)

    yield console
    for part in made:
        part.close()


@contextmanager
def capture_log():
    """What is logged meanwhile, formatted as whoever keeps logs would."""
    lines, handler, root = [], logging.Handler(), logging.getLogger()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))
    handler.emit = lambda record: lines.append(handler.format(record))
    root.addHandler(handler)
    try:
        yield lines
    finally:
        root.removeHandler(handler)


def reading(token):
    """(method, path, headers) of every reading route, in every format, of each record that acme has."""
    formats = {route_of(name): report.formats for name, report in CATALOGUE.items()}
    for route in api.ROUTES:
        if route.method != "GET" or route.forwards:
            continue
        if route.access.code == "ASR":
            for name in EXPORTS:
                yield route.path.replace("{id}", name), {"authorization": f"Bearer {token}"}
        elif "{id}" in route.path:
            table = NAMED[re.search(r"/([a-z-]+)/\{id\}", route.path)[1]]
            owner = PLATFORM if table in PLATFORMS else "acme"
            for number in range(8):
                yield route.path.replace("{id}", identifier(owner, table, number)), {}
        elif route.path in formats:
            for form in formats[route.path]:
                yield f"{route.path}?format={form}", {}
        else:
            yield route.path, {}


@pytest.fixture(scope="package")
def world(open_copy):
    """A console, and in ``answers`` what it said by path. Nobody changes it."""
    with freeze_time(NOW), capture_log() as lines:
        copy = open_copy()
        copy.lines = lines
        for number in range(8):
            copy.call("POST", f"/api/incidents/{identifier('acme', 'incidents', number)}/rca/run", {})
            pilot = f"/api/admin/pilots/{identifier(PLATFORM, 'pilots', number)}"
            assert (
                copy.call(
                    "PATCH", pilot, {"kickoff_at": "2026-12-01T09:00:00Z", "review_at": "2026-12-24T09:00:00Z"}
                ).status
                == 200
            )
        sealed = copy.call("POST", f"{COMPLIANCE}/bundles", {"window": "30d"}).json["bundle"]["id"]
        token = issue_token(copy.console.services.store, "assessor")
        asked = dict(reading(token)) | {f"{COMPLIANCE}/bundles/{sealed}{more}": {} for more in ("", "/download")}
        asked |= {
            f"/api/admin/pilots/{identifier(PLATFORM, 'pilots', 3)}/proposal?format={form}": {}
            for form in ("html", "md")
        }
        asked |= {f"{COMPLIANCE}/export?format=csv": {}, "/api/reasoning/models": {}, "/api/robot/%0D%0Aevil": {}}
        copy.answers = {path: copy.client().get(path, **headers) for path, headers in asked.items()}
    return copy


@pytest.fixture(autouse=True)
def clock():
    """The clock stands at ``NOW`` at the edges."""
    with freeze_time(NOW) as frozen:
        yield frozen


__all__ = ["console", "with_people", "peopled_template"]  # fixtures of the web
