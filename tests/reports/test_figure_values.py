"""A figure whose value moves over records that never change has a new version, and its change is in the changelog."""

import json
from pathlib import Path

import polars as pl
import pytest

from engine.model.figures import versions
from engine.model.figures.versions import OTHER_PROGRAM, FormulaChange, change_names, formula_change, version_of
from reports.figures import FIGURES
from tests.facts.conftest import facts_over
from tests.reports.figure_values import accepted_values, corpus, moves, values_bytes, values_of

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"


@pytest.fixture
def changes(monkeypatch):
    """The formula of the posture score changed twice, that of open gaps once."""
    made = FormulaChange("Half counts half", ("posture_score", "gaps_open")), FormulaChange("B", ("posture_score",))
    monkeypatch.setattr(versions, "CHANGES", made)


def test_no_value_moves_without_a_new_version(replica):
    with replica.view() as view:
        now = values_of(facts_over(view, corpus()))
    assert moves(now, accepted_values()) == []
    assert now == accepted_values(), "python -m tests.reports.accept_figure_values"
    assert json.loads(values_bytes(now)) == now


def test_a_value_that_moved_is_named_and_one_with_a_new_version_is_not():
    before = {"a": {"version": 1, "value": 75.4}, "b": {"version": 1, "value": 3}}
    now = {"a": {"version": 1, "value": 74.4}, "b": {"version": 2, "value": 4}, "new": {"version": 1, "value": 0}}
    assert moves(now, before) == ["a was 75.4 and is 74.4, both as version 1"]


def test_every_change_moves_figures_that_there_are_and_is_named_in_the_changelog():
    text = " ".join(CHANGELOG.read_text(encoding="utf-8").split())
    names = [versions.FIRST, *(change.name for change in versions.CHANGES)]
    assert [name for name in names if name not in text] == []
    assert {name for change in versions.CHANGES for name in change.figures} - FIGURES.keys() == set()


def test_each_change_raises_the_version_of_the_figures_that_it_moves(changes):
    assert {name: version_of(name) for name in ("posture_score", "gaps_open", "risks_open")} == {
        "posture_score": 3,
        "gaps_open": 2,
        "risks_open": 1,
    }
    assert change_names("posture_score") == {0: versions.FIRST, 1: "Half counts half", 2: "B"}
    assert FIGURES["posture_score"].version == 3


def test_a_snapshot_by_another_formula_names_the_change_that_ended_it(changes):
    kept = [None, "{}", '{"posture_score":1}', '{"posture_score":2}', '{"posture_score":3}', '{"posture_score":9}']
    frame = pl.DataFrame({"formulas": kept}, schema={"formulas": pl.String})
    found = frame.select(name=formula_change(["posture_score"]))["name"].to_list()
    assert found == [versions.FIRST, versions.FIRST, "Half counts half", "B", None, OTHER_PROGRAM]
