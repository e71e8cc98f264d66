"""The batch: the same bytes however organizations are put together, what is there is not made again, and one that
fails keeps no other from its own."""

import json
import logging
import os
import signal
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.documents.document import Position
from engine.model.errors import Problem, Unavailable
from engine.model.every_organization import OrganizationsRun
from engine.replica.replica import Replica
from engine.reporting.artifacts.ahead import AHEAD
from engine.reporting.artifacts.artifacts import Artifacts, ArtifactStorage
from engine.reporting.batch import batch, chunk, chunk_runs
from engine.reporting.batch.batch import here
from engine.reporting.batch.build_costs import BuildCosts
from engine.reporting.batch.chunk import build_chunk
from engine.reporting.batch.chunk_runs import in_processes
from engine.reporting.batch.report_batch import BuildResult, ReportBatch
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from engine.store.log.parts import PERSON_ERASED, part_of
from reports import CATALOGUE, REPORTS
from tests.demo import demo_store
from tests.laws import share_of
from tests.reporting.snapshot.test_snapshots import NOW, files

ORGS = ("brightline", "cobalt", "empty")
SOME = {report.name: report for report in REPORTS[::12]}
COUNT = len(AHEAD) * len(SOME)


@pytest.fixture(scope="module")
def full_store(tmp_path_factory):
    """A store with a demo organization and two that only just began."""
    with closing(Store(demo_store(tmp_path_factory.mktemp("batch"), "cobalt", now=NOW))) as store:
        fill(store)
        yield store


def fill(store):
    for org_id, zone in (("brightline", "UTC"), ("empty", "Pacific/Auckland")):
        with store.revision(org_id, "setup", now=NOW, create={"name": org_id, "time_zone": zone}) as revision:
            revision.record("organization.created")


def of(store, folder, catalogue=SOME):
    return ReportBatch(store.url, ArtifactStorage(folder), catalogue, NOW)


@pytest.fixture(scope="module")
def alone(full_store, tmp_path_factory):
    """What single requests make of some reports."""
    folder = tmp_path_factory.mktemp("alone")
    return request_all(full_store, folder, SOME, ORGS)


def request_all(store, folder, catalogue, org_ids):
    with (
        closing(Replica(store.url, None)) as replica,
        closing(Snapshots(store, replica, Artifacts(folder), catalogue)) as snapshots,
    ):
        for org_id in org_ids:
            with snapshots.open(org_id, now=NOW) as snapshot:
                for report in catalogue.values():
                    snapshot.build_ahead(report)
    return files(folder)


@pytest.mark.real
def test_the_batch_and_single_requests_make_the_same_files_of_every_report(full_store, tmp_path):
    """Of each third; in the weekly job of all."""
    some = {name: CATALOGUE[name] for name in share_of(CATALOGUE)}
    went = batch.build(full_store, of(full_store, tmp_path / "batch", some), ORGS[1:])
    assert [result.kept for result in went.results.values()] == [0, 0]
    assert files(tmp_path / "batch") == request_all(full_store, tmp_path / "alone", some, ORGS[1:])


@pytest.mark.real
@pytest.mark.parametrize("most", [1, 2, 16])
def test_the_bytes_are_those_of_single_requests_however_organizations_are_put_together(
    most, full_store, alone, tmp_path, monkeypatch
):
    monkeypatch.setattr(batch, "MOST_ORGANIZATIONS", most)
    said = []
    went = batch.build(full_store, of(full_store, tmp_path), ORGS, progress=lambda *step: said.append(step))
    assert {path: data for path, data in files(tmp_path).items() if alone[path] != data} == {}
    assert files(tmp_path).keys() == alone.keys()
    assert [(result.org_id, result.made, result.kept) for result in went.results.values()] == [
        (org_id, COUNT, 0) for org_id in ORGS
    ]
    assert (went.failures, said[-1]) == ([], ("organizations", 3, 3))


@pytest.mark.real
def test_so_are_those_of_processes_and_a_second_build_makes_none_and_reads_none(
    full_store, alone, tmp_path, monkeypatch
):
    went = batch.build(full_store, of(full_store, tmp_path), ORGS, in_processes(2), shares=2)
    assert [result.made for result in went.results.values()] == [COUNT] * 3
    assert files(tmp_path) == alone
    monkeypatch.setattr(Replica, "sync", None)  # nobody may ask it
    again = batch.build(full_store, of(full_store, tmp_path), ORGS)
    assert again == OrganizationsRun({org_id: BuildResult(org_id, 0, COUNT, 0) for org_id in ORGS}, [])


@pytest.mark.real
def test_what_is_missing_or_damaged_alone_is_made_again(full_store, alone, tmp_path):
    batch.build(full_store, of(full_store, tmp_path), ORGS)
    first, second, *_ = sorted((tmp_path / "cobalt").glob("*/*"))
    first.unlink()
    second.write_bytes(b"damaged")
    again = batch.build(full_store, of(full_store, tmp_path), ORGS)
    assert [(result.made, result.kept) for result in again.results.values()] == [(0, COUNT), (2, COUNT - 2), (0, COUNT)]
    assert files(tmp_path) == alone


def test_a_chunk_makes_what_single_requests_make_of_an_organization_that_only_began(full_store, tmp_path):
    went = build_chunk(of(full_store, tmp_path / "chunk"), ["empty"])
    assert (went.failures, went.results["empty"].made) == ([], COUNT)
    assert files(tmp_path / "chunk") == request_all(full_store, tmp_path / "alone", SOME, ["empty"])


def test_nobody_is_nothing_to_build_and_the_unknown_are_left_out(full_store, tmp_path):
    nothing = OrganizationsRun({}, [])
    assert batch.build(full_store, of(full_store, tmp_path), []) == nothing
    assert batch.build(full_store, of(full_store, tmp_path), ["nobody"], in_processes(2)) == nothing
    assert not any(tmp_path.iterdir())


@pytest.mark.real
def test_a_full_disk_is_said_of_every_organization(full_store, tmp_path, monkeypatch):
    def full(self, name, data, is_wanted):
        raise Unavailable("the disk is full", word="disk_full")

    monkeypatch.setattr(Artifacts, "put", full)
    with pytest.raises(Problem) as problem:
        batch.build(full_store, of(full_store, tmp_path), ORGS[:2]).message("0 artifacts built")
    assert problem.value.message == (
        "0 artifacts built; failed for 2 of 2 organizations: brightline: the disk is full; cobalt: the disk is full"
    )


@pytest.mark.real
def test_an_organization_that_cannot_be_built_keeps_no_other_from_its_own(full_store, tmp_path, monkeypatch):
    plain = Artifacts.put

    def put(self, name, data, is_wanted):
        if name.org_id == "brightline":
            raise Unavailable("the disk is full", word="disk_full")
        plain(self, name, data, is_wanted)

    monkeypatch.setattr(Artifacts, "put", put)
    went = batch.build(full_store, of(full_store, tmp_path), ORGS[:2])
    assert ([*went.results], [failure.org_id for failure in went.failures]) == (["cobalt"], ["brightline"])
    assert went.results["cobalt"].made == COUNT


@pytest.mark.real
def test_rows_that_no_fact_can_be_computed_from_fail_their_organization_alone(full_store, tmp_path, monkeypatch):
    plain = chunk.question

    def question(subject, period):
        if subject.organization.id == "cobalt":
            raise ArithmeticError("of its rows")
        return plain(subject, period)

    monkeypatch.setattr(chunk, "question", question)
    went = batch.build(full_store, of(full_store, tmp_path), ORGS)
    assert [*went.results] == ["brightline", "empty"]
    assert [str(failure) for failure in went.failures] == ["cobalt: ArithmeticError"]


@pytest.mark.real
def test_a_person_who_is_erased_meanwhile_is_in_no_artifact(full_store, tmp_path, monkeypatch):
    heads, put, gone = Store.part_heads, Artifacts.put, []

    def meanwhile(self, name, data, is_wanted):
        gone.append(name.org_id)
        put(self, name, data, is_wanted)

    def with_erasure(self, org_id):
        positions = heads(self, org_id)
        return (
            {**positions, part_of(PERSON_ERASED): Position(10**9, "")}
            if org_id == "empty" and org_id in gone
            else positions
        )

    monkeypatch.setattr(Artifacts, "put", meanwhile)
    monkeypatch.setattr(Store, "part_heads", with_erasure)
    went = build_chunk(of(full_store, tmp_path), ["empty", "cobalt"])
    assert ([*went.results], [failure.error.message for failure in went.failures]) == (
        ["cobalt"],
        ["A person was erased while the reports were built; they are built anew when asked for."],
    )
    assert {Path(path).parts[0] for path in files(tmp_path)} == {".space", "cobalt"}


def test_a_store_that_does_not_answer_is_told_once_for_all_of_a_chunk(full_store, tmp_path, caplog):
    def run(together, chunks):
        for each in chunks:

            def result():
                raise Unavailable("The operational store does not answer.")

            yield each, result

    with caplog.at_level(logging.ERROR):
        went = batch.build(full_store, of(full_store, tmp_path), ORGS, run)
    assert [str(failure) for failure in went.failures] == [
        f"{org_id}: The operational store does not answer." for org_id in ORGS
    ]
    assert len(caplog.records) == 1


def deadly(together, org_ids):
    """Its process is killed at cobalt; the first time only, where it may leave a mark."""
    mark = together.storage.folder / "mark"
    if "cobalt" in org_ids and not mark.exists():
        if together.memory_limit == "once":
            mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return OrganizationsRun({org_id: BuildResult(org_id, 1, 0, 1) for org_id in org_ids}, [])


@pytest.mark.real
@pytest.mark.parametrize(("times", "failed"), [("once", []), ("always", ["cobalt"])])
def test_what_a_killed_process_had_in_hand_is_tried_once_more_and_the_rest_goes_on(
    times, failed, full_store, tmp_path, monkeypatch
):
    monkeypatch.setattr(chunk_runs, "_build_chunk", deadly)
    together = ReportBatch(full_store.url, ArtifactStorage(tmp_path), SOME, NOW, times)
    went = batch.build(full_store, together, ORGS, in_processes(2), shares=3)
    assert [failure.org_id for failure in went.failures] == failed
    assert [*went.results] == [org_id for org_id in ORGS if org_id not in failed]
    assert all("ended from outside" in str(failure) for failure in went.failures)


@given(
    st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 3 * batch.MOST_EVENTS), max_size=60),
    st.integers(1, 8),
)
def test_every_organization_is_in_one_chunk_and_no_chunk_is_too_large(sizes, shares):
    costs = {org_id: 1 + size / 1000 for org_id, size in sizes.items()}
    chunks = batch.share_out(sizes, costs, shares)
    assert sorted(org_id for each in chunks for org_id in each) == sorted(sizes)
    for each in chunks:
        assert 1 <= len(each) <= batch.MOST_ORGANIZATIONS
        assert len(each) == 1 or sum(sizes[org_id] for org_id in each) <= batch.MOST_EVENTS
    assert len(chunks) >= min(shares, len(sizes))
    assert batch.share_out(dict(reversed(sizes.items())), costs, shares) == chunks


def share_out(costs, shares):
    return batch.share_out(dict.fromkeys(costs, 10), costs, shares)


def test_each_has_something_to_do_where_organizations_are_few():
    costs = {f"o{number}": 1.0 for number in range(4)}
    assert [share_out(costs, shares) for shares in (1, 2, 4, 9)] == [
        [("o0", "o1", "o2", "o3")],
        [("o0", "o2"), ("o1", "o3")],
        [("o0",), ("o1",), ("o2",), ("o3",)],
        [("o0",), ("o1",), ("o2",), ("o3",)],
    ]
    assert share_out({}, 2) == []


def test_twelve_alike_are_four_chunks_for_two_workers_and_no_three():
    assert [len(chunk) for chunk in share_out({f"o{number:02}": 1.0 for number in range(12)}, 2)] == [3, 3, 3, 3]


def test_what_costs_most_stands_alone_and_comes_first():
    costs = {"small": 1.0, "tiny": 0.5, "large": 9.0, "other": 1.5}
    assert share_out(costs, 2) == [("large",), ("other", "small", "tiny")]


def test_one_job_is_this_process():
    assert in_processes(1) is here


@pytest.mark.real
def test_what_a_whole_build_cost_is_kept_and_what_is_there_costs_nothing(full_store, tmp_path):
    path = tmp_path / "costs.json"
    batch.build(full_store, of(full_store, tmp_path / "artifacts"), ORGS[1:], costs=BuildCosts(path))
    first = json.loads(path.read_bytes())
    assert {org_id: events for org_id, (events, _) in first.items()} == {
        org_id: full_store.head(org_id).seq for org_id in ORGS[1:]
    }
    assert all(0 < seconds < 60 for _, seconds in first.values())
    batch.build(full_store, of(full_store, tmp_path / "artifacts"), ORGS[1:], costs=BuildCosts(path))
    assert json.loads(path.read_bytes()) == first
