"""Snapshots by another formula: their days are computed anew where the records go back, and a break where they do not."""

import sqlite3
from contextlib import closing
from datetime import date

import pytest

from engine.model.figures.versions import FIRST
from engine.store.schema.outputs import posture_snapshots, readiness_snapshots
from tests.reporting.snapshot import test_missing_weeks
from tests.reporting.snapshot.test_missing_weeks import EVERY, NOW, TRENDS, copy_services, different, documents

pytestmark = pytest.mark.real
lives = test_missing_weeks.lives  # its fixture
FORMULAS = {"attestation_control_pct": 2, "evidence_fresh": 3, "gaps_open": 2, "strict_pct": 2, "weighted_pct": 3}
EARLIER = date(2026, 7, 6)  # before the records begin
COUNTS = dict.fromkeys(("effective", "partial", "stale", "ineffective", "no_data", "not_applicable"), 1)


@pytest.fixture
def copy(lives, tmp_path):
    services = copy_services(lives(EVERY), tmp_path)
    yield services
    for each in (services.snapshots, services.replica, services.store):
        each.close()


def overwrite(services, statement):
    with closing(sqlite3.connect(services.store.url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(statement)


def test_a_snapshot_keeps_the_versions_of_its_formulas(copy):
    with copy.snapshots.open("acme", now=NOW) as snapshot:
        kept = snapshot.fact("readiness_snapshots_rows")["formulas"].unique().to_list()
        posture = snapshot.fact("posture_snapshots_rows")["formulas"].unique().to_list()
    assert kept == [str(FORMULAS).replace("'", '"').replace(" ", "")]
    assert posture == ['{"posture_score":4}']


def test_days_of_earlier_formulas_are_computed_anew_from_the_records(copy, lives):
    """Numbers of an earlier version, without versions: reports say what they say where all was computed by today's."""
    overwrite(copy, "UPDATE readiness_snapshots SET strict_pct = 1, weighted_pct = 2, gaps_open = 99, formulas = NULL")
    overwrite(copy, "UPDATE posture_snapshots SET score = 99, formulas = '{\"posture_score\":7}'")
    assert different(documents(lives(EVERY), TRENDS), documents(copy, TRENDS)) == []


def test_a_day_before_the_records_is_a_break_that_names_the_change(copy):
    with copy.store.revision("acme", "me", now=NOW) as revision:
        row = {"taken_on": EARLIER, "framework": "soc2", **COUNTS, "strict_pct": 90.0, "weighted_pct": 95.0}
        revision.insert(readiness_snapshots, [row])
        revision.insert(posture_snapshots, [{"taken_on": EARLIER, "score": 95.0, "components": {"readiness": 95.0}}])
        revision.record("snapshots.imported")
    with copy.snapshots.open("acme", now=NOW) as snapshot:
        trends = snapshot.edition("kpi-trends", {}).document
        posture = snapshot.edition("posture-score", {"periodDays": "60"}).document
        figures = snapshot.figures("posture-score", {"periodDays": "60"})
        moved = snapshot.figures("kpi-trends", {})["snapshot_weighted_mean_change"]
    weeks = next(table.frame for table in trends.tables if table.name == "weeks")
    marked = weeks.drop_nulls("formula_change").select("week", "weighted_pct", "formula_change").rows()
    assert marked == [("2026-W28", 95.0, FIRST)]
    assert abs(moved) < 90  # from the first week by today's formula on
    for document in (trends, posture):
        (said,) = [warning for warning in document.warnings if "series breaks" in warning]
        assert "up to 2026-07-06" in said
        assert f'"{FIRST}"' in said
    assert (figures["posture_change"], figures["posture_before_score"]) == (None, None)
