"""What a pull wrote is not told otherwise by an import: neither the run nor its bytes, and no run besides."""

from datetime import date

import pytest

from engine.evidence.items import add_item
from engine.intake.imports import import_paths
from engine.model.errors import InvalidData
from engine.store.rows import many
from engine.store.schema.controls import schedule_controls, test_runs, testing_schedules
from tests.conftest import NOW

DAY = date(2026, 11, 20)
CONTROL = {"framework": "soc2", "control_id": "CC6.2"}
SCHEDULES = "id,framework,control_id,procedure,cadence,starts_on\n"
RUNS = "id,schedule_id,window_open_on,window_close_on,performed_on,outcome\n"


@pytest.fixture
def check_store(store):
    """A store in which the check leavers failed."""
    with store.revision("acme", "pull", now=NOW) as revision:
        schedule = {"id": "check-leavers", "procedure": "Leavers", "cadence": "weekly", "starts_on": DAY, **CONTROL}
        revision.insert(testing_schedules, [{**schedule, "check_id": "leavers", "query_sha256": "1"}])
        revision.insert(schedule_controls, [{"schedule_id": "check-leavers", **CONTROL}])
        run = {"id": "r1", "schedule_id": "check-leavers", "window_open_on": DAY, "window_close_on": DAY}
        revision.insert(test_runs, [{**run, "performed_on": DAY, "outcome": "failed", "sequence": 2}])
        add_item(revision, {"id": "r1-run", "title": "Run", "captured_at": NOW, "run_id": "r1", "part": "run"}, [])
    return store


def bring_in(store, tmp_path, table, text):
    path = tmp_path / f"{table}.csv"
    path.write_text(text)
    return import_paths(store, [path], org_id="acme", actor="import", now=NOW)


@pytest.mark.parametrize(
    ("table", "text", "cell"),
    [
        ("test_runs", RUNS + "r2,check-leavers,2026-11-20,2026-11-20,2026-11-20,passed\n", ("schedule_id", "check-leavers")),
        ("test_runs", RUNS + "r1,check-leavers,2026-11-20,2026-11-20,2026-11-20,passed\n", ("outcome", "passed")),
        ("test_runs", "id,outcome\nr1,\n", ("outcome", "nothing")),
        ("testing_schedules", SCHEDULES + "check-leavers,soc2,CC6.2,Leavers,annual,2026-11-20\n", ("cadence", "annual")),
        ("schedule_controls", "schedule_id,framework,control_id\ncheck-leavers,soc2,CC6.1\n", ("schedule_id", "check-leavers")),
        ("evidence_items", "id,file\nr1-run,other.json\n", ("file", "other.json")),
    ],
)  # fmt: skip
def test_what_a_pull_wrote_is_not_told_otherwise(check_store, tmp_path, table, text, cell):
    before = check_store.head("acme")
    with pytest.raises(InvalidData) as caught:
        bring_in(check_store, tmp_path, table, text)
    ((found),) = caught.value.details
    assert (found["column"], found["found"]) == cell
    assert "`hq pull`" in found["expected"]
    assert check_store.head("acme") == before


def test_people_say_more_of_it_and_the_same(check_store, tmp_path):
    bring_in(check_store, tmp_path, "test_runs", "id,outcome,cause,response\nr1,failed,A gap,Closed\n")
    bring_in(
        check_store, tmp_path, "testing_schedules", SCHEDULES + "check-leavers,soc2,CC6.2,Leavers,weekly,2026-11-20\n"
    )
    bring_in(check_store, tmp_path, "schedule_controls", "schedule_id,framework,control_id\ncheck-leavers,soc2,CC6.2\n")
    with check_store.reader() as connection:
        (run,) = many(connection, test_runs, "acme")
    assert (run["outcome"], run["cause"], run["response"], run["sequence"]) == ("failed", "A gap", "Closed", 2)


def test_tests_that_people_perform_are_theirs(check_store, tmp_path):
    bring_in(check_store, tmp_path, "testing_schedules", SCHEDULES + "own,soc2,CC6.2,By hand,weekly,2026-11-20\n")
    bring_in(check_store, tmp_path, "test_runs", RUNS + "r2,own,2026-11-20,2026-11-20,2026-11-20,passed\n")
    bring_in(check_store, tmp_path, "test_runs", RUNS + "r2,own,2026-11-20,2026-11-20,2026-11-20,failed\n")
