"""Where risk gathers: gaps by framework and severity, vendors by tier and assurance, hotspots, the risk grid."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from engine.model.vocabulary import GAP_SEVERITIES
from reports.figures import select
from reports.programme.risk.heat import ASSURANCE, assurance_by_tier, by_severity, hotspots, severity_by_framework
from reports.programme.risk.risk_grid import IMPACTS, RISK_LEVELS, cells, grid, register_of
from reports.shared import packs, setup
from reports.shared.wording import count

SHOWN_HOTSPOTS = 10
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
        *_opening(frameworks, families, gaps, readiness, figures, ask),
        summary={"risk_appetite": int(ask.settings["risk_appetite"])},
        tables=(
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
            Table("vendor_tiers", "Vendors by tier and assurance", assurance_by_tier(vendors), heat=ASSURANCE),
            Table(
                "hotspots",
                "Hotspots",
                families.head(SHOWN_HOTSPOTS),
                note=f"The {SHOWN_HOTSPOTS} control families with most at stake, of {families.height:,} with gaps.",
                state=("worst",),
                hidden=("framework", "group_id"),
            ),
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
            Table(
                "risks",
                "Open risks, largest residual first",
                register,
                labels=LABELS,
                state=("level",),
                hidden=(
                    *("change", "category", "residual_likelihood", "residual_impact", "likelihood", "impact"),
                    "unknown",
                ),
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
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(frameworks),
        definitions=DEFINITIONS,
        warnings=_warnings(readiness, figures, ask),
    )


def _opening(
    frameworks: pl.DataFrame,
    families: pl.DataFrame,
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
    if not figures["gaps_open"]:
        return Opening(f"{'No gap is open' if applicable else 'No control is in scope'}; {risks}.")
    most = frameworks.sort("total", maintain_order=True, descending=True).row(0, named=True)
    first = families.row(0, named=True)
    mine = [pl.col(name) == first[name] for name in ("framework", "group_id")]
    are = "is" if figures["gaps_open"] == 1 else "are"
    return Opening(
        f"{count(figures['gaps_open'], 'gap')} {are} open, {most['total']:,} of them in {most['name']}; {risks}.",
        f"Start with {first['framework_name']} {first['group_title']}, the largest hotspot: "
        f"{packs.first_gap(gaps.filter(*mine), ask)}.",
    )


def _charts(frameworks: pl.DataFrame) -> list[Chart]:
    if not frameworks["total"].sum():
        return []
    parts = (
        frameworks.filter(pl.col("total") > 0)
        .select("name", *GAP_SEVERITIES)
        .unpivot(index="name", variable_name="severity", value_name="gaps")
    )
    alt = "Open gaps of each framework by severity."
    return [Chart("stacked", "Open gaps by framework", parts, "name", "gaps", alt, series="severity")]


def _warnings(readiness: pl.DataFrame, figures: Figures, ask: Ask) -> list[str]:
    warnings = packs.thin(readiness, ask)
    if figures["risks_accepted_unapproved"]:
        warnings.append(
            Alarm(
                f"{count(figures['risks_accepted_unapproved'], 'risk')} called accepted that nobody of the "
                "organization accepted on a day that has come."
            )
        )
    if figures["risks_unrated"]:
        warnings.append(
            f"{count(figures['risks_unrated'], 'risk')} without a full rating: what is missing counts as 5."
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
