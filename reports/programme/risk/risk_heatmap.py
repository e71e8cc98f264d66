"""Where risk gathers: gaps by framework and severity, vendors by tier and assurance, hotspots, the risk grid."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table, at_most
from engine.model.figures.figure import Figures
from engine.model.vocabulary import GAP_SEVERITIES
from reports.figures import select
from reports.programme.risk.heat import ASSURANCE, assurance_by_tier, by_severity, hotspots, severity_by_framework
from reports.programme.risk.risk_grid import IMPACTS, RISK_LEVELS, cells, grid, picture, register_of, unrated_note
from reports.shared import packs, setup
from reports.shared.columns import with_first
from reports.shared.wording import count, sentence, some_of, with_whom

SHOWN_HOTSPOTS = 10
RISK = (
    "id",
    "title",
    "residual_cell",
    "rated_level",
    "owner",
    "treatment",
    "inherent_cell",
    "movement",
    "appetite",
    "over_appetite",
)
# what a page leads with where risks are registered
FOREMOST = (
    *("risks_over_appetite", "risks_unrated", "risks_accepted_unapproved", "risks", "gaps_open", "gaps_critical"),
)
LABELS = {"name": "Framework", "share_pct": "Share of gaps (%)", "id": "Risk"}
DEFINITIONS = {
    "Hotspot": "A control family with a high sum of severity (2 to 5) times control weight (1 to 5) over its gaps.",
    "Assurance": "Assured: a report, certificate or agreement in force covers the vendor. Expiring: it ends soon. "
    "Lapsed: it has ended. Not assessed: there never was one, which is not low risk. Reviews do not count here.",
    "Cell": "Likelihood 1 to 5 times impact 1 to 5: low up to 4, moderate up to 9, high up to 16, critical above. The "
    "scale is ordinal: 16 is not twice as bad as 8; where given, use the loss range.",
    "Inherent and residual": "Before and after the treatment in place.",
    "Appetite": "The largest residual cell that the organization accepts, for all risks or for one.",
}


def build(
    gaps: pl.DataFrame, readiness: pl.DataFrame, vendors: pl.DataFrame, risks: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    frameworks, families, register = figures.rows(severity_by_framework), hotspots(gaps, ask), register_of(risks)
    rated = register.filter(~pl.col("unknown"))
    return Document(
        *_opening(frameworks, register, gaps, readiness, figures, ask),
        summary={"risk_appetite": int(ask.settings["risk_appetite"])},
        tables=(
            Table(
                "risks",
                "Open risks, largest residual first",
                with_first(register, *RISK),
                note=unrated_note(register),
                labels=LABELS,
                state=("rated_level",),
                hidden=tuple(name for name in register.columns if name not in RISK),
            ),
            Table(
                "unrated",
                "Risks outside the grid",
                register.filter("unknown").select(
                    "id", "title", "category", "owner", "reviewed_on", counted_as="residual"
                ),
                note="Likelihood or impact is missing: rate these first.",
                labels=LABELS,
                part_of=("risks",),
            ),
            Table(
                "framework_severity",
                "Open gaps by framework and severity",
                frameworks,
                note="The framework with most critical gaps stands first.",
                labels=LABELS,
                heat=GAP_SEVERITIES,
                scale=by_severity(frameworks),
                hidden=("framework",),
            ),
            Table(
                "hotspots",
                "Hotspots",
                families.head(SHOWN_HOTSPOTS),
                note=f"The {SHOWN_HOTSPOTS} control families with most at stake, of {families.height:,} with gaps.",
                state=("worst",),
                hidden=("framework", "group_id"),
            ),
            Table("vendor_tiers", "Vendors by tier and assurance", assurance_by_tier(vendors), heat=ASSURANCE),
            Table(
                "grid",
                "Residual risks in each cell",
                grid(rated),
                note=f"Cells above {ask.settings['risk_appetite']:g} "
                "(likelihood times impact) are over the general appetite.",
                labels={**LABELS, "name": "Likelihood"},
                hidden=("likelihood",),
                heat=IMPACTS,
                scale=RISK_LEVELS,
            ),
            Table(
                "cells",
                "Which risks stand where",
                cells(rated),
                note="Cells without any risk are left out.",
                state=("level",),
            ),
        ),
        coverage=packs.coverage(readiness),
        pictures=picture(rated, ask.settings["risk_appetite"]),
        charts=_charts(families) if rated.is_empty() else (),
        foremost=FOREMOST if figures["risks"] else (),
        definitions=DEFINITIONS,
        warnings=_warnings(register, readiness, figures, ask),
    )


def _opening(
    frameworks: pl.DataFrame,
    register: pl.DataFrame,
    gaps: pl.DataFrame,
    readiness: pl.DataFrame,
    figures: Figures,
    ask: Ask,
) -> Opening:
    applicable = packs.coverage(readiness).total
    if not applicable and not figures["gaps_open"] and not figures["risks"]:
        return Opening(
            "No control is in scope and no risk is registered, so there is nothing to place on a heatmap.",
            setup.fill("organization_frameworks", "risks"),
        )
    if not figures["risks"]:
        risks = "no risk is registered"
    else:
        verb = "exceeds" if figures["risks_over_appetite"] == 1 else "exceed"
        risks = (
            f"{figures['risks_over_appetite'] or 'none'} of {count(figures['risks'], 'open risk')} {verb} the appetite"
        )
        if unrated := register.filter("residual_unknown", "over_appetite").height:
            risks += f", {unrated:,} of them not rated"
    first_risk = _first_risk(register)
    if not figures["gaps_open"]:
        return Opening(f"{'No gap is open' if applicable else 'No control is in scope'}; {risks}.", first_risk)
    most = frameworks.sort("total", maintain_order=True, descending=True).row(0, named=True)
    total = count(figures["gaps_open"], "gap")
    part = f"{most['total']:,} of them" if most["total"] < figures["gaps_open"] else "all"
    are = "is" if figures["gaps_open"] == 1 else "are"
    gap = f"Of the gaps close first {packs.first_gap(gaps, ask)}."
    text = f"{risks}; {total} {are} open"
    where = f", {part} in {most['name']}"
    return Opening(f"{sentence(at_most(text, where))}.", f"{first_risk} {gap}".strip())


def _charts(families: pl.DataFrame) -> list[Chart]:
    """Where gaps weigh most, where there is no risk to draw."""
    if families.is_empty():
        return []
    name = pl.format("{} {}", "framework_name", pl.coalesce("group_title", "group_id"))
    bars = families.head(SHOWN_HOTSPOTS).select("severity_weight", family=name)
    alt = "The control families with most severity times weight of their open gaps."
    return [Chart("bars", "Hotspots", bars, "family", "severity_weight", alt)]


def _first_risk(register: pl.DataFrame) -> str:
    """What to do about the largest risk over the appetite; empty without one."""
    over = register.filter("over_appetite")
    if over.is_empty():
        return ""
    row = over.row(0, named=True)
    name = f"{row['title'] or row['id']} ({with_whom(row['owner'])})"
    if row["residual_unknown"]:
        return f"Rate {name}: it counts as {row['residual']} until it is rated."
    return f"Treat, transfer or accept {name}, at {row['residual']} against an appetite of {row['appetite']}."


def _warnings(register: pl.DataFrame, readiness: pl.DataFrame, figures: Figures, ask: Ask) -> list[str]:
    warnings = packs.thin(readiness, ask)
    if unsigned := figures["risks_accepted_unapproved"]:
        rows = figures.counted_rows("risks_accepted_unapproved").sort("id").iter_rows(named=True)
        named = some_of([f"{row['title'] or row['id']} ({with_whom(row['owner'])})" for row in rows], 3)
        them = "it" if unsigned == 1 else "them"
        warnings.append(
            Alarm(
                f"Called accepted, but nobody of the organization has accepted {them}: {named}. "
                f"Have {them} accepted, or treat {them}."
            )
        )
    if figures["risks_unrated"]:
        over = register.filter("residual_unknown", "over_appetite").height
        only = f"; {over:,} of those over the appetite may be so for that alone" if over else ""
        warnings.append(
            f"{count(figures['risks_unrated'], 'risk')} without a full rating: what is missing counts as 5{only}."
        )
    if not figures["risks"]:
        warnings.append("The risk register is empty: that no risk is shown does not mean that there is none.")
    return warnings


REPORT = Report(
    name="risk-heatmap",
    title="Risk heatmap",
    description="Gaps by framework and severity, vendors by tier and assurance, hotspots and the risk grid.",
    build=build,
    figures=select(
        *("gaps_open", "gaps_critical", "gaps_high", "gaps_medium", "gaps_low", "gap_concentration_hhi"),
        *("vendors", "vendors_assured", "vendors_assurance_lapsed", "vendors_not_assessed"),
        *("risks", "risks_over_appetite", "risks_unrated", "risks_accepted_unapproved"),
    ),
    schema_version=2,
)
