"""Tests that were performed, the controls that each could show, and those that somebody linked it to."""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.expressions import days_between, freshness, local_day, shape, window_of

_KEY = ["org_id", "framework", "control_id"]
_RESULT = {"succeeded": "passed", "passed": "passed", "failed": "failed", "blocked": "blocked"}


def tests(rehearsals_rows: pl.DataFrame, test_windows: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Every dry-run and every recurring test that was performed, oldest first."""
    dry = rehearsals_rows.with_columns(
        kind=pl.lit("dry_run"), title="playbook", performed_on=local_day("ran_at", asked), performed_at="ran_at"
    )
    runs = test_windows.filter(pl.col("performed_on").is_not_null(), pl.col("run_id").is_not_null()).with_columns(
        id="run_id", kind=pl.lit("test_run"), title="procedure", actor="performer"
    )
    result = pl.col("outcome").replace_strict(_RESULT, default=None, return_dtype=pl.String)
    frame = pl.concat([dry, runs], how="diagonal_relaxed").with_columns(outcome=result)
    return shape("tests", frame).sort("org_id", "performed_on", "performed_at", "id", nulls_last=True)


def test_matches(
    tests: pl.DataFrame,
    controls: pl.DataFrame,
    policy_controls_rows: pl.DataFrame,
    own_runbooks: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """What a passed test may show: for a dry-run by its playbook and its guardrail, else the control that it tests."""
    known = catalogue()
    wanted = controls.filter("assessable").select(*_KEY, "title", "cadence", "position")
    passed = tests.filter(pl.col("outcome") == "passed").select(
        "org_id", "kind", "playbook", "policy_id", "performed_on", "framework", "control_id", test_id="id"
    )
    dry = passed.filter(pl.col("kind") == "dry_run").drop("framework", "control_id")
    books = known.runbooks.filter(pl.col("playbook").is_not_null()).join(known.runbook_controls, on="runbook")
    frames = [
        dry.join(books.select("playbook", "framework", "control_id"), on="playbook").with_columns(
            basis=pl.lit("runbook")
        ),
        dry.join(own_runbooks.select(*_KEY, "playbook").unique(), on=["org_id", "playbook"]).with_columns(
            basis=pl.lit("runbook")
        ),
        dry.join(policy_controls_rows, on=["org_id", "policy_id"]).with_columns(basis=pl.lit("policy")),
        passed.filter(pl.col("kind") == "test_run").with_columns(basis=pl.lit("schedule")),
    ]
    columns = [*_KEY, "test_id", "performed_on", "basis"]
    frame = (
        pl.concat([part.select(columns) for part in frames])
        .join(wanted, on=_KEY)
        .group_by(*_KEY, "test_id", "performed_on", "title", "cadence", "position")
        .agg(pl.col("basis").unique().sort(descending=True))
    )
    return shape("test_matches", _with_age(frame, asked)).sort(
        "org_id", "framework", "position", "performed_on", "test_id"
    )


def test_links(
    linked_tests_rows: pl.DataFrame, tests: pl.DataFrame, controls: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Links between tests and controls as somebody made or refused them."""
    about = tests.select("org_id", "performed_on", "outcome", test_id="id")
    frame = (
        linked_tests_rows.with_columns(linked_on=local_day("linked_at", asked))
        .join(about, on=["org_id", "test_id"], how="left")
        .join(controls.select(*_KEY, "cadence"), on=_KEY, how="left")
    )
    return shape("test_links", _with_age(frame, asked)).sort("org_id", "linked_at", "id")


def _with_age(frame: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The age of each test against the window of the control's cadence (F1)."""
    return frame.join(asked.select("org_id", "as_of"), on="org_id").with_columns(
        age_days=days_between("as_of", "performed_on"),
        window_days=window_of("cadence"),
        freshness=freshness(days_between("as_of", "performed_on"), window_of("cadence")),
    )
