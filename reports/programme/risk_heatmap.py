"""Where risk gathers: gaps by framework and severity, vendors by tier and assurance, hotspots, the risk grid."""

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.formulas import concentration
from engine.model.report import Ask, Report
from engine.model.vocabulary import GAP_SEVERITIES, VENDOR_TIERS
from reports.programme.risk_grid import cells, grid, register_of
from reports.shared import packs
from reports.shared.columns import in_order
from reports.shared.ordering import rank
from reports.shared.wording import count

ASSURANCE = ("assured", "expiring", "lapsed", "not_assessed")
SHOWN_HOTSPOTS = 10
LABELS = {
    "name": "Framework",
    "share_pct": "Share of gaps (%)",
    "framework_name": "Framework",
    "group_title": "Family",
    "severity_weight": "Severity × weight",
    "not_assessed": "Not assessed",
    "inherent": "Inherent",
    "id": "Risk",
    "over_appetite": "Over appetite",
    "movement": "Since last review",
    "residual_ids": "Residual here",
    "inherent_ids": "Inherent here",
    "counted_as": "Counted as",
    **{f"impact_{impact}": f"Impact {impact}" for impact in range(1, 6)},
}
DEFINITIONS = {
    "Gap": "An applicable control that is not effective.",
    "Concentration": "Herfindahl index: the sum of the squared shares of the frameworks in all gaps. 1 means that all "
    "gaps are in one framework; the least possible is 1 divided by the number of frameworks.",
    "Hotspot": "A control family with a high sum of severity (2 to 5) times control weight (1 to 5) over its gaps.",
    "Assurance": "Assured: valid evidence is held. Expiring: it ends soon. Lapsed: it has ended. "
    "Not assessed is not low.",
    "Cell": "Likelihood 1 to 5 times impact 1 to 5: low up to 4, moderate up to 9, high up to 16, critical above. The "
    "scale is ordinal: 16 is not twice as bad as 8; where given, use the loss range.",
    "Inherent and residual": "Before and after the treatment in place.",
    "Appetite": "The largest residual cell that the organization accepts, for all risks or for one.",
    "Unrated": "A risk without likelihood or impact counts as 5 for what is missing and stands outside the grid.",
}


def build(
    gaps: pl.DataFrame, readiness: pl.DataFrame, vendors: pl.DataFrame, risks: pl.DataFrame, ask: Ask
) -> Document:
    frameworks = _frameworks(gaps, readiness)
    hotspots = _hotspots(gaps)
    register = register_of(risks)
    rated = register.filter(~pl.col("unknown"))
    index = concentration(frameworks["total"].to_list())
    over = register.filter("over_appetite").height
    return Document(
        headline=_headline(frameworks, hotspots, register, over, readiness),
        summary={
            "gaps": gaps.height,
            **{severity: int(frameworks[severity].sum()) for severity in GAP_SEVERITIES},
            "concentration_hhi": None if index is None else round(index, 2),
            "vendors": vendors.height,
            "vendors_without_assurance": vendors.filter(pl.col("assurance").is_in(["lapsed", "not_assessed"])).height,
            "risks": register.height,
            "over_appetite": over,
            "unrated_risks": register.height - rated.height,
            "risk_appetite": int(ask.settings["risk_appetite"]),
        },
        tables=(
            Table(
                "framework_severity",
                "Open gaps by framework and severity",
                frameworks,
                note="The framework with most critical gaps stands first.",
                labels=LABELS,
                heat=GAP_SEVERITIES,
                hidden=("framework",),
            ),
            Table("vendor_tiers", "Vendors by tier and assurance", _tiers(vendors), labels=LABELS, heat=ASSURANCE),
            Table(
                "hotspots",
                "Hotspots",
                hotspots.head(SHOWN_HOTSPOTS),
                note=f"The {SHOWN_HOTSPOTS} control families with most at stake, of {hotspots.height:,} with gaps.",
                labels=LABELS,
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
                heat=tuple(f"impact_{impact}" for impact in range(1, 6)),
            ),
            Table(
                "cells",
                "Which risks stand where",
                cells(rated),
                note="Cells without any risk are left out.",
                labels=LABELS,
                state=("level",),
            ),
            Table(
                "risks",
                "Open risks, largest residual first",
                register,
                labels=LABELS,
                state=("level",),
                hidden=(
                    "change",
                    "category",
                    "residual_likelihood",
                    "residual_impact",
                    "likelihood",
                    "impact",
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
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(frameworks),
        definitions=DEFINITIONS,
        warnings=_warnings(register, readiness, ask),
    )


def _frameworks(gaps: pl.DataFrame, readiness: pl.DataFrame) -> pl.DataFrame:
    in_scope = pl.concat([readiness.select("framework"), gaps.select("framework")]).unique()
    counts = [(pl.col("severity") == severity).sum().cast(pl.Int64).alias(severity) for severity in GAP_SEVERITIES]
    found = gaps.group_by("framework").agg(*counts, total=pl.len().cast(pl.Int64))
    return (
        in_scope.join(found, on="framework", how="left")
        .with_columns(pl.col(*GAP_SEVERITIES, "total").fill_null(0))
        .with_columns(share_pct=(100 * pl.col("total") / (gaps.height or 1)).round(1))
        .sort(*GAP_SEVERITIES, rank("framework", list(packs.PACKS)), "framework", descending=[True] * 4 + [False] * 2)
        .select("framework", packs.pack_name().alias("name"), *GAP_SEVERITIES, "total", "share_pct")
    )


def _tiers(vendors: pl.DataFrame) -> pl.DataFrame:
    counts = [(pl.col("assurance") == state).sum().cast(pl.Int64).alias(state) for state in ASSURANCE]
    found = vendors.group_by("tier").agg(*counts, total=pl.len().cast(pl.Int64))
    tiers = pl.DataFrame({"tier": VENDOR_TIERS}, schema={"tier": pl.String})
    return tiers.join(found, on="tier", how="left", maintain_order="left").with_columns(
        pl.col(*ASSURANCE, "total").fill_null(0)
    )


def _hotspots(gaps: pl.DataFrame) -> pl.DataFrame:
    return (
        gaps.group_by("framework", "group_id", "group_title")
        .agg(
            gaps=pl.len().cast(pl.Int64),
            severity_weight=(pl.col("severity_score") * pl.col("weight")).sum(),
            worst=pl.col("severity").sort_by(rank("severity", GAP_SEVERITIES)).first(),
        )
        .sort(
            *("severity_weight", "gaps", rank("framework", list(packs.PACKS)), "framework", in_order("group_id")),
            descending=[True, True, False, False, False],
        )
        .insert_column(1, packs.pack_name().alias("framework_name"))
    )


def _headline(
    frameworks: pl.DataFrame, hotspots: pl.DataFrame, register: pl.DataFrame, over: int, readiness: pl.DataFrame
) -> str:
    if readiness.is_empty() and frameworks.is_empty() and register.is_empty():
        return "No framework is in scope and no risk is registered, so there is nothing to place on a heatmap."
    if register.is_empty():
        risks = "no risk is registered"
    else:
        verb = "exceeds" if over == 1 else "exceed"
        risks = f"{over or 'none'} of {count(register.height, 'open risk')} {verb} the appetite"
    total = int(frameworks["total"].sum())
    if not total:
        return f"No gap is open; {risks}."
    most = frameworks.sort("total", maintain_order=True, descending=True).row(0, named=True)
    first = hotspots.row(0, named=True)
    are = "is" if total == 1 else "are"
    return (
        f"{count(total, 'gap')} {are} open, {most['total']:,} of them in {most['name']}; {risks}; "
        f"start with {first['framework_name']} {first['group_title']}, the largest hotspot."
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


def _warnings(register: pl.DataFrame, readiness: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = packs.thin(readiness, ask.settings)
    unrated = register.filter("unknown").height
    if unrated:
        warnings.append(f"{count(unrated, 'risk')} without a full rating: what is missing counts as 5.")
    if register.is_empty():
        warnings.append("The risk register is empty: that no risk is shown does not mean that there is none.")
    return warnings


REPORT = Report(
    name="risk-heatmap",
    title="Risk heatmap",
    description="Gaps by framework and severity, vendors by tier and assurance, hotspots and the risk grid.",
    build=build,
)
