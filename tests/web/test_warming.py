"""A console computes the front pages of its organizations before anybody asks, and stops when it is to stop."""

import threading
from types import SimpleNamespace

import pytest

from engine.model.declarations.report import Report
from engine.model.errors import Unavailable
from engine.reporting.index import index
from engine.store.queries.accounts.organizations import longest_chains
from engine.web import warming
from tests.conftest import NOW

CHAPTER = next(iter(index().sections.values()))


class Workers:
    """Workers that note what they are given."""

    def __init__(self, failure=None, end=None):
        self.done, self._failure, self._end = [], failure, end

    def run(self, work, *, place, caller="", gone=bool):
        self.done.append((place, work.arguments[1] if work.arguments else "facts kept"))
        assert caller == "warming"
        assert not work.arguments or work.arguments[0] == work.prepare.args[0] == place
        if self._failure is not None:
            raise self._failure
        if self._end is not None:
            self._end.set()


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(warming, "WAIT_SECONDS", 0.0)


def add(store, org_id, events):
    with store.revision(org_id, "setup", now=NOW, create={"name": org_id}) as revision:
        for _ in range(events):
            revision.record("organization.created")


def warm(store, workers, stopped=None, bucket=""):
    services = SimpleNamespace(store=store, settings=SimpleNamespace(artifact_bucket=bucket))
    warming.warm(services, workers, stopped or threading.Event(), NOW)
    return workers.done


def test_those_with_the_longest_records_are_warm_the_shortest_of_them_first(store, monkeypatch):
    store.ensure_platform(NOW)
    add(store, "large", 5)
    add(store, "other", 3)
    monkeypatch.setattr(warming, "ORGANIZATIONS", 2)
    each = [*CHAPTER, "facts kept"]
    assert warm(store, Workers()) == [(org_id, step) for org_id in ("other", "large") for step in each]


def test_the_longest_chains_are_no_empty_ones_and_not_the_platforms(any_store):
    any_store.ensure_platform(NOW)
    add(any_store, "large", 5)
    with any_store.reader() as connection:
        assert [longest_chains(connection, count) for count in (0, 1, 9)] == [[], ["large"], ["large", "acme"]]


def test_it_stops_with_the_console_and_at_what_keeps_it_from_computing(store):
    stopped = threading.Event()
    assert warm(store, Workers(end=stopped), stopped) == [("acme", CHAPTER[0])]
    assert (warm(store, Workers(), stopped), warm(store, Workers(), bucket="s3://reports")) == ([], [])
    assert warm(store, Workers(failure=Unavailable("The console is stopping."))) == [("acme", CHAPTER[0])]


def test_a_report_is_computed_once_and_not_kept(console, monkeypatch):
    warming._compute(console, "acme", "legal-holds", NOW)
    monkeypatch.setattr(Report, "document", None)  # whoever called it would fail
    with console.services.snapshots.open("acme", now=NOW) as opened:
        assert opened.from_cache("legal-holds", {}) is None
        assert opened.edition("legal-holds", {}).revision == opened.revision
