"""What a batch kept of a report is read, and nothing else, by whoever asks for another of its formats."""

import logging

import pytest

from engine.replica.replica import Replica
from engine.reporting.artifacts.artifact_seals import seal
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.artifacts.edition_bytes import edition_bytes
from engine.reporting.snapshot.snapshots import Snapshots
from reports import CATALOGUE
from tests.reporting.snapshot.test_snapshots import NOW, ask_report, full_store, snapshots  # noqa: F401 - fixtures

REPORT = CATALOGUE["posture-score"]


@pytest.fixture
def other(full_store, tmp_path):  # noqa: F811 - fixtures
    """Another process, over the same artifacts; it holds none of them."""
    replica = Replica(full_store.url, None)
    made = Snapshots(full_store, replica, Artifacts(tmp_path / "artifacts", memory_bytes=0), CATALOGUE)
    yield made
    made.close()
    replica.close()


def build(snapshots, org="empty"):  # noqa: F811 - fixtures
    with snapshots.open(org, now=NOW) as snapshot:
        made = snapshot.build_ahead(REPORT)
        assert snapshot.is_built_ahead(REPORT)
    return made


def test_a_page_is_rendered_of_it_and_no_record_is_read(snapshots, other, monkeypatch):  # noqa: F811 - fixtures
    expected = {form: ask_report(snapshots, "empty", REPORT.name, form).data for form in ("json", "md")}
    made = build(snapshots)
    assert [(one.name.format, one.made) for one in made] == [("edition", True), ("json", False)]
    (tmp := other.artifacts.place(ask_report(snapshots, "empty", REPORT.name, "md").name)).unlink()
    monkeypatch.setattr(Replica, "sync", None)  # nobody may ask it
    page = ask_report(other, "empty", REPORT.name, "md")
    assert (page.made, page.data, tmp.exists()) == (True, expected["md"], True)
    assert ask_report(other, "empty", REPORT.name, "json").data == expected["json"]


def test_a_settled_snapshot_says_what_was_kept_and_computes_nothing(snapshots, other, monkeypatch):  # noqa: F811 - fixtures
    build(snapshots)
    with other.open("empty", now=NOW) as snapshot:
        computed = snapshot.edition(REPORT, {})  # it might settle at a later head than that of what was kept
        monkeypatch.setattr(type(snapshot), "_compute", None)
        snapshot._editions.clear()
        assert edition_bytes(snapshot.edition(REPORT, {})) == edition_bytes(computed)
    with other.open("empty", now=NOW) as snapshot, pytest.raises(TypeError):
        snapshot.edition(REPORT, {})


def test_what_is_built_already_is_not_built_again(snapshots, other):  # noqa: F811 - fixtures
    with other.open("empty", now=NOW) as snapshot:
        assert not snapshot.is_built_ahead(REPORT)
    assert [one.made for one in build(snapshots)] == [True, True]
    assert [one.made for one in build(other)] == [False, False]


def test_a_question_with_parameters_is_computed(snapshots, other):  # noqa: F811 - fixtures
    build(snapshots)
    with other.open("empty", now=NOW) as snapshot:
        answer = snapshot.bytes("posture-score", {"periodDays": "7"}, "json")
    assert (answer.made, b'"periodDays":7' in answer.data.replace(b" ", b"")) == (True, True)


def test_what_cannot_be_read_of_it_is_computed_anew(snapshots, other, caplog):  # noqa: F811 - fixtures
    kept = build(snapshots)[0]
    other.artifacts.place(kept.name).write_bytes(b"odd" + seal(b"odd", kept.etag))
    with caplog.at_level(logging.WARNING):
        page = ask_report(other, "empty", REPORT.name, "md")
    assert page.made
    assert "What was kept of the report posture-score is not used, and is computed anew." in caplog.text
