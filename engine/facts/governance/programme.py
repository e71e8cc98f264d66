"""Data that ships with the product as facts: benchmark cohorts, studies, regulatory scenarios; and the guardrails."""

import polars as pl

from engine.catalogue import catalogue
from engine.catalogue.benchmarks import benchmarks
from engine.catalogue.scenarios import scenarios as shipped
from engine.facts.expressions import ANNUAL, has_happened, plus_days, shape

_KEY = ["org_id", "framework", "control_id"]


def scenarios() -> pl.DataFrame:
    """The regulatory scenarios, in the order of the catalogue."""
    return _with_position("scenarios", shipped().scenarios)


def scenario_requirements() -> pl.DataFrame:
    """What each scenario changes, requirement by requirement."""
    return _with_position("scenario_requirements", shipped().requirements)


def scenario_answers() -> pl.DataFrame:
    """Controls that meet a new requirement of a scenario, fully or in part."""
    return _with_position("scenario_answers", shipped().answers)


def _with_position(fact: str, frame: pl.DataFrame) -> pl.DataFrame:
    return shape(fact, frame.with_row_index("position"))


def benchmark_members() -> pl.DataFrame:
    """The members of every reference cohort with their readiness in each framework."""
    known = benchmarks()
    frame = known.members.rename({"title": "programme_title"}).join(known.cohorts, on="size")
    return shape("benchmark_members", frame).sort("size", "framework", "strict_pct", "programme")


def benchmark_studies() -> pl.DataFrame:
    """Figures of published studies."""
    return shape("benchmark_studies", benchmarks().studies)


def guardrails(
    policies: pl.DataFrame,
    policies_rows: pl.DataFrame,
    controls: pl.DataFrame,
    leverage: pl.DataFrame,
    organization: pl.DataFrame,
    own_runbooks: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Accepted policies with the controls that they are about, and the newest version on file of each.

    The guardrail of a playbook is about the controls that it names, else about those that the playbook repairs.
    """
    known = catalogue()
    repairs = known.runbooks.select("runbook", "playbook").drop_nulls().join(known.runbook_controls, on="runbook")
    bare = policies.filter(pl.col("control_id").is_null())
    plain = bare.drop("framework", "control_id")
    own = own_runbooks.select(*_KEY, "playbook").unique()
    repaired = plain.join(repairs.select("playbook", "framework", "control_id").unique(), on="playbook")
    mended = pl.concat([repaired, plain.join(own, on=["org_id", "playbook"]).select(repaired.columns)]).join(
        controls.filter("assessable").select(_KEY), on=_KEY
    )
    rest = bare.join(mended.select("org_id", "policy_id").unique(), on=["org_id", "policy_id"], how="anti")
    named = policies.filter(pl.col("control_id").is_not_null())
    every = pl.concat([frame.select(policies.columns) for frame in (named, mended, rest)])
    newest = (
        policies_rows.join(asked.select("org_id", "as_of"), on="org_id")
        .sort("org_id", "policy", "version", "id")
        .group_by("org_id", "policy", maintain_order=True)
        .agg(
            newest_version=pl.col("version").last(),
            newest_state=pl.col("state").last(),
            newest_on=pl.when(has_happened("accepted_on")).then("accepted_on").last(),
        )
    )
    followed = organization.select("org_id", framework="frameworks").explode("framework", empty_as_null=False)
    frame = (
        every.join(newest, on=["org_id", "policy"], how="left")
        .join(leverage.select(*_KEY, "requirements"), on=_KEY, how="left")
        .join(followed.with_columns(in_scope=pl.lit(True)), on=["org_id", "framework"], how="left")
        .with_columns(
            review_due_on=pl.coalesce("review_due_on", plus_days("accepted_on", pl.lit(ANNUAL))),
            requirements=pl.col("requirements").fill_null([]),
            in_scope=pl.col("in_scope").fill_null(False),
        )
    )
    return shape("guardrails", frame).sort("org_id", "policy_id", "framework", "control_id", nulls_last=True)
