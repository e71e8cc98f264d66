"""A condition of another kind of thing is joined by what belongs together, and never sure."""

import re
from datetime import timedelta

import polars as pl
import pytest

from engine.copilot.answers.offline import answer

DINA = "dina.abrams@cobalt.example"


def duration(text):
    return timedelta(hours=int(text.removesuffix("h")))


def ask(question, library):
    return answer(question, library, asker=DINA)


def test_a_condition_of_another_kind_of_thing_is_never_sure(cobalt):
    got = ask("open critical findings on services with an open incident", cobalt)
    assert " of services with at least one open incident." in got.text
    assert got.confidence in ("medium", "low")


@pytest.mark.parametrize(
    "question",
    [
        "open findings on services with a purple incident",
        "legal holds on vendors with a failed deploy",
        "gaps on controls with pets",
    ],
)
def test_a_condition_that_is_not_understood_or_belongs_to_nothing_gives_no_rows(question, cobalt):
    got = ask(question, cobalt)
    assert (got.text.startswith("I have no data on "), got.confidence, got.citations) == (True, "none", ())


def test_a_second_question_about_each_row_is_answered_of_all_of_them(cobalt):
    got = ask("which incidents are open, and who owns each", cobalt)
    assert "Owner of 5 open incidents: " in got.text


def test_a_day_says_how_far_away_it_is(cobalt):
    got = ask("how long ago was RSK-11 reviewed", cobalt)
    assert got.text.split(" days ago: reviewed, RSK-11")[0].count(",") == 1


@pytest.mark.parametrize(
    ("question", "entity", "first", "last"),
    [
        ("incidents within a day after a deploy", "incidents", "0h", "24h"),
        ("how many incidents were within 3 days of a deploy", "incidents", "-72h", "72h"),
        ("incidents shortly before a deploy on that service", "incidents", "-24h", "0h"),
    ],
)
def test_moments_of_two_kinds_of_things_are_held_against_each_other(question, entity, first, last, cobalt, frames):
    apart = pl.col("opened_at") - pl.col("deployed_at")
    met = frames["incidents"].join(frames["deploys"].select("service_id", "deployed_at"), on="service_id")
    met = met.filter(apart >= duration(first), apart <= duration(last))["id"].n_unique()
    got = ask(question, cobalt)
    assert re.match(r"\d+|No", got.text)[0].replace("No", "0") == f"{met}"
    assert ("of the same service" in got.text, got.confidence) == (True, "low")


@pytest.mark.parametrize(
    "question",
    [
        "incidents within a day after a purple deploy",
        "incidents within a day after a policy",  # which has no moment
        "incidents during a deploy",  # which has no length
        "vendors within a day after a deploy",
    ],
)
def test_what_has_no_moment_or_is_not_understood_gives_no_rows(question, cobalt):
    got = ask(question, cobalt)
    assert (got.text.startswith("I have no data on "), got.confidence, got.citations) == (True, "none", ())


def test_of_those_is_about_what_was_counted(cobalt, frames):
    rows = frames["findings"].filter(pl.col("status") == "open")
    numbers = rows.group_by("service_id").len()
    most = numbers.filter(pl.col("len") == pl.col("len").max())["service_id"]
    high = rows.filter(pl.col("severity") == "high", pl.col("service_id").is_in(most.implode())).height
    got = answer("how many of those are high", cobalt, asker=DINA, before=["which service has the most open findings"])
    assert got.text.startswith(f"{high} open high findings of the service") or high == 0


def test_what_is_said_of_the_one_before_by_the_noun_of_another_thing_is_not_answered_of_that(cobalt):
    got = answer("who deployed it", cobalt, asker=DINA, before=["when does the board meet next"])
    assert got.confidence == "none"


@pytest.mark.parametrize(
    ("before", "question", "said"),
    [
        ("who sits on the steering committee", "when did it last meet", "held on, Security Steering Committee"),
        (
            "which incidents are open",
            "any deploys within 3 days before those",
            " before open incident of the same service.",
        ),
    ],
)
def test_a_follow_up_of_several_rows_or_people_is_answered_of_them(before, question, said, cobalt):
    assert said in answer(question, cobalt, asker=DINA, before=[before]).text


def test_all_things_of_another_kind_are_no_answer_to_a_second_question(cobalt):
    got = ask("incidents caused by a vendor and which vendor", cobalt)
    assert ("I have no data on which vendor." in got.text, got.confidence) == (True, "low")


def test_either_of_two_things_that_are_not_there_will_do(cobalt, frames):
    has = frames["slo_profiles"]["service_id"].unique()
    lacking = frames["services"].filter(pl.col("owner").is_null() | ~pl.col("id").is_in(has.implode())).height
    got = ask("services without an owner or without an slo", cobalt)
    assert got.text.startswith(f"{lacking} services unowned or without an objective.")


def test_how_long_each_has_been_open_stands_beside_it(cobalt):
    got = ask("open incidents and how long have they been open", cobalt)
    assert got.text.count("; age (days): ") == 5
