"""Every report on the odd days of the calendar, and the same bytes from processes that differ in all but the records."""

import json
import os
import subprocess
import sys
from contextlib import closing
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from reports import CATALOGUE
from tests.conftest import NOW, _with_acme
from tests.promises.records import fill

pytestmark = pytest.mark.real

DAYS = {  # moments, and the day that it is then in Berlin
    "leap day": (datetime(2028, 2, 29, 12, tzinfo=UTC), date(2028, 2, 29)),
    "the day after a leap day": (datetime(2028, 3, 1, 0, 30, tzinfo=UTC), date(2028, 3, 1)),
    "a century that is no leap year": (datetime(2100, 2, 28, 23, 30, tzinfo=UTC), date(2100, 3, 1)),
    "last day of the year, in week 53": (datetime(2026, 12, 31, 22, 59, tzinfo=UTC), date(2026, 12, 31)),
    "first day of the year, in week 53": (datetime(2026, 12, 31, 23, 30, tzinfo=UTC), date(2027, 1, 1)),
    "a Monday of a year that has begun, in week 1": (datetime(2024, 12, 30, 9, tzinfo=UTC), date(2024, 12, 30)),
    "an hour that is skipped": (datetime(2026, 3, 29, 1, 30, tzinfo=UTC), date(2026, 3, 29)),
    "an hour that comes twice": (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), date(2026, 10, 25)),
    "the same hour again": (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), date(2026, 10, 25)),
}
USUAL = ("leap day", "first day of the year, in week 53", "an hour that comes twice")  # the others are soak
CHILD = """
import hashlib, json, sys
from datetime import datetime
from pathlib import Path
from engine.reporting.artifacts.artifacts import Artifacts
from engine.replica.replica import Replica
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from reports import CATALOGUE

url, folder, now = sys.argv[1], Path(sys.argv[2]), datetime.fromisoformat(sys.argv[3])
store = Store(url)
replica = Replica(url, None)
snapshots = Snapshots(store, replica, Artifacts(folder), CATALOGUE)
with snapshots.open("acme", now=now) as snapshot:
    made = {
        f"{report.name}.{form}": hashlib.sha256(snapshot.bytes(report.name, {}, form).data).hexdigest()
        for report in CATALOGUE.values() for form in report.formats
    }
print(json.dumps(made))
snapshots.close()
replica.close()
store.close()
"""


def words(table, column, number):
    """Plain texts."""
    return f"{column} {number}"


@pytest.mark.parametrize(
    "name", [name if name in USUAL else pytest.param(name, marks=pytest.mark.real) for name in DAYS]
)
def test_every_report_is_computed_on_an_odd_day(name, any_day, tmp_path):
    moment, day = DAYS[name]
    store = any_day(moment)
    with (
        closing(Replica(store.url, None)) as replica,
        closing(Snapshots(store, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)) as snapshots,
        snapshots.open("acme", now=moment) as snapshot,
    ):
        assert snapshot.as_of == day == moment.astimezone(ZoneInfo("Europe/Berlin")).date()
        for report in CATALOGUE.values():
            made = snapshot.bytes(report.name, {}, report.formats[0]).data
            if report.formats[0] == "json":
                assert json.loads(made)["as_of"] == day.isoformat(), report.name


@pytest.fixture
def any_day(sqlite_url):
    """``any_day(moment)``: a store of acme in Berlin with rows in every table, dated around that moment."""
    opened = []

    def make_store(moment):
        store = Store(sqlite_url)
        opened.append(store)
        with store.revision(
            "acme", "setup", now=moment, create={"name": "Acme", "time_zone": "Europe/Berlin"}
        ) as revision:
            revision.record("organization.created")
        fill(store, "acme", words, now=moment)
        return store

    yield make_store
    for store in opened:
        store.close()


def bytes_of(url, folder, **environment):
    ran = subprocess.run(
        [sys.executable, "-c", CHILD, url, str(folder), NOW.isoformat()],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


def test_the_same_records_are_the_same_bytes_whatever_computes_them(sqlite_url, postgresql_url, tmp_path):
    """Both engines; other hashes of texts, other time zones of the machine, other numbers of threads."""
    found = {}
    for url in (sqlite_url, postgresql_url):
        with closing(_with_acme(url)) as store:
            fill(store, "acme", words, now=NOW)
    for number, (url, environment) in enumerate(
        (
            (sqlite_url, {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Auckland", "POLARS_MAX_THREADS": "4"}),
            (postgresql_url, {"PYTHONHASHSEED": "7", "TZ": "America/St_Johns", "POLARS_MAX_THREADS": "1"}),
        )
    ):
        found[number] = bytes_of(url, tmp_path / str(number), **environment)
    assert found[0] == found[1]
    assert len(found[0]) > 200
