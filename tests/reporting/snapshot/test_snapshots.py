"""Snapshots: alone or in the batch of all the same bytes; every format shows the same rows; nothing moves under one."""

import csv
import errno
import io
import logging
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import polars as pl
import pytest

from engine.model.errors import BadRequest, NotFound
from engine.render import RENDERERS
from engine.render.text import json
from engine.replica.replica import Replica
from engine.reporting.artifacts.ahead import EDITION
from engine.reporting.artifacts.artifact_seals import bytes_of
from engine.reporting.artifacts.artifact_space import UNFINISHED
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.artifacts.edition_bytes import edition_from
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from engine.store.schema.organizations import workspaces
from reports import CATALOGUE, REPORTS
from tests.demo import demo_store
from tests.render.spreadsheets import check_cells

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ORGS = ("brightline", "cobalt")


@pytest.fixture(scope="module")
def full_store(tmp_path_factory):
    """A store with two demo organizations and an empty one."""
    store = Store(demo_store(tmp_path_factory.mktemp("snapshots"), *ORGS, now=NOW))
    with store.revision(
        "empty", "setup", now=NOW, create={"name": "Empty", "time_zone": "Pacific/Auckland"}
    ) as revision:
        revision.record("organization.created")
    yield store
    store.close()


@pytest.fixture
def snapshots(full_store, tmp_path):
    replica = Replica(full_store.url, None)
    made = Snapshots(full_store, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)
    yield made
    made.close()
    replica.close()


@pytest.fixture(scope="module")
def documents(full_store, tmp_path_factory):
    """Editions that keep their facts from test to test: nothing is written meanwhile."""
    replica = Replica(full_store.url, None)
    made = Snapshots(full_store, replica, Artifacts(tmp_path_factory.mktemp("documents")), CATALOGUE)

    def edition(org, report):
        with made.open(org, now=NOW) as snapshot:
            return snapshot.edition(report, {})

    yield edition
    made.close()
    replica.close()


def ask_report(snapshots, org, report, form):
    """What one request gets."""
    with snapshots.open(org, now=NOW) as snapshot:
        return snapshot.bytes(report, {}, form)


def files(folder):
    """The reports that are kept, without what a killed process left unfinished; of a report's content what a page shows."""
    every = [path for path in folder.rglob("*.*") if path.is_file() and path.suffix != ".facts"]
    paths = [path for path in every if not path.name.startswith(UNFINISHED)]
    return {path.relative_to(folder).as_posix(): page_bytes(path) for path in paths}


def page_bytes(path):
    """The bytes of a file; of equal contents, whose bytes may differ, the page is the same."""
    data = path.read_bytes()
    if path.suffix != f".{EDITION}" or (content := bytes_of(data, path.stem)) is None:
        return data
    return RENDERERS["html"].render(edition_from(content))


def sections_of(row):
    """The tables that show a row of a CSV."""
    return [row["section"], *filter(None, row.get("also_in", "").split("; "))]


def repeated_rows(rows):
    """Rows of a CSV that say nothing but what a row of another section says too: a sum would count them twice."""
    by_section = {}
    for row in rows:
        cells = {name: cell for name, cell in row.items() if name not in ("section", "also_in")}
        by_section.setdefault(row["section"], []).append(cells)
    used = {name: [column for column in own[0] if any(row[column] for row in own)] for name, own in by_section.items()}
    found = []
    for name, columns in used.items():
        for other in by_section.keys() - {name}:
            if columns and set(columns) <= set(used[other]):
                there = {tuple(row[column] for column in columns) for row in by_section[other]}
                found += [
                    (name, other, one)
                    for row in by_section[name]
                    if (one := tuple(row[column] for column in columns)) in there
                ]
    return found


def test_a_row_of_two_sections_would_be_found():
    row = {"section": "all", "also_in": "", "id": "a", "n": "1"}
    assert repeated_rows([row, {**row, "section": "top", "n": ""}, {**row, "section": "top", "id": "b", "n": ""}]) == [
        ("top", "all", ("a",))
    ]
    assert repeated_rows([row, {**row, "section": "top", "n": "2"}]) == []


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
@pytest.mark.parametrize("org", [pytest.param("brightline", marks=pytest.mark.real), "empty"])
def test_all_formats_show_the_same_rows(report, org, documents):
    edition = documents(org, report)
    tables = edition.document.tables
    as_json = msgspec.json.decode(RENDERERS["json"].render(edition))
    assert [len(as_json[table.name]) for table in tables] == [table.frame.height for table in tables]
    rows = list(csv.DictReader(io.StringIO(RENDERERS["csv"].render(edition).decode(), newline="")))
    if len(tables) == 1:
        assert len(rows) == tables[0].frame.height
    else:
        assert [sum(table.name in sections_of(row) for row in rows) for table in tables] == [
            table.frame.height for table in tables
        ]
        assert repeated_rows(rows) == []
    check_cells(edition)
    page = RENDERERS["html"].render(edition).decode()
    assert page.count('<tr><th scope="row"') == sum(table.frame.height for table in tables)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_an_organization_without_records_gets_an_honest_document(report, documents):
    edition = documents("empty", report)
    assert edition.document.headline.strip()
    assert edition.as_of == date(2026, 11, 21), "it is tomorrow in Auckland"
    scores = (
        "score",
        "health",
        "strict_pct",
        "weighted_pct",
        "covered_pct",
        "current_pct",
        "fresh_pct",
        "in_window_pct",
    )
    assert {name: edition.document.summary.get(name) or 0 for name in scores} == dict.fromkeys(scores, 0)
    assert edition.document.summary.get("grade", "insufficient_data") == "insufficient_data"


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_tables_are_sorted_totally(report, documents):
    """No two rows of a table are equal, so that one order exists and input order cannot show."""
    for table in documents("brightline", report).document.tables:
        keys = table.frame.select(pl.struct(pl.all()).hash()).to_series()
        assert keys.n_unique() == table.frame.height, table.name


@pytest.mark.real
def test_a_write_is_seen_at_once_and_names_a_new_artifact(full_store, snapshots):
    before = ask_report(snapshots, "cobalt", "summary", "json")
    with full_store.revision("cobalt", "ann", now=NOW) as revision:
        revision.insert(workspaces, [{"id": "late", "name": "Late"}])
        revision.record("workspace.created")
    after = ask_report(snapshots, "cobalt", "summary", "json")
    assert (after.name.position, after.etag != before.etag) == (full_store.head("cobalt"), True)


@pytest.mark.real
def test_another_day_is_computed_for_that_day(snapshots):
    with snapshots.open("cobalt", now=NOW + timedelta(days=1)) as tomorrow:
        later = tomorrow.edition("summary", {})
    assert later.as_of == date(2026, 11, 21)


@pytest.mark.real
def test_a_full_disk_does_not_keep_a_reader_from_the_report(snapshots, monkeypatch, caplog):
    def full(path, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with caplog.at_level(logging.WARNING):
        assert ask_report(snapshots, "empty", "program", "json").data
        assert ask_report(snapshots, "empty", "program", "csv").data
    assert caplog.text.count("the disk is full") == 1


def test_unknown_names_are_refused(snapshots):
    with pytest.raises(NotFound, match="no report 'nonsense'; there are: attestation-renewal, attestations"):
        ask_report(snapshots, "cobalt", "nonsense", None)
    with pytest.raises(NotFound, match="no organization 'nobody'"):
        ask_report(snapshots, "nobody", "summary", None)
    with pytest.raises(BadRequest, match="comes as ics, json"):
        ask_report(snapshots, "cobalt", "obligation-ics", "docx")


@pytest.mark.real
def test_many_threads_may_ask_while_others_write(full_store, snapshots):
    failures, seen = [], []

    def read():
        try:
            for _ in range(3):
                for name in ("summary", "program", "calendar"):
                    seen.append(ask_report(snapshots, "empty", name, "json").name.position.seq)
        except Exception as error:
            failures.append(error)

    def write():
        try:
            for number in range(5):
                with full_store.revision("empty", "ann", now=NOW) as revision:
                    revision.record("note.added", details={"n": number})
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)] + [threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert max(seen) <= full_store.head("empty").seq


@pytest.mark.real
def test_what_is_not_asked_over_a_period_says_the_same_over_any(full_store, tmp_path):
    """Why one snapshot may answer such a report from facts of whatever period it has."""
    replica = Replica(full_store.url, None)
    snapshots = Snapshots(full_store, replica, Artifacts(tmp_path), CATALOGUE)
    with snapshots.open("brightline", now=NOW) as first:
        usual = {report.name: first.edition(report, {}).document for report in REPORTS if not report.has_period}
    snapshots.close()
    with snapshots.open("brightline", now=NOW) as second:
        second.edition("posture-score", {"periodDays": "365"})
        long = {name: second.edition(name, {}).document for name in usual}
    snapshots.close()
    replica.close()
    for name, document in usual.items():
        assert {**vars(document), "tables": None, "charts": None} == {
            **vars(long[name]),
            "tables": None,
            "charts": None,
        }
        for one, other in zip(document.tables, long[name].tables, strict=True):
            assert one.frame.equals(other.frame), (name, one.name)


@pytest.mark.real
def test_a_snapshot_stays_where_it_is_once_it_was_read(full_store, snapshots):
    with snapshots.open("cobalt", now=NOW) as before:
        first = before.bytes("summary", {}, "json")
        _ = before.subject
        with full_store.revision("cobalt", "ann", now=NOW) as revision:
            revision.insert(workspaces, [{"id": "later", "name": "Later"}])
            revision.record("workspace.created")
        with snapshots.open("cobalt", now=NOW) as after:
            assert after.subject.revision == full_store.head("cobalt") != before.revision
        assert before.fact("controls").height > 0
        assert before.bytes("program", {}, "json").name.position == first.name.position


@pytest.mark.real
def test_the_json_of_an_edition_is_its_envelope(documents):
    for report in REPORTS:
        edition = documents("brightline", report)
        assert json.envelope(edition) == msgspec.json.decode(json.render(edition)), report.name
