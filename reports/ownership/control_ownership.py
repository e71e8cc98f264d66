"""The RACI matrix: who answers for each control, and where that is missing, doubled or too much for one person."""

from collections.abc import Mapping

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.shared.columns import share_pct
from reports.shared.ordering import rank
from reports.shared.packs import pack_name
from reports.shared.wording import count, part_of, percent

KEY = ("framework", "control_id")
ROLES = {"responsible": "R", "accountable": "A", "consulted": "C", "informed": "I"}
# finding: what to do about it, most urgent first; the first four leave the ownership of a control incomplete
FINDINGS: Mapping[str, str] = {
    "no_accountable": "Name the one person who answers for the control.",
    "several_accountable": "Keep one; the others become responsible or consulted.",
    "accountable_without_authority": "The accountable person has left or is not known: hand the control over.",
    "no_responsible": "Name who does the work.",
    "responsible_left": "Nobody who is still here does the work: hand it over.",
    "same_person": "One person alone does the work and approves it: separate the two.",
    "too_many_consulted": "Turn consulted people into informed ones.",
}
LABELS = {
    "control_id": "Control",
    "responsible": "R",
    "accountable": "A",
    "consulted": "C",
    "informed": "I",
    "email": "Person",
    "complete_pct": "Complete (%)",
    "share_pct": "Share of all A (%)",
    "alone": "R and A alone",
    "todo": "What to do",
}


def build(raci: pl.DataFrame, control_status: pl.DataFrame, ask: Ask) -> Document:
    controls = _matrix(raci, control_status.filter("applicable"), ask)
    findings = _findings(controls)
    people = _people(raci.join(controls.select(KEY), on=KEY), controls, ask)
    frameworks = _frameworks(controls)
    complete = int(controls["complete"].sum())
    owned = controls.filter(pl.sum_horizontal(pl.col(name).list.len() for name in ROLES) > 0).height
    shown = ("framework", "control_id", "title", *ROLES, "complete", "findings")
    return Document(
        headline=_headline(controls, complete, owned, people),
        summary={
            "controls": controls.height,
            "complete": complete,
            "complete_pct": Coverage(complete, controls.height).pct,
            **{name: findings.filter(pl.col("finding") == name).height for name in FINDINGS},
            "people": people.height,
            "key_people": int(people["key_person"].sum()),
        },
        tables=(
            Table(
                "findings",
                "What to settle, most urgent first",
                findings.drop("position", "weight"),
                note="A control stands here once for each of its findings.",
                labels=LABELS,
                state=("finding",),
            ),
            Table("people", "Load of each person (vertical analysis)", people, labels=LABELS),
            Table("frameworks", "By framework", frameworks, labels=LABELS),
            Table(
                "controls",
                "RACI of each control (horizontal analysis)",
                controls.sort("framework", "position", "control_id").select(shown),
                labels=LABELS,
                words=("findings",),
            ),
        ),
        coverage=Coverage(owned, controls.height),
        charts=_charts(people),
        definitions=_definitions(ask),
        warnings=_warnings(people),
    )


def _matrix(raci: pl.DataFrame, applicable: pl.DataFrame, ask: Ask) -> pl.DataFrame:
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
        applicable.select(*KEY, "title", "weight", "position", complete="ownership_complete")
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
    return frame.with_columns(findings=pl.concat_list(words).list.drop_nulls())


def _findings(controls: pl.DataFrame) -> pl.DataFrame:
    return (
        controls.explode("findings", empty_as_null=False)
        .with_columns(people=pl.concat_list("responsible", "accountable").list.unique().list.sort())
        .select(
            *("findings", *KEY, "title", "people", "position", "weight"),
            todo=pl.col("findings").replace_strict(FINDINGS, default=None, return_dtype=pl.String),
        )
        .rename({"findings": "finding"})
        .sort(rank("finding", list(FINDINGS)), -pl.col("weight"), "framework", "position", "control_id")
    )


def _people(raci: pl.DataFrame, controls: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    alone = (
        controls.filter(pl.col("findings").list.contains("same_person"))
        .group_by(email=pl.col("accountable").list.first())
        .agg(alone=pl.len().cast(pl.Int64))
    )
    total = int((raci["role"] == "A").sum())
    return (
        raci.group_by("email", "name", "active")
        .agg(**{name: (pl.col("role") == letter).sum().cast(pl.Int64) for name, letter in ROLES.items()})
        .join(alone, on="email", how="left")
        .with_columns(pl.col("alone").fill_null(0), share_pct=share_pct(pl.col("accountable"), pl.lit(total)))
        .with_columns(key_person=pl.col("accountable") * 100 > ask.settings["key_person_pct"] * total)
        .select("email", "name", "active", *ROLES, "share_pct", "alone", "key_person")
        .sort("accountable", "responsible", "email", descending=[True, True, False])
    )


def _frameworks(controls: pl.DataFrame) -> pl.DataFrame:
    def found(name: str) -> pl.Expr:
        return pl.col("findings").list.contains(name).sum().cast(pl.Int64)

    return (
        controls.group_by("framework")
        .agg(
            controls=pl.len().cast(pl.Int64),
            complete=pl.col("complete").sum().cast(pl.Int64),
            complete_pct=share_pct(pl.col("complete").sum(), pl.len()),
            **{name: found(name) for name in FINDINGS},
        )
        .sort("framework")
        .with_columns(framework=pack_name())
    )


def _headline(controls: pl.DataFrame, complete: int, owned: int, people: pl.DataFrame) -> str:
    if controls.is_empty():
        return "No control is in scope, so there is nothing to own."
    if not owned:
        return (
            f"Nobody is named for any of the {count(controls.height, 'control')}: record who is accountable for each."
        )
    share = part_of(complete, controls.height, "control", ("has", "have"))
    share += " exactly one accountable person and somebody to do it"
    open_ones = {name: int(controls["findings"].list.contains(name).sum()) for name in FINDINGS}
    parts = [f"{share} ({percent(100 * complete / controls.height)})"]
    if open_ones["no_accountable"]:
        parts.append(f"start with the {count(open_ones['no_accountable'], 'control')} that nobody is accountable for")
    elif open_ones["accountable_without_authority"]:
        number = count(open_ones["accountable_without_authority"], "control")
        parts.append(f"hand over the {number} whose accountable person has left")
    top = people.row(0, named=True)
    if top["key_person"]:
        parts.append(f"{top['email']} alone holds {percent(top['share_pct'])} of all accountable roles")
    return f"{'; '.join(parts)}."


def _warnings(people: pl.DataFrame) -> list[str]:
    return [
        f"Key-person risk: {row['email']} holds {row['accountable']:,} accountable roles, {percent(row['share_pct'])} "
        "of all."
        for row in people.filter("key_person").iter_rows(named=True)
    ]


def _charts(people: pl.DataFrame) -> list[Chart]:
    answering = people.filter(pl.col("accountable") > 0).head(12)
    if answering.is_empty():
        return []
    alt = "Controls that each person is accountable for; the longest bar carries most."
    return [Chart("bars", "Controls by accountable person", answering, "email", "accountable", alt)]


def _definitions(ask: Ask) -> dict[str, str]:
    return {
        "R, A, C, I": "Responsible does the work, accountable answers for it, consulted is asked before, informed is "
        "told after.",
        "Complete": "At least one R and exactly one A, who is an active user.",
        "Same person": "The only R and the only A are one person: nobody else sees the work (segregation of duties).",
        "Key person": f"Accountable in more than {ask.settings['key_person_pct']:g} % of all A roles.",
        "Too many consulted": f"More than {ask.settings['consulted_max']:g} people with a C.",
        "Active": "Whether the person is an active user; empty for an address that no user has.",
    }


REPORT = Report(
    name="control-ownership",
    title="Control ownership",
    description="The RACI matrix of every control, what is missing or doubled in it, and the load of each person.",
    build=build,
)
