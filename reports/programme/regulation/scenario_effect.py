"""What a regulatory scenario does to the requirements and to the readiness of its framework."""

import math
from datetime import date
from typing import Annotated, Any

import polars as pl

from engine.model.declarations.ask import Ask
from reports.programme.packs.pack_rows import frameworks_in_scope
from reports.shared.ordering import state_score

STANDINGS = ("new_gap", "existing_gap", "satisfied", "not_applicable", "falls_away")
ALTERNATIVES = ("alternative", "not_implemented")  # decisions that an addressable specification allows
ALL = "all"
_KEY = ["framework", "control_id"]
_ID = ["scenario", "requirement"]


def scenarios_to_show(scenarios: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The scenario asked for, or all."""
    wanted = ask.options.get("scenario") or ALL
    return scenarios if wanted == ALL else scenarios.filter(pl.col("scenario") == wanted)


def requirement_changes(
    organization: pl.DataFrame,
    scenarios: pl.DataFrame,
    scenario_requirements: pl.DataFrame,
    scenario_answers: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Every changed requirement of the scenarios asked for with how it stands today: ``standing``, and ``score`` then.

    ``in_scope`` where its framework is followed.
    """
    deltas, answers, scenarios = scenario_requirements, scenario_answers, scenarios_to_show(scenarios, ask)
    status = control_status.select(*_KEY, "state", "applicable", "attested_on", "owner", score_now=state_score())
    frame = (
        deltas.join(scenarios.select("scenario", "effective_on"), on="scenario")
        .join(status, on=_KEY, how="left")
        .join(control_profiles.select(*_KEY, "decision", documented=_has_grounds()), on=_KEY, how="left")
        .join(_best_answers(answers, control_status), on=_ID, how="left")
        .join(_worst_merged(deltas, status), on=_ID, how="left")
        .with_columns(new_score=pl.coalesce(pl.max_horizontal("answered", "merged"), pl.lit(0.0)))
    )
    change, effective = pl.col("change"), pl.col("state") == "effective"
    confirmed = (pl.col("effective_on") <= ask.as_of) & (pl.col("attested_on") >= pl.col("effective_on"))
    optional = (change == "mandatory") & pl.col("decision").is_in(ALTERNATIVES)
    rewritten = (change == "extended") & effective & ~confirmed.fill_null(False)
    standing = (
        pl.when(change.is_in(["merged", "withdrawn"]))
        .then(pl.lit("falls_away"))
        .when(change == "new")
        .then(pl.when(pl.col("new_score") == 1).then(pl.lit("satisfied")).otherwise(pl.lit("new_gap")))
        .when(~pl.col("applicable").fill_null(True))
        .then(pl.lit("not_applicable"))
        .when((optional & pl.col("documented")).fill_null(False) | rewritten.fill_null(False))
        .then(pl.lit("new_gap"))
        .when(optional.fill_null(False))
        .then(pl.lit("existing_gap"))
        .when(effective.fill_null(False))
        .then(pl.lit("satisfied"))
        .otherwise(pl.lit("existing_gap"))
    )
    score = (
        pl.when(change == "new")
        .then("new_score")
        .when(~pl.col("applicable").fill_null(True))
        .then(None)
        .when(optional.fill_null(False))
        .then(pl.lit(0.0))
        .when(rewritten.fill_null(False))
        .then(pl.lit(0.5))
        .otherwise("score_now")
    )
    in_scope = pl.col("framework").is_in(frameworks_in_scope(organization, ask)["framework"].implode())
    return frame.with_columns(standing=standing, score=score, in_scope=in_scope).sort(
        "scenario", "position", "requirement"
    )


def _has_grounds() -> pl.Expr:
    """Whether a decision has a rationale and an approval that holds; one that has not is a gap already."""
    return (pl.col("rationale").fill_null("").str.strip_chars() != "") & pl.col("decision_approved").fill_null(False)


def _best_answers(answers: pl.DataFrame, control_status: pl.DataFrame) -> pl.DataFrame:
    """The best answer that controls give to a new requirement: 1 fully, 0.5 in part, 0 none; and which control."""
    known = control_status.filter("applicable").select(*_KEY, worth=state_score())
    full = pl.col("coverage") == "full"
    value = (
        pl.when(full & (pl.col("worth") == 1))
        .then(1.0)
        .when((full & (pl.col("worth") == 0.5)) | (pl.col("worth") == 1))
        .then(0.5)
        .otherwise(0.0)
    )
    given = answers.join(known, on=_KEY).with_columns(value=value)
    return (
        given.sort("value", "position", descending=[True, False])
        .group_by(_ID, maintain_order=True)
        .agg(
            answered=pl.col("value").first(), answered_by=pl.format("{}:{}", *_KEY).filter(pl.col("value") > 0).first()
        )
    )


def _worst_merged(deltas: pl.DataFrame, status: pl.DataFrame) -> pl.DataFrame:
    """The worst of the controls that go into a new requirement."""
    return (
        deltas.filter(pl.col("change") == "merged")
        .join(status.filter("applicable"), on=_KEY)
        .explode("into", empty_as_null=False)
        .group_by("scenario", requirement=pl.col("into").cast(pl.String))
        .agg(merged=pl.col("score_now").min())
    )


def readiness_after(requirements: pl.DataFrame, control_status: pl.DataFrame) -> tuple[float | None, float | None]:
    """Strict and weighted readiness of a framework with the changes of one scenario in force."""
    gone = requirements.filter(pl.col("standing") == "falls_away")["control_id"].to_list()
    folded = (
        requirements.filter(pl.col("change") == "merged")
        .explode("into", empty_as_null=False)
        .group_by(control_id=pl.col("into").cast(pl.String))
        .agg(folded=pl.col("score").min())
    )
    changed = requirements.filter(pl.col("control_id").is_not_null(), pl.col("score").is_not_null())
    kept = (
        control_status.filter("applicable", ~pl.col("control_id").is_in(gone))
        .join(changed.select("control_id", changed="score"), on="control_id", how="left")
        .join(folded, on="control_id", how="left")
        .select("weight", score=pl.min_horizontal(pl.coalesce("changed", state_score()), "folded"))
    )
    new = requirements.filter(pl.col("change") == "new").select("weight", "score")
    every = pl.concat([kept, new]).sort("weight", "score")
    if every.is_empty():
        return None, None
    strict = 100 * every.filter(pl.col("score") == 1).height / every.height
    weighted = 100 * float((every["weight"] * every["score"]).sum()) / int(every["weight"].sum())
    return round(strict, 1), round(weighted, 1)


def scenario_effects(
    requirements: Annotated[pl.DataFrame, requirement_changes],
    organization: pl.DataFrame,
    scenarios: pl.DataFrame,
    readiness: pl.DataFrame,
    control_status: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """One row for each scenario: those that touch a framework in scope first, the next to take effect foremost."""
    in_scope = frameworks_in_scope(organization, ask)["framework"].to_list()
    now = {row["framework"]: row for row in readiness.to_dicts()}
    rows = []
    for scenario in scenarios_to_show(scenarios, ask).to_dicts():
        framework = scenario["framework"]
        frame = requirements.filter(pl.col("scenario") == scenario["scenario"])
        controls = control_status.filter(pl.col("framework") == framework)
        rows.append(_effect(scenario, frame, now.get(framework), controls, framework in in_scope, ask.as_of))
    schema = {
        **dict.fromkeys(("scenario", "title", "authority", "framework", "status"), pl.String),
        **dict.fromkeys(("in_scope", "in_force"), pl.Boolean),
        "effective_on": pl.Date,
        **dict.fromkeys(("position", "weeks_to_effective", "requirements", *STANDINGS), pl.Int64),
        **dict.fromkeys(
            (
                "effort_hours",
                "hours_a_week",
                "strict_now",
                "strict_after",
                "strict_delta",
                "weighted_now",
                "weighted_after",
                "weighted_delta",
            ),
            pl.Float64,
        ),
    }
    upcoming = pl.col("weeks_to_effective") > 0
    return pl.DataFrame(rows, schema=schema, orient="row").sort(
        ~pl.col("in_scope"),
        pl.col("in_force"),
        ~upcoming.fill_null(False),
        "weeks_to_effective",
        "weighted_delta",
        "position",
        nulls_last=True,
    )


def _effect(
    scenario: dict[str, Any],
    requirements: pl.DataFrame,
    now: dict[str, Any] | None,
    controls: pl.DataFrame,
    in_scope: bool,
    as_of: date,
) -> dict[str, Any]:
    given = ("scenario", "title", "authority", "framework", "status", "effective_on", "position")
    effective = scenario["effective_on"]
    days = None if effective is None else (effective - as_of).days
    weeks = None if days is None else math.ceil(days / 7)
    row = {
        **{name: scenario[name] for name in given},
        "in_scope": in_scope,
        "in_force": scenario["status"] == "final" and effective is not None and effective <= as_of,
        "weeks_to_effective": weeks,
        "requirements": requirements.height,
    }
    if not in_scope:
        return row
    effort = round(float(requirements.filter(pl.col("standing") == "new_gap")["effort_hours"].sum()), 1)
    row |= {word: requirements.filter(pl.col("standing") == word).height for word in STANDINGS}
    row |= {"effort_hours": effort, "hours_a_week": round(7 * effort / max(days, 7), 1) if days and days > 0 else None}
    if now is None or now["weighted_pct"] is None:
        return row
    strict, weighted = readiness_after(requirements, controls)
    for name, before, after in (("strict", now["strict_pct"], strict), ("weighted", now["weighted_pct"], weighted)):
        delta = None if after is None else round(after - before, 1)
        row |= {f"{name}_now": before, f"{name}_after": after, f"{name}_delta": delta}
    return row
