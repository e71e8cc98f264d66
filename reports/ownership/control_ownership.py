"""The RACI matrix: who answers for each control, and where that is missing, doubled or too much for one person."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.ownership import raci
from reports.ownership.raci import FINDINGS, ROLES
from reports.shared import setup
from reports.shared.columns import share_pct
from reports.shared.packs import pack_name
from reports.shared.wording import count, part_of, percent

LABELS = {"responsible": "R", "accountable": "A", "consulted": "C", "informed": "I", "share_pct": "Share of all A (%)"}
DEFINITIONS = {
    "R, A, C, I": "Responsible does the work, accountable answers for it, consulted is asked before, informed is told "
    "after.",
    "Active": "Whether the person is an active user; empty for an address that no user has.",
}


def build(figures: Figures, ask: Ask) -> Document:
    controls, people = figures.rows(raci.matrix), figures.rows(raci.people)
    owned = controls.filter(pl.sum_horizontal(pl.col(name).list.len() for name in ROLES) > 0).height
    return Document(
        *_opening(figures, owned, people, raci.findings(controls), ask),
        tables=(
            Table(
                "findings",
                "What to settle, most urgent first",
                raci.findings(controls),
                note="A control stands here once for each of its findings.",
                state=("finding",),
            ),
            Table("people", "Load of each person (vertical analysis)", people, labels=LABELS),
            Table("frameworks", "By framework", _frameworks(controls, ask)),
            Table(
                "controls",
                "RACI of each control (horizontal analysis)",
                controls.select("framework", "control_id", "title", *ROLES, "complete", "findings"),
                labels=LABELS,
                words=("findings",),
            ),
        ),
        coverage=Coverage(owned, controls.height),
        charts=_charts(people),
        definitions=DEFINITIONS,
        warnings=_warnings(people),
    )


def _frameworks(controls: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    def finding_count(name: str) -> pl.Expr:
        return pl.col("findings").list.contains(name).sum().cast(pl.Int64)

    return (
        controls.group_by("framework")
        .agg(
            controls=pl.len().cast(pl.Int64),
            complete=pl.col("complete").sum().cast(pl.Int64),
            complete_pct=share_pct(pl.col("complete").sum(), pl.len()),
            **{name: finding_count(name) for name in FINDINGS},
        )
        .sort("framework")
        .with_columns(framework=pack_name(ask))
    )


def _opening(figures: Figures, owned: int, people: pl.DataFrame, open_findings: pl.DataFrame, ask: Ask) -> Opening:
    controls, complete = figures["controls_applicable"], figures["ownership_complete"]
    if not controls:
        return Opening("No control is in scope, so there is nothing to own.", setup.IN_SCOPE)
    if not owned:
        whom = f"any of the {controls:,} controls" if controls > 1 else "the one control in scope"
        return Opening(f"Nobody is named for {whom}.", setup.fill("control_owners"))
    share = part_of(complete, controls, "control", ("has", "have"))
    share += f" exactly one accountable person and somebody to do it ({percent(figures['ownership_complete_pct'])})"
    top = people.row(0, named=True)
    step = ""
    if figures["controls_no_accountable"]:
        number = count(figures["controls_no_accountable"], "control")
        first = open_findings.row(0, named=True)
        control = f"{ask.framework_name(first['framework'])} {first['control_id']} {first['title']}"
        step = f"Start with the {number} that nobody is accountable for: name somebody for {control}."
    elif figures["controls_accountable_without_authority"]:
        number = count(figures["controls_accountable_without_authority"], "control")
        step = f"Hand over the {number} whose accountable person has left."
    elif top["key_person"]:  # else nobody may be accountable for anything, and there is no share
        step = f"Relieve {top['email']}, who alone holds {percent(top['share_pct'])} of all accountable roles."
    return Opening(f"{share}.", step)


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


REPORT = Report(
    name="control-ownership",
    title="Control ownership",
    description="The RACI matrix of every control, what is missing or doubled in it, and the load of each person.",
    build=build,
    figures=select(
        *("controls_applicable", "ownership_complete", "ownership_complete_pct"),
        *(f"controls_{finding}" for finding in raci.FINDINGS),
        *("people_with_roles", "key_people"),
    ),
    schema_version=2,
    evidence_dates=False,
)
