from datetime import date

import polars as pl
from hypothesis import given, settings

from engine.facts.obligations import forecasting
from engine.facts.question import FactQuestion, question_frame
from engine.facts.schemas import SCHEMAS
from engine.model.thresholds import Thresholds
from tests.factories import DAY, ORG, moment, rows
from tests.laws import examples
from tests.reports.obligations.ledgers import duty, ledger, ledgers, work

ASKED = question_frame([FactQuestion(ORG, "UTC", DAY, 30, Thresholds())])


def snapshot_frame(*given, **columns):
    return pl.DataFrame(
        [{"org_id": ORG, **row} for row in given], schema={"org_id": pl.String, **columns}, orient="row"
    )


@settings(max_examples=examples(25), deadline=None)
@given(ledgers())
def test_shares_of_work_sum_to_the_weeks_of_owners(obligations):
    owner_weeks, load = work(obligations)
    weeks = owner_weeks.select("week").unique()
    shares = load.join(weeks, on="week").group_by("owner", "week").agg(hours=pl.col("hours").sum())
    busy = owner_weeks.filter(pl.col("demand_hours") > 0)
    joined = busy.join(shares, on=["owner", "week"], nulls_equal=True)
    assert joined.height == busy.height == shares.height
    assert ((joined["hours"] - joined["demand_hours"]).abs() < 0.01).all()


def test_the_accountable_have_a_quarter_and_overdue_work_is_in_no_week():
    _, load = work(ledger(duty("a", -30, accountable="bob", effort_hours=4.0), duty("b", 7, accountable="ann")))
    assert load.select("obligation_id", "owner", "role", "week", "hours").rows() == [
        ("a", "ann", "R", None, 4.0),
        ("a", "bob", "A", None, 1.0),
        ("b", "ann", "R", "2026-W48", 1.0),
    ]


def test_the_present_week_is_not_history():
    columns = {
        "week": pl.String,
        "planned": pl.Int64,
        "planned_hours": pl.Float64,
        "completed": pl.Int64,
        "slipped": pl.Int64,
        "forecast": pl.Int64,
    }
    frame = forecasting.obligation_weeks(
        snapshot_frame(*({"week": f"2026-W{n}"} for n in (47, 46, 45)), **columns), ASKED
    )
    assert frame.select("week", "week_start_on").rows() == [
        ("2026-W45", date(2026, 11, 2)),
        ("2026-W46", date(2026, 11, 9)),
    ]
    assert dict(forecasting.obligation_weeks(snapshot_frame(**columns), ASKED).schema) == dict(
        SCHEMAS["obligation_weeks"]
    )


def test_a_play_has_a_row_for_each_step():
    columns = {
        "id": pl.String,
        "status": pl.String,
        "owner": pl.String,
        "steps": pl.String,
        "hours_saved": pl.Float64,
        "started_on": pl.Date,
        "closed_on": pl.Date,
    }
    steps = '[{"step":"one","status":"done","by":"ann","at":"2026-11-01","evidence":null},{"step":"two"}]'
    frame = forecasting.plays(
        snapshot_frame({"id": "P", "status": "active", "steps": steps}, {"id": "Q"}, **columns), ASKED
    )
    assert frame.select("play_id", "number", "step", "step_status", "step_on").rows() == [
        ("P", 1, "one", "done", date(2026, 11, 1)),
        ("P", 2, "two", None, None),
        ("Q", None, None, None, None),
    ]
    assert dict(forecasting.plays(snapshot_frame(**columns), ASKED).schema) == dict(SCHEMAS["plays"])


def test_a_play_that_is_completed_or_begun_on_a_day_to_come_is_as_it_was_before():
    columns = {**dict.fromkeys(("id", "status", "owner", "steps"), pl.String), "hours_saved": pl.Float64}
    columns |= {"started_on": pl.Date, "closed_on": pl.Date}
    ahead = date(2026, 11, 21)
    given = (
        {"id": "P", "status": "completed", "started_on": DAY, "closed_on": DAY},
        {"id": "Q", "status": "completed", "started_on": DAY, "closed_on": ahead},
        {"id": "R", "status": "completed", "started_on": ahead, "closed_on": ahead},
    )
    frame = forecasting.plays(snapshot_frame(*given, **columns), ASKED)
    assert frame["status"].to_list() == ["completed", "active", "proposed"]


def test_alerts_are_read_from_what_was_delivered():
    columns = {
        **dict.fromkeys(("id", "kind", "period", "channel", "recipient", "status", "payload"), pl.String),
        "created_at": pl.Datetime("us"),
        "created_on": pl.Date,
        "sent_on": pl.Date,
    }
    noted = {name: columns[name] for name in ("created_at", "created_on")} | {
        "delivery_id": pl.String,
        "week": pl.String,
    }
    common = {"channel": "email", "recipient": "ann", "status": "sent", "created_at": moment("2026-11-01")}
    payload = '{"breaches":[{"alert_id":"x","week":"2026-W46","level":"critical","known":9}],"weeks":[]}'
    frame = forecasting.density_alerts(
        snapshot_frame(
            {"id": "D", "kind": forecasting.ALERTS, "payload": payload, **common},
            {"id": "E", "kind": forecasting.ALERTS, "payload": '{"breaches":[]}', **common},
            {"id": "F", "kind": forecasting.ALERTS, "payload": None, **common},
            {"id": "G", "kind": "other", "payload": payload, **common},
            **columns,
        ),
        snapshot_frame({"delivery_id": "hq:9", "week": "2026-W46", "created_at": moment("2026-11-09")}, **noted),
    )
    assert frame.select("delivery_id", "alert_id", "week", "level", "status").rows() == [
        ("D", "x", "2026-W46", "critical", "sent"),
        ("hq:9", None, "2026-W46", "ok", "sent"),
    ]
    empty = forecasting.density_alerts(snapshot_frame(**columns), snapshot_frame(**noted))
    assert dict(empty.schema) == dict(SCHEMAS["density_alerts"])


def test_evidence_of_controls_out_of_scope_is_left_out():
    columns = dict.fromkeys(("evidence_id", "framework", "control_id"), pl.String)
    links = snapshot_frame(
        {"evidence_id": "E", "framework": "soc2", "control_id": "C1"},
        {"evidence_id": "E", "framework": "hipaa", "control_id": "H1"},
        **columns,
    )
    frame = forecasting.linked_evidence(links, rows("controls", {"framework": "soc2", "control_id": "C1"}))
    assert frame.rows() == [(ORG, "soc2", "C1", "E")]


def test_the_chair_is_a_member():
    columns = dict.fromkeys(("id", "name", "chair", "members", "cadence"), pl.String)
    frame = forecasting.committees(
        snapshot_frame(
            {"id": "C", "chair": "cyd", "members": "bob; ann"}, {"id": "D", "chair": "cyd"}, {"id": "E"}, **columns
        )
    )
    assert frame["members"].to_list() == [["ann", "bob", "cyd"], ["cyd"], []]
    assert dict(forecasting.committees(snapshot_frame(**columns)).schema) == dict(SCHEMAS["committees"])
