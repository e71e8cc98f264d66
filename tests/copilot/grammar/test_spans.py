"""What lasts is asked at a moment of its days, and a number is held against the column before it."""

from datetime import UTC, date, datetime, time, timedelta

import polars as pl
import pytest

from engine.copilot.entities.duty import MAINTENANCE, SHIFT
from engine.copilot.entities.operations import FINDING
from engine.copilot.grammar.constraints import clock_of
from engine.copilot.grammar.lexicon import Lexicon
from engine.copilot.grammar.names import Names
from engine.copilot.grammar.reading import Reading, ask, read
from engine.copilot.grammar.spans import columns_apart, equal_of

TODAY = date(2026, 11, 20)
NINE = datetime.combine(date(2026, 11, 16), time(9))


class Shifts:
    """Two services, a week on call for all of them, and the next one for one of them."""

    today, now = TODAY, datetime(2026, 11, 20, 8, 30, tzinfo=UTC)

    def table(self, name):
        return {
            "services": pl.DataFrame({"id": ["svc-a", "svc-b"], "name": ["a", "b"]}),
            "on_call_shifts": pl.DataFrame(
                {
                    "id": ["SHIFT-1", "SHIFT-2"],
                    "person": ["ann", "ben"],
                    "service_id": [None, "svc-b"],
                    "starts_at": [NINE, NINE + timedelta(days=7)],
                    "ends_at": [NINE + timedelta(days=7), NINE + timedelta(days=14)],
                    "recorded_at": [NINE, NINE],
                }
            ),
            "incidents": pl.DataFrame(
                {
                    "id": ["INC-1", "INC-2", "INC-3"],
                    "service_id": ["svc-a", "svc-b", "svc-a"],
                    "opened_at": [NINE, NINE + timedelta(days=7), NINE + timedelta(days=8)],
                }
            ),
        }[name]


def test_a_shift_without_a_service_is_for_all_of_them():
    assert SHIFT.source(Shifts())["covered_ids"].to_list() == [["svc-a", "svc-b"], ["svc-b"]]


def test_maintenance_that_was_announced_only_afterwards_is_declared_after_the_fact():
    assert "announced only afterwards" in MAINTENANCE.state("declared after the fact").words


def test_a_shift_has_the_incidents_that_began_in_it_on_its_service():
    assert [(one or []) for one in SHIFT.source(Shifts())["begun_ids"].to_list()] == [["INC-1"], ["INC-2"]]


@pytest.mark.parametrize(
    ("question", "person"),
    [
        ("who is on call at 3am", ["ann"]),
        ("who is on call tomorrow at 3am", ["ann"]),
        ("who is on call on monday at 8am", ["ann"]),
        ("who is on call on monday at 9am", ["ben"]),
        ("who is on call on 2027-01-01 at 9am", []),
    ],
)
def test_who_has_the_pager_at_an_hour_is_whose_shift_lasts_then(question, person):
    frame = SHIFT.source(Shifts()).with_columns(from_local="starts_at", to_local="ends_at")
    made = clock_of(Reading(SHIFT, ask(question, TODAY), ()), frame, TODAY)
    assert frame.filter(made.where)["person"].to_list() == person


class Nobody:
    """An organization without names."""

    def table(self, name):
        columns = {
            "users": ("email", "name", "title"),
            "services": ("id", "name"),
            "incidents": ("id",),
            "service_senders": ("token", "source"),
        }
        return pl.DataFrame(schema=dict.fromkeys(columns[name], pl.String))

    def fact(self, name):
        columns = {
            "vendors": ("vendor_id", "name"),
            "committees": ("committee_id", "name"),
            "control_status": ("framework", "control_id"),
            "own_frameworks": ("framework", "name"),
            "automation_runs": ("playbook",),
        }
        if name == "own_controls":
            schema = {"framework": pl.String, "control_id": pl.String, "title": pl.String, "assessable": pl.Boolean}
            return pl.DataFrame(schema=schema)
        return pl.DataFrame(schema=dict.fromkeys(columns[name], pl.String))


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("findings above cvss 9", [9.8]),
        ("findings below cvss 4", [2.2]),
        ("findings at least cvss 9", [9.0, 9.8]),
        ("findings with cvss 9", [9.0]),
        ("findings over epss 0.5", [9.8]),
        ("findings with a 9.8 cvss", [9.8]),
        ("findings whose cvss is 9", [9.0]),
        ("the top 9 cvss findings", []),
    ],
)
def test_a_number_is_held_against_the_column_beside_it(question, fitting):
    frame = pl.DataFrame({"id": ["a", "b", "c"], "cvss": [2.2, 9.0, 9.8], "epss": [0.1, 0.2, 0.9]})
    reading = read(ask(question, TODAY), FINDING, Lexicon(FINDING, frame, Names(Nobody())), frame)
    made, used = equal_of(reading, frame)
    assert (frame.filter(*(one.where for one in made))["cvss"].to_list() if made else []) == fitting
    assert set(reading.unknown) <= set(used) or not made


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("findings fixed after the day they were due", ["b"]),
        ("findings fixed before their due date", ["a"]),
        ("findings fixed on the day they were due", ["c"]),
        ("findings fixed", None),
    ],
)
def test_two_days_of_a_row_are_held_against_each_other(question, fitting):
    due = date(2026, 11, 9)
    frame = pl.DataFrame({"id": ["a", "b", "c"], "fixed_on": [date(2026, 11, 8), date(2026, 11, 10), due]})
    frame = frame.with_columns(due_on=pl.lit(due))
    reading = read(ask(question, TODAY), FINDING, Lexicon(FINDING, frame, Names(Nobody())), frame)
    made, _ = columns_apart(reading, frame)
    assert (frame.filter(*(one.where for one in made))["id"].to_list() if made else None) == fitting
