"""CIS Controls v8.1 by implementation group, cumulative: 56, 130 and 153 safeguards, and the first that is missing."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from engine.reporting.catalogue import catalogue
from reports.frameworks.assessments import (
    assessment_rows,
    evidence_coverage,
    tally,
    why,
    with_remediations,
)
from reports.shared.columns import share_pct
from reports.shared.wording import count_of, part_of

FRAMEWORK = "cis-v8"
GROUPS = (1, 2, 3)
MEASURES = ("policy_pct", "implemented_pct", "automated_pct", "reported_pct")
DECLARED = {"policy_pct": "policy_defined_pct"}
LABELS = {
    "control_id": "Safeguard",
    "control": "Control",
    "ig": "From IG",
    "state": "Evidence state",
    "asset_type": "Asset class",
    "security_function": "Function",
    "policy_pct": "Policy defined (%)",
    "implemented_pct": "Implemented (%)",
    "automated_pct": "Automated (%)",
    "reported_pct": "Reported (%)",
    "status": "Remediation",
    "due_on": "Planned for",
    "last_evidence_id": "Evidence",
    "last_evidence_on": "Evidence date",
    "in_place": "In place",
    "in_place_pct": "In place (%)",
    "ig1_missing": "IG1 missing",
    "missing": "Not in place",
}
DEFINITIONS = {
    "implementation group": "Cumulative: IG2 contains IG1, IG3 contains both. A group is complete when each of its "
    "applicable safeguards is in place, so never before the group below it.",
    "in place": "Evidence of every mandatory kind is there and in its window. What is declared but not shown is not.",
    "policy defined, implemented, automated, reported": "How far the organization says it is, 0 to 100 %. A safeguard "
    "for which nothing is said counts as 0 in a mean; where nothing is said of any, there is no mean. They are "
    "self-assessed and decide nothing here.",
    "from IG": "The lowest implementation group that asks for the safeguard.",
}


def build(
    requirements: pl.DataFrame,
    control_status: pl.DataFrame,
    control_profiles: pl.DataFrame,
    gaps: pl.DataFrame,
    ask: Ask,
) -> Document:
    rows = _safeguards(requirements, control_status, control_profiles, gaps)
    groups = _groups(rows)
    controls = _controls(rows)
    missing = _missing(rows)
    shares = dict(groups.select("group", "in_place_pct").iter_rows())
    reached = max((row["group"] for row in groups.to_dicts() if row["complete"]), default=0)
    said = rows.filter("applicable", pl.any_horizontal(pl.col(MEASURES).is_not_null())).height
    return Document(
        headline=_headline(groups, missing, reached),
        summary={
            "implementation_group_reached": f"IG{reached}" if reached else None,
            **{f"ig{group}_in_place_pct": shares.get(group) for group in GROUPS},
            "safeguards": rows.height,
            "applicable": rows.filter("applicable").height,
            "in_place": rows.filter(pl.col("state") == "effective").height,
            "self_assessed": said,
            **{DECLARED.get(name, name): rows.select(_declared(name)).item() for name in MEASURES},
        },
        tables=(
            Table("implementation_groups", "Implementation groups, cumulative",
                  groups.with_columns(group=pl.format("IG{}", "group")), labels=LABELS),
            Table("missing", "Not in place, lowest group first", missing, labels=LABELS, state=["state", "status"]),
            Table("controls", "The eighteen controls", controls, labels=LABELS, heat=MEASURES),
            Table(
                "safeguards",
                "Every safeguard",
                rows.select(
                    *("control_id", "title", "ig", "asset_type", "security_function", "state", *MEASURES),
                    *("last_evidence_id", "last_evidence_on", "owner", "implementation", "justification"),
                ),
                labels=LABELS,
                state=["state"],
                hidden=["implementation", "justification"],
            ),
        ),
        coverage=evidence_coverage(rows),
        charts=_charts(groups),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, said),
    )  # fmt: skip


def _safeguards(
    requirements: pl.DataFrame, status: pl.DataFrame, profiles: pl.DataFrame, gaps: pl.DataFrame
) -> pl.DataFrame:
    own = catalogue().details(FRAMEWORK).select("control_id", "asset_type", "security_function")
    flags = pl.col("flags").list
    ig = pl.when(flags.contains("ig1")).then(1).when(flags.contains("ig2")).then(2).otherwise(3)
    rows = with_remediations(assessment_rows(FRAMEWORK, requirements, status, profiles), gaps)
    return (
        rows.join(own, on="control_id", how="left")
        .with_columns(ig=ig.cast(pl.Int64), why=why())
        .sort("position", "control_id")
    )


def _groups(rows: pl.DataFrame) -> pl.DataFrame:
    """One row for each implementation group with everything up to it."""
    lines = []
    below = True
    for group in GROUPS if rows.height else ():
        part = rows.filter(pl.col("ig") <= group)
        applicable = part.filter("applicable").height
        done = part.filter(pl.col("state") == "effective").height
        below = below and 0 < applicable == done
        lines.append({"group": group, "safeguards": part.height, "applicable": applicable, "in_place": done,
                      "missing": applicable - done, "complete": below})  # fmt: skip
    counts = ("group", "safeguards", "applicable", "in_place", "missing")
    frame = pl.DataFrame(lines, schema={**dict.fromkeys(counts, pl.Int64), "complete": pl.Boolean}, orient="row")
    return frame.with_columns(in_place_pct=share_pct(pl.col("in_place"), pl.col("applicable"))).sort("group")


def _controls(rows: pl.DataFrame) -> pl.DataFrame:
    in_use = pl.col("applicable")
    open_ig1 = in_use & (pl.col("ig") == 1) & (pl.col("state") != "effective")
    return (
        rows.group_by(control=pl.col("group_id").cast(pl.Int64, strict=False), title=pl.col("group_title"))
        .agg(
            safeguards=pl.len().cast(pl.Int64),
            applicable=tally(in_use),
            in_place=tally(pl.col("state") == "effective"),
            ig1_missing=tally(open_ig1),
            **{name: _declared(name) for name in MEASURES},
        )
        .with_columns(in_place_pct=share_pct(pl.col("in_place"), pl.col("applicable")))
        .sort("control", "title")
    )


def _missing(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.filter("applicable", pl.col("state") != "effective")
        .sort("ig", -pl.col("weight").fill_null(5), "position", "control_id")
        .select(
            *("control_id", "title", "ig", "why", "state", "weight", "implemented_pct", "owner", "status", "due_on"),
            "effort_hours",
        )
    )


def _declared(name: str) -> pl.Expr:
    """The mean of what is declared, silence counting as 0; null where nothing at all is declared."""
    values = pl.col(name).filter("applicable")
    return pl.when(values.count() > 0).then((values.sum() / values.len()).round(1))


def _headline(groups: pl.DataFrame, missing: pl.DataFrame, reached: int) -> str:
    if groups.is_empty():
        return "CIS Controls v8.1 are not in scope, so there is nothing to assess."
    if reached == GROUPS[-1]:
        return "IG3 is complete: every applicable safeguard of the three implementation groups is in place."
    next_group = groups.row(reached, named=True)
    if missing.is_empty():
        return f"No safeguard of IG{next_group['group']} applies, so nothing can be said about it."
    first = missing.row(0, named=True)
    share = part_of(next_group["in_place"], next_group["applicable"], f"IG{next_group['group']} safeguard")
    so_far = f"IG{reached} is complete; " if reached else ""
    return f"{so_far}{share} in place: start with {first['control_id']} {first['title']} ({first['why']})."


def _warnings(rows: pl.DataFrame, said: int) -> list[str]:
    warnings = []
    silent = rows.filter("applicable").height - said
    if silent:
        counts = ": counted as 0 %" if said else ""
        warnings.append(f"Nothing is declared for {count_of(silent, 'applicable safeguard')}{counts}.")
    claimed = rows.filter((pl.col("implemented_pct") == 100) & (pl.col("state") == "no_data")).height
    if claimed:
        warnings.append(f"{count_of(claimed, 'safeguard')} declared as fully implemented without any evidence.")
    return warnings


def _charts(groups: pl.DataFrame) -> list[Chart]:
    frame = groups.filter(pl.col("applicable") > 0).select("in_place_pct", group=pl.format("IG{}", "group"))
    if frame.is_empty():
        return []
    alt = "Share of the applicable safeguards in place, for each implementation group with those below it."
    return [Chart("bars", "In place by implementation group", frame, "group", "in_place_pct", alt, percent=True)]


REPORT = Report(
    name="cis-v8",
    title="CIS Controls v8.1",
    description="Safeguards in place by implementation group, cumulative, with what is declared of each.",
    build=build,
)
