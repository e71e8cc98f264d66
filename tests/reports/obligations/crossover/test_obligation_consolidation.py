from datetime import date

from reports.obligations.crossover import playbook
from reports.obligations.crossover.clusters import clusters
from reports.obligations.crossover.obligation_consolidation import REPORT
from reports.shared.ledger import pending
from tests import factories
from tests.factories import ask, explained_rows, lead, rows
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger

DUTIES = (
    duty("a", 20, controls=["soc2:C1"], frameworks=["soc2"], owner="ann", effort_hours=4.0),
    duty("b", 22, controls=["soc2:C1"], frameworks=["soc2"], owner="bob"),
)


def identifier():
    (cluster,) = clusters(pending(ledger(*DUTIES), ask()), rows("linked_evidence"), rows("crosswalk"), ask())
    return cluster.id


def document(*duties, plays=()):
    return factories.document(REPORT, obligations=ledger(*duties), plays=rows("plays", *plays))


def step(play, number, status="done", **given):
    return {
        "play_id": play,
        "number": number,
        "step_status": status,
        "status": "active",
        "owner": "cyd",
        "started_on": date(2026, 11, 1),
        **given,
    }


def test_a_cluster_that_nobody_tracks_is_a_proposed_play_of_six_steps():
    made = document(*DUTIES)
    play = made.tables[0].frame.row(0, named=True)
    assert {
        name: play[name] for name in ("status", "tracked", "duties", "about", "owner", "best_on", "steps_done")
    } == {
        "status": "proposed",
        "tracked": False,
        "duties": 2,
        "about": "Duty a",
        "owner": "ann",
        "best_on": date(2026, 12, 10),
        "steps_done": 0,
    }
    assert (play["next_step"], play["hours_to_save"]) == ("confirm shared evidence", 0.75)
    assert made.tables[1].frame.select("number", "step", "status", "what").rows() == [
        (1, "confirm shared evidence", "todo", "Shared: soc2:C1."),
        (2, "confirm mapping", "todo", "Nothing to map: they share a control or an item."),
        (3, "name one owner", "todo", "Suggested: ann, with most of the work; the others are bob."),
        (4, "align due dates", "todo", "Due from 2026-12-10 to 2026-12-12: collect from 2026-11-28 to 2026-12-10."),
        (5, "collect once and link", "todo", "Collect once by 2026-12-10 and link it to 2 duties."),
        (6, "attest everywhere", "todo", "Attest in SOC 2."),
    ]
    assert lead(made) == (
        "One collection of evidence would serve several duties in 1 case and save 0.75 hours.",
        "Confirm shared evidence for the 2 duties around “Duty a”, which saves 0.75 hours (with ann, by 10 Dec 2026).",
    )


def test_what_is_tracked_is_shown():
    name = identifier()
    made = document(
        *DUTIES,
        plays=[
            step(name, 1, step_by="cyd", step_on=date(2026, 11, 2), step_evidence="E1"),
            step(name, 2),
            step(name, 3, "blocked"),
        ],
    )
    play = made.tables[0].frame.row(0, named=True)
    assert (play["status"], play["tracked"], play["owner"], play["steps_done"]) == ("active", True, "cyd", 2)
    assert (play["next_step"], play["blocked"]) == ("name one owner", True)
    steps = made.tables[1].frame
    assert steps.select("status", "by", "on", "evidence").row(0) == ("done", "cyd", date(2026, 11, 2), "E1")
    assert steps["status"].to_list() == ["done", "done", "blocked", "todo", "todo", "todo"]
    assert steps["about"].to_list() == ["Duty a"] * 6, "each step says of which play it is"
    assert made.warnings == ["1 shared collection with a blocked step (cyd)."]


def test_a_play_whose_cluster_is_gone_stays_with_its_savings():
    done = {"play_id": "gone", "status": "completed", "hours_saved": 6.5, "owner": "ann"}
    made = document(plays=[done | {"number": 1, "step_status": "done"}])
    assert made.tables[0].frame.select("play_id", "status", "duties", "hours_saved").rows() == [
        ("gone", "completed", 0, 6.5)
    ]
    assert made.tables[1].frame.height == len(playbook.STEPS) == 6
    assert lead(made) == ("No collection of evidence is to be shared now; 1 completed has saved 6.5 hours.", "")
    assert [made.summary[name] for name in ("plays_saved_hours", "hours_to_save", "plays_without_cluster")] == [
        6.5,
        0,
        1,
    ]


def test_hours_that_nobody_waits_for_any_more_are_still_those_of_the_crossover():
    abandoned = {"play_id": identifier(), "status": "abandoned", "number": 1, "step_status": "todo"}
    made = document(*DUTIES, plays=[abandoned])
    assert (made.summary["hours_to_save"], made.summary["plays_waiting_hours"]) == (0.75, 0.0)


def test_an_active_play_without_a_cluster_asks_to_be_closed():
    assert document(plays=[step("gone", None, None)]).warnings == [
        "1 shared collection is under way for duties that are done or have moved: complete or abandon what is left (cyd)."
    ]


def test_without_clusters_and_plays_there_is_nothing_to_consolidate():
    made = document()
    assert made.headline == "No duties share evidence and a due window, so nothing is to be collected once for several."
    assert "hq import" in made.next_step
    alone = document(DUTIES[0])
    assert (alone.headline, alone.next_step) == (made.headline, ""), "duties are there: no import would bring more"
    assert [table.frame.height for table in made.tables] == [0, 0]
    assert set(made.summary.values()) == {0}


def test_the_summary_counts_plays_by_where_they_stand():
    done = {"play_id": "gone", "status": "completed", "hours_saved": 6.5, "number": 1, "step_status": "done"}
    made = document(*DUTIES, plays=[done, step("lost", 1), step("lost", 2, "blocked")])
    assert dict(made.summary) == {
        "plays": 3,
        "plays_tracked": 2,
        "plays_active": 1,
        "plays_proposed": 1,
        "plays_completed": 1,
        "plays_abandoned": 0,
        "plays_to_do": 1,
        "plays_blocked": 1,
        "plays_without_cluster": 2,
        "plays_to_close": 1,
        "hours_to_save": 0.75,
        "plays_waiting_hours": 0.75,
        "plays_saved_hours": 6.5,
    }
    assert lead(made) == (
        "One collection of evidence would serve several duties in 1 case and save 0.75 hours; 1 completed has saved "
        "6.5 hours.",
        "Confirm shared evidence for the 2 duties around “Duty a”, which saves 0.75 hours (with ann, by 10 Dec 2026).",
    )


def test_each_figure_is_what_its_rows_give():
    done = {"play_id": "gone", "status": "completed", "hours_saved": 6.5, "number": 1, "step_status": "done"}
    facts = {"obligations": ledger(*DUTIES), "plays": rows("plays", done, step("lost", 1, "blocked"))}
    values_follow(REPORT, **facts)
    values_follow(REPORT)
    assert explained_rows(REPORT, "plays_blocked", **facts).select("play_id", "reason").rows() == [
        ("lost", "active, next: confirm shared evidence")
    ]
