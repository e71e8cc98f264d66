"""Who answers for each control, what is missing or doubled in it, and how much each person carries."""

from collections.abc import Mapping

import polars as pl

from engine.model.declarations.ask import Ask
from reports.shared.columns import share_pct
from reports.shared.ordering import rank

KEY = ("framework", "control_id")
ROLES = {"responsible": "R", "accountable": "A", "consulted": "C", "informed": "I"}
# finding: what to do about it, most urgent first; the first five leave the ownership of a control incomplete
FINDINGS: Mapping[str, str] = {
    "no_accountable": "Name the one person who answers for the control.",
    "several_accountable": "Keep one; the others become responsible or consulted.",
    "accountable_without_authority": "The accountable person has left or is not known: hand the control over.",
    "no_responsible": "Name who does the work.",
    "responsible_left": "Nobody who is still here does the work: hand it over.",
    "same_person": "One person alone does the work and approves it: separate the two.",
    "too_many_consulted": "Turn consulted people into informed ones.",
}


def matrix(raci: pl.DataFrame, control_status: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row for each applicable control with its people by role and the findings."""
    here = pl.col("active").fill_null(False)
    held = (
        raci.sort("email")
        .group_by(KEY, maintain_order=True)
        .agg(
            **{name: pl.col("email").filter(pl.col("role") == letter) for name, letter in ROLES.items()},
            r_here=(here & (pl.col("role") == "R")).any(),
            a_here=(here & (pl.col("role") == "A")).any(),
        )
    )
    frame = (
        control_status.filter("applicable")
        .select(*KEY, "title", "weight", "position", complete="ownership_complete")
        .join(held, on=KEY, how="left")
        .with_columns(pl.col(name).fill_null([]) for name in ROLES)
    )
    r, a, c = (pl.col(name).list.len() for name in ("responsible", "accountable", "consulted"))
    marks = {
        "no_accountable": a == 0,
        "several_accountable": a > 1,
        "accountable_without_authority": (a > 0) & ~pl.col("a_here"),
        "no_responsible": r == 0,
        "responsible_left": (r > 0) & ~pl.col("r_here"),
        "same_person": (r == 1) & (a == 1) & (pl.col("responsible").list.first() == pl.col("accountable").list.first()),
        "too_many_consulted": c > ask.settings["consulted_max"],
    }
    words = [pl.when(marks[name].fill_null(False)).then(pl.lit(name)) for name in FINDINGS]
    return frame.with_columns(findings=pl.concat_list(words).list.drop_nulls()).sort(
        "framework", "position", "control_id"
    )


def findings(controls: pl.DataFrame) -> pl.DataFrame:
    """One row for each finding of each control of the matrix, most urgent first."""
    return (
        controls.explode("findings", empty_as_null=False)
        .with_columns(people=pl.concat_list("responsible", "accountable").list.unique().list.sort())
        .select(
            *(*KEY, "title", "findings", "people", "position", "weight"),
            todo=pl.col("findings").replace_strict(FINDINGS, default=None, return_dtype=pl.String),
        )
        .rename({"findings": "finding"})
        .sort(rank("finding", list(FINDINGS)), -pl.col("weight"), "framework", "position", "control_id")
        .drop("position", "weight")
    )


def people(raci: pl.DataFrame, control_status: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """One row for each person with a role on an applicable control, who is accountable for most first."""
    controls = matrix(raci, control_status, ask)
    roles = raci.join(controls.select(KEY), on=KEY)
    alone = (
        controls.filter(pl.col("findings").list.contains("same_person"))
        .group_by(email=pl.col("accountable").list.first())
        .agg(alone=pl.len().cast(pl.Int64))
    )
    total = int((roles["role"] == "A").sum())
    return (
        roles.group_by("email", "name", "active")
        .agg(**{name: (pl.col("role") == letter).sum().cast(pl.Int64) for name, letter in ROLES.items()})
        .join(alone, on="email", how="left")
        .with_columns(pl.col("alone").fill_null(0), share_pct=share_pct(pl.col("accountable"), pl.lit(total)))
        .with_columns(key_person=pl.col("accountable") * 100 > ask.settings["key_person_pct"] * total)
        .select("email", "name", "active", *ROLES, "share_pct", "alone", "key_person")
        .sort("accountable", "responsible", "email", descending=[True, True, False])
    )
