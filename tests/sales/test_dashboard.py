"""Figures of the pipeline from leads and moves, as whole values."""

from datetime import timedelta
from itertools import pairwise

from engine.sales.dashboard import ENOUGH, Pipeline, figures
from engine.store import PLATFORM
from engine.store.queries.sales import commerce as queries
from tests.conftest import NOW
from tests.sales.factories import lead, stored_leads

DAY = timedelta(days=1)


def ago(days):
    return NOW - days * DAY


def stage_moves(identifier, *stages, since, each=2):
    """Moves through ``stages`` after the first, ``each`` days apart."""
    return [
        {"subject_id": identifier, "happened_at": since + each * number * DAY, "details": {"from": old, "to": new}}
        for number, (old, new) in enumerate(pairwise(stages), 1)
    ]


def dashboard(leads=(), moves=(), touched=None, pilots=None, period=90):
    return figures(Pipeline(list(leads), list(moves), touched or {}, pilots or {}, NOW, NOW.date(), period))


def stage(content, table, name):
    return next(row for row in content[table] if row["stage"] == name)


def test_nothing_is_nothing_and_no_percentage():
    content = dashboard()
    assert content["conversion"] == {
        "won": 0,
        "lost": 0,
        "decided": 0,
        "won_of_decided_pct": None,
        "won_of_all_pct": None,
    }
    assert {row["of_previous_pct"] for row in content["funnel"]} == {None}
    assert {row["median_days"] for row in content["stages"]} == {None}
    assert content["pilots"]["converted_of_ended_pct"] is None
    assert content["leads"]["by_stage"] == dict.fromkeys(
        ("new", "contacted", "qualified", "discovery", "proposal", "nurture", "won", "lost"), 0
    )


def test_the_funnel_counts_who_ever_reached_a_stage():
    leads = [
        lead("a", created_at=ago(20), stage="won"),
        lead("b", created_at=ago(20), stage="lost"),
        lead("c", created_at=ago(5)),
        lead("d", created_at=ago(200), stage="qualified"),
    ]
    moves = [
        *stage_moves("a", "new", "contacted", "qualified", "discovery", "proposal", "won", since=ago(20)),
        *stage_moves("b", "new", "contacted", "lost", since=ago(20)),
        *stage_moves("d", "new", "contacted", "qualified", since=ago(200)),
    ]
    content = dashboard(leads, moves)
    assert [(row["stage"], row["reached"], row["of_previous_pct"]) for row in content["funnel"]] == [
        ("new", 3, None),
        ("contacted", 2, 66.7),
        ("qualified", 1, 50.0),
        ("discovery", 1, 100.0),
        ("proposal", 1, 100.0),
        ("won", 1, 100.0),
    ]
    assert content["conversion"] == {
        "won": 1,
        "lost": 1,
        "decided": 2,
        "won_of_decided_pct": 50.0,
        "won_of_all_pct": 25.0,
    }
    assert content["leads"]["received_in_period"] == 3


def test_the_median_stay_is_of_stays_that_ended():
    leads = [
        lead("a", created_at=ago(10), stage="contacted"),
        lead("b", created_at=ago(30), stage="contacted"),
        lead("c", created_at=ago(3)),
    ]
    moves = [
        *stage_moves("a", "new", "contacted", since=ago(10), each=1),
        *stage_moves("b", "new", "contacted", since=ago(30), each=4),
    ]
    content = dashboard(leads, moves)
    new = stage(content, "stages", "new")
    assert (new["median_days"], new["stays_ended"], new["in_stage_now"], new["median_days_so_far"]) == (2.5, 2, 1, 3.0)
    contacted = stage(content, "stages", "contacted")
    assert (contacted["median_days"], contacted["in_stage_now"], contacted["median_days_so_far"]) == (None, 2, 17.5)


def test_response_times_are_nearest_rank_hours():
    hours = [1, 2, 2, 3, 4, 5, 8, 9, 13, 21]
    answered = [
        lead(str(n), created_at=ago(3), first_response_at=ago(3) + timedelta(hours=count))
        for n, count in enumerate(hours)
    ]
    waiting = [lead("w", created_at=ago(2)), lead("x", created_at=ago(1), stage="lost"), lead("y", created_at=ago(400))]
    assert dashboard([*answered, *waiting])["response_times"] == {
        "answered": 10,
        "p50_hours": 4.0,
        "p90_hours": 13.0,
        "waiting": 1,
        "longest_wait_hours": 48.0,
    }


def test_follow_ups_are_overdue_the_day_after_they_were_due():
    today = NOW.date()
    leads = [
        lead("a", follow_up_on=today),
        lead("b", follow_up_on=today - DAY),
        lead("c", follow_up_on=today - 3 * DAY, stage="nurture"),
        lead("d", follow_up_on=today - DAY, stage="won"),
        lead("e", follow_up_on=today + 7 * DAY),
        lead("f", follow_up_on=today + 8 * DAY),
    ]
    content = dashboard(leads)["follow_ups"]
    assert (content["overdue"], content["due_today"], content["due_within_7_days"]) == (2, 1, 1)
    assert [(row["id"], row["days_overdue"]) for row in content["listed"]] == [("c", 3), ("b", 1)]


def test_an_open_lead_is_stale_after_more_than_fourteen_days():
    leads = [
        lead("a", created_at=ago(14)),
        lead("b", created_at=ago(15)),
        lead("c", created_at=ago(60), stage="proposal"),
        lead("d", created_at=ago(60), stage="won"),
        lead("e", created_at=ago(60), stage="nurture"),
        lead("f", created_at=ago(40)),
    ]
    content = dashboard(leads, touched={"c": ago(20), "f": ago(1)})["stale"]
    assert (content["count"], content["after_days"]) == (2, 14)
    assert [(row["id"], row["idle_days"]) for row in content["listed"]] == [("c", 20), ("b", 15)]


def test_the_pipeline_is_weighted_by_stated_probabilities():
    leads = [
        lead("a", value=1000.0),
        lead("b", stage="contacted", value=1000.0),
        lead("c", stage="qualified", value=1000.0),
        lead("d", stage="discovery", value=1000.0),
        lead("e", stage="proposal", value=1000.0),
        lead("f", stage="proposal"),
        lead("g", stage="won", value=1000.0),
        lead("h", stage="nurture", value=1000.0),
    ]
    content = dashboard(leads)["pipeline"]
    assert [(row["stage"], row["probability_pct"], row["weighted_value"]) for row in content["by_stage"]] == [
        ("new", 5.0, 50.0),
        ("contacted", 10.0, 100.0),
        ("qualified", 25.0, 250.0),
        ("discovery", 40.0, 400.0),
        ("proposal", 60.0, 600.0),
    ]
    assert (content["value"], content["weighted_value"], content["without_value"]) == (5000.0, 1400.0, 1)


def test_thirty_decided_leads_make_our_own_history_count():
    def content(decided):
        leads = [lead(str(n), created_at=ago(50), stage="won" if n % 3 == 0 else "lost") for n in range(decided)]
        moves = [
            move for n in range(decided) for move in stage_moves(str(n), "new", "contacted", "qualified", since=ago(50))
        ]
        row = stage(
            dashboard([*leads, lead("x", stage="contacted", value=900.0)], moves)["pipeline"], "by_stage", "contacted"
        )
        return row["probability_from"], row["probability_pct"], row["weighted_value"], row["decided_leads"]

    assert content(ENOUGH - 1) == ("default", 10.0, 90.0, 29)
    assert content(ENOUGH) == ("own_history", 33.3, 300.0, 30)


def test_pilots_convert_or_close():
    content = dashboard(pilots={"planned": 2, "converted": 3, "closed": 1, "extended": 1})["pilots"]
    assert (content["total"], content["open"], content["converted_of_ended_pct"]) == (7, 3, 75.0)


def test_the_queries_leave_out_spam_and_read_each_engine_alike(any_store):
    stored_leads(any_store, lead("a", created_at=ago(2)), lead("b", spam=True), lead("c", created_at=ago(1), value=5.0))
    with any_store.reader() as connection:
        assert [row["id"] for row in queries.all_leads(connection, PLATFORM)] == ["a", "c"]
        assert queries.last_touches(connection, PLATFORM) == {}
        assert queries.stage_moves(connection, PLATFORM, "lead") == []
        assert queries.pilot_counts(connection, PLATFORM) == {}
        assert queries.page_of(connection, PLATFORM, queries.LeadFilter(text="A@COMPANY"), 0, 10)[0] == 1
        assert queries.page_of(connection, PLATFORM, queries.LeadFilter(text="_"), 0, 10)[0] == 0
        assert queries.page_of(connection, "acme", queries.LeadFilter(), 0, 10) == (0, [])
