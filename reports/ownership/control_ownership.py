"""The RACI matrix: who answers for each control, and where that is missing, doubled or too much for one person."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table, at_most
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.ownership import raci
from reports.ownership.raci import FINDINGS, ROLES
from reports.shared import setup
from reports.shared.columns import share_pct
from reports.shared.packs import pack_name, titled_control
from reports.shared.wording import count, part_of, percent

LABELS = {
    "active": "Still here",
    "informed": "Informed",
    "share_pct": "Share of all accountable (%)",
    "alone": "Does and answers for alone",
    "no_accountable": "Nobody accountable",
    "accountable_without_authority": "Accountable person has left",
    "no_responsible": "Nobody responsible",
    "responsible_left": "Responsible has left",
    "same_person": "One person does both",
}
# what a page leads with
FOREMOST = (
    *("controls_no_accountable", "controls_accountable_without_authority", "controls_several_accountable"),
    *("controls_no_responsible", "controls_same_person", "ownership_complete_pct"),
)
TONES: dict[str, Tone] = {"active user": "main", "no active user": "bad"}
DEFINITIONS = {
    "Responsible, accountable, consulted, informed": "The four roles of a RACI matrix: responsible does the work, "
    "accountable answers for it, consulted is asked before, informed is told after.",
    "Still here": "Whether the person is an active user; empty for an address that no user has.",
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
            Table(
                "people",
                "Roles of each person, most accountable first",
                people.select(
                    "email",
                    "accountable",
                    "share_pct",
                    "responsible",
                    pl.exclude("email", "accountable", "share_pct", "responsible"),
                ),
                labels=LABELS,
                hidden=("name", "consulted", "informed", "alone", "key_person"),
            ),
            Table(
                "frameworks", "By framework", _frameworks(controls, ask), labels=LABELS, hidden=("too_many_consulted",)
            ),
            Table(
                "controls",
                "Roles of each control, incomplete ones first",
                controls.sort("complete", maintain_order=True).select(
                    "framework",
                    "control_id",
                    "title",
                    "accountable",
                    "responsible",
                    "consulted",
                    "complete",
                    "informed",
                    "findings",
                ),
                labels=LABELS,
                words=("findings",),
                hidden=("informed", "findings"),
            ),
        ),
        coverage=Coverage(owned, controls.height, "with somebody in a role"),
        charts=_charts(people),
        definitions=DEFINITIONS,
        foremost=FOREMOST if controls.height else (),
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
    left = figures["controls_accountable_without_authority"]
    lost = f"; {count(left, 'control rests', 'controls rest')} on somebody who has left" if left else ""
    return Opening(at_most(f"{share}", f"{lost}") + ".", _step(figures, people, open_findings, ask))


def _step(figures: Figures, people: pl.DataFrame, open_findings: pl.DataFrame, ask: Ask) -> str:
    """Who or what is named first, with whom."""
    top = people.row(0, named=True)
    if figures["controls_no_accountable"]:
        number = figures["controls_no_accountable"]
        first = open_findings.row(0, named=True)
        work = f", whose work is with {first['people'][0]}" if len(first["people"]) else ""
        among = f", the first of {number:,} controls that nobody is accountable for" if number > 1 else ""
        return f"An administrator names who answers for {titled_control(first, ask)}{work}{among}."
    if figures["controls_accountable_without_authority"]:
        number = count(figures["controls_accountable_without_authority"], "control")
        return f"An administrator hands over the {number} whose accountable person has left."
    if top["key_person"]:  # else nobody may be accountable for anything, and there is no share
        return f"Relieve {top['email']}, who alone holds {percent(top['share_pct'])} of all accountable roles."
    return ""


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
    here = pl.when(pl.col("active").fill_null(False)).then(pl.lit("active user")).otherwise(pl.lit("no active user"))
    alt = "Controls that each person is accountable for; the longest bar carries most."
    return [
        Chart(
            "stacked",
            "Controls by accountable person",
            answering.with_columns(person=here),
            "email",
            "accountable",
            alt,
            series="person",
            tones=TONES,
        )
    ]


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
