"""Facts outlive the process that computed them, unless a person was erased or little of them is news."""

import pytest

from engine.facts import Facts
from engine.render import RENDERERS
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifact_space import Quota
from engine.reporting.artifacts.artifacts import QUOTA, Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store.log.parts import PERSON_ERASED
from reports import CATALOGUE
from tests.conftest import NOW

REPORT = "gap-remediations"


@pytest.fixture
def process(store, tmp_path):
    """Makes what a process has that computes reports, and closes it in the end."""
    made = []

    def make(quota=QUOTA):
        artifacts = Artifacts(tmp_path / "kept", memory_bytes=0, quota=quota)
        made.append(Snapshots(store, Replica(store.url, None), artifacts, CATALOGUE))
        return made[-1]

    yield make
    for each in made:
        each.replica.close()


def text(snapshots):
    with snapshots.open("acme", now=NOW) as snapshot:
        return RENDERERS["json"].render(snapshot.edition(REPORT, {}))


def files(tmp_path):
    return sorted((tmp_path / "kept" / "acme" / "facts").glob("*"))


def test_a_process_that_starts_computes_no_fact_anew(process, tmp_path, monkeypatch):
    first = process()
    before = text(first)
    first.close()
    (file,) = files(tmp_path)
    monkeypatch.setattr(Facts, "_compute", None)  # whoever called it would fail
    second, written = process(), file.read_bytes()
    assert text(second) == before
    second.close()
    assert files(tmp_path) == [file]
    assert file.read_bytes() == written


def test_a_damaged_file_is_computed_anew(process, tmp_path):
    first = process()
    before = text(first)
    first.close()
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    second = process()
    assert text(second) == before
    second.close()
    assert files(tmp_path) == [file]
    assert file.read_bytes() == whole


def test_what_was_computed_before_a_person_was_erased_is_not_kept(process, tmp_path, store):
    first = process()
    text(first)
    with store.revision("acme", "owner", now=NOW) as revision:
        revision.record(PERSON_ERASED)
    first.close()
    assert files(tmp_path) == []


def test_nothing_is_kept_where_nothing_was_computed(process, tmp_path):
    first = process()
    first.open("acme", now=NOW)
    first.close()
    assert not (tmp_path / "kept" / "acme").exists()


def test_facts_that_would_drive_reports_out_are_not_kept(process, tmp_path):
    first = process(Quota(organization=100_000, total=1 << 30))
    text(first)
    first.close()
    assert files(tmp_path) == []


def test_of_an_organization_that_is_gone_nothing_is_kept(process, tmp_path, store, monkeypatch):
    first = process()
    text(first)
    monkeypatch.setattr(store, "part_heads", lambda org_id: {})
    first.close()
    assert files(tmp_path) == []
