"""The vendor register: what each vendor is trusted with, what assures it, and what it leaves to us."""

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.formulas import risk_level
from engine.model.report import Ask, Report
from engine.model.vocabulary import VENDOR_TIERS
from reports.shared.columns import in_order, share_pct
from reports.shared.wording import count_of, part_of

ASSURANCES = ("lapsed", "not_assessed", "expiring", "assured")
REVIEWS = ("overdue", "never", "due_soon", "current")
STATES = ("assurance", "review", "status", "gap")
DOCUMENTS = (
    *("soc2_kind", "soc2_period_end_on", "soc2_valid_until", "soc2_opinion", "iso_expires_on", "pci_aoc_on", "dpa_on"),
    "baa_on",
)
HIDDEN = (
    *(
        "vendor_id",
        "rating_unknown",
        "handles_phi",
        "region",
        "category",
        "inherent",
        "residual",
        "inherited_evidenced",
    ),
    *("reused_evidence", "last_review_on", "service", "data_classes"),
    *DOCUMENTS,
)
LABELS = {
    "name": "Vendor",
    "inherent": "Inherent (of 25)",
    "residual": "Residual (of 25)",
    "soc2_kind": "SOC 2 type",
    "soc2_period_end_on": "SOC 2 period end",
    "soc2_valid_until": "SOC 2 counts until",
    "soc2_opinion": "SOC 2 opinion",
    "pci_aoc_on": "PCI AOC",
    "handles_phi": "Health data",
    "iso_expires_on": "ISO expiry",
    "dpa_on": "DPA",
    "baa_on": "BAA",
    "inherited_evidenced": "Evidenced",
    "inherited_gaps": "Gaps",
    "evidenced_pct": "Evidenced (%)",
    "control_id": "Control",
    "customer_side": "Our side",
    "not_assessed": "Not assessed",
}
DEFINITIONS = {
    "tier": "How much harm the vendor could do. It sets the review cadence: critical and high 12 months, medium 24, "
    "low 36, unless the settings say otherwise.",
    "inherent, residual": "Likelihood times impact (1 to 25) before and after measures: low to 4, moderate to 9, "
    "high to 16, critical above. An unknown rating counts as 5 and is marked.",
    "assurance": "Assured: a report or certificate in force covers the service. Expiring, lapsed: it ends soon, "
    "has ended. Not assessed: nothing is known, which is not the same as low risk.",
    "report age": "A SOC 2 report counts for 12 months after its period ends; a bridge letter adds at most 3.",
    "inherited control": "A control that the vendor operates in part, by its tier and category. Inherited never means "
    "done: evidence must be held, and our side of it stays with us.",
    "carve-out, inclusive": "Whether the vendor's own subcontractors are left out of its report or covered by it.",
    "gap": "Why an inherited control is not evidenced: missing, expired, wrong scope, qualified opinion, "
    "or our side of it not mapped (cuec unmapped).",
    "attention": "Reasons to act, in the order of the register's rule: worst vendors are those with any reason, "
    "then by tier, assurance and residual risk.",
}


def build(vendors: pl.DataFrame, vendor_controls: pl.DataFrame, ask: Ask) -> Document:
    register = _register(vendors)
    reviews = _reviews(register, ask)
    counts = {state: register.filter(pl.col("assurance") == state).height for state in ASSURANCES}
    evidenced, total = int(register["inherited_evidenced"].sum()), int(register["inherited"].sum())
    tiers = _tiers(register)
    return Document(
        headline=_headline(register, counts),
        summary={
            "vendors": register.height,
            **counts,
            "assured_pct": Coverage(counts["assured"], register.height).pct,
            **{f"reviews_{state}": register.filter(pl.col("review") == state).height for state in REVIEWS},
            "inherited_controls": total,
            "inherited_evidenced": evidenced,
            "inherited_gaps": register["inherited_gaps"].sum(),
            "inherited_evidenced_pct": Coverage(evidenced, total).pct,
            "reused_evidence": register["reused_evidence"].sum(),
            "open_findings": register["open_findings"].sum(),
            "ratings_unknown": register.filter("rating_unknown").height,
        },
        tables=(
            Table("vendors", "Register, worst first", register, labels=LABELS, state=STATES[:3], hidden=HIDDEN),
            Table(
                "documents",
                "Assurance documents",
                register.select("name", "tier", "service", "data_classes", "handles_phi", *DOCUMENTS, "vendor_id"),
                labels=LABELS,
                hidden=["vendor_id"],
            ),
            Table("tiers", "By tier and assurance", tiers, labels=LABELS, heat=ASSURANCES),
            Table(
                "inherited",
                "Inherited controls of each vendor",
                _inherited(vendor_controls),
                labels=LABELS,
                state=["gap"],
                words=["expected_evidence", "held"],
                hidden=["vendor_id"],
            ),
            Table(
                "reviews", "Reviews due or never held", reviews, labels=LABELS, state=["review"], hidden=["vendor_id"]
            ),
        ),
        coverage=Coverage(register.filter(pl.col("assurance") != "not_assessed").height, register.height),
        charts=_charts(tiers),
        definitions=DEFINITIONS,
        warnings=_warnings(register, counts),
    )


def _register(vendors: pl.DataFrame) -> pl.DataFrame:
    gaps, findings = pl.col("inherited_gaps"), pl.col("open_findings")
    reasons = [
        pl.when(pl.col("assurance") == "lapsed").then(pl.lit("assurance lapsed")),
        pl.when(pl.col("assurance") == "not_assessed").then(pl.lit("not assessed")),
        pl.when(pl.col("review") == "overdue").then(pl.lit("review overdue")),
        pl.when(pl.col("review") == "never").then(pl.lit("never reviewed")),
        pl.when(pl.col("soc2_opinion").is_in(["qualified", "adverse", "disclaimer"])).then(
            pl.format("SOC 2 opinion {}", "soc2_opinion")
        ),
        pl.when(pl.col("handles_phi") & pl.col("baa_on").is_null()).then(pl.lit("health data without a BAA")),
        pl.when(gaps > 0).then(pl.format("{} without evidence", _counted(gaps, "inherited control"))),
        pl.when(findings > 0).then(_counted(findings, "open finding")),
        pl.when("rating_unknown").then(pl.lit("risk rating unknown")),
    ]
    return (
        vendors.with_columns(
            attention=pl.concat_list(reasons).list.drop_nulls(),
            inherent_level=pl.col("inherent").map_elements(risk_level, return_dtype=pl.String),
            residual_level=pl.col("residual").map_elements(risk_level, return_dtype=pl.String),
        )
        .sort(
            pl.col("attention").list.len() == 0,
            _rank("tier", VENDOR_TIERS),
            _rank("assurance", ASSURANCES),
            -pl.col("residual").fill_null(25),
            "name",
            "vendor_id",
        )
        .select(
            *("name", "tier", "attention", "assurance", "status", "owner", "inherent", "inherent_level", "residual"),
            *("residual_level", "review", "last_review_on", "next_review_on", "inherited", "inherited_evidenced"),
            *("inherited_gaps", "reused_evidence", "open_findings", "service", "category", "data_classes"),
            *("handles_phi", "region", *DOCUMENTS, "rating_unknown", "vendor_id"),
        )
    )


def _rank(column: str, worst_first: tuple[str, ...]) -> pl.Expr:
    """Position in the order, unknown words in front: what is not known is treated as the worst."""
    return pl.col(column).replace_strict({word: i for i, word in enumerate(worst_first)}, default=-1)


def _counted(number: pl.Expr, noun: str) -> pl.Expr:
    return pl.format("{} " + noun + "{}", number, pl.when(number != 1).then(pl.lit("s")).otherwise(pl.lit("")))


def _tiers(register: pl.DataFrame) -> pl.DataFrame:
    return (
        register.group_by("tier")
        .agg(
            vendors=pl.len().cast(pl.Int64),
            **{state: (pl.col("assurance") == state).sum().cast(pl.Int64) for state in ASSURANCES},
            reviews_overdue=(pl.col("review") == "overdue").sum().cast(pl.Int64),
            never_reviewed=(pl.col("review") == "never").sum().cast(pl.Int64),
            inherited=pl.col("inherited").sum(),
            inherited_evidenced=pl.col("inherited_evidenced").sum(),
            inherited_gaps=pl.col("inherited_gaps").sum(),
        )
        .with_columns(evidenced_pct=share_pct(pl.col("inherited_evidenced"), pl.col("inherited")))
        .sort(_rank("tier", VENDOR_TIERS), "tier")
    )


def _inherited(controls: pl.DataFrame) -> pl.DataFrame:
    return controls.select(
        *("vendor", "tier", "category", "framework", "control_id", "title", "reason", "expected_evidence", "model"),
        *("customer_side", "held", "held_period_end_on", "held_until", "gap", "vendor_id"),
    ).sort("vendor", "vendor_id", "framework", in_order("control_id"))


def _reviews(register: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return (
        register.filter(pl.col("review") != "current")
        .with_columns(days_left=(pl.col("next_review_on") - ask.as_of).dt.total_days())
        .select("name", "tier", "owner", "review", "last_review_on", "next_review_on", "days_left", "vendor_id")
        .sort(_rank("review", REVIEWS), "next_review_on", _rank("tier", VENDOR_TIERS), "name", "vendor_id")
    )


def _headline(register: pl.DataFrame, counts: dict[str, int]) -> str:
    if register.is_empty():
        return "No vendor is registered; if services are bought in, nothing is known about their risk."
    share = f"{part_of(counts['assured'], register.height, 'vendor')} assured"
    first = register.row(0, named=True)
    if not first["attention"]:
        return f"{share}; no vendor needs attention now."
    why = ", ".join(first["attention"][:2])
    unknown = f", {counts['not_assessed']:,} not assessed" if counts["not_assessed"] else ""
    return f"{share}{unknown}: start with {first['name']} (tier {first['tier']}: {why})."


def _warnings(register: pl.DataFrame, counts: dict[str, int]) -> list[str]:
    warnings = []
    if counts["not_assessed"]:
        number = count_of(counts["not_assessed"], "vendor is", "vendors are")
        warnings.append(f"{number} not assessed: that is unknown risk, not low risk.")
    unknown = register.filter("rating_unknown").height
    if unknown:
        warnings.append(
            f"{count_of(unknown, 'vendor lacks', 'vendors lack')} a likelihood or impact, which counts as 5."
        )
    return warnings


def _charts(tiers: pl.DataFrame) -> list[Chart]:
    if tiers.is_empty():
        return []
    parts = tiers.select("tier", *ASSURANCES)
    frame = parts.unpivot(ASSURANCES, index="tier", variable_name="assurance", value_name="vendors")
    alt = "Vendors of each tier by the state of their assurance."
    return [
        Chart("stacked", "Assurance by tier", frame, "tier", "vendors", alt, series="assurance", words=("assurance",))
    ]


REPORT = Report(
    name="third-party-vendors",
    title="Vendor register",
    description="Vendors with risk, assurance documents, reviews, and the controls inherited from each.",
    build=build,
)
