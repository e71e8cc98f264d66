"""The vendor register: what each vendor is trusted with, what assures it, and what it leaves to us."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table
from engine.model.documents.vendor_documents import ASSURANCES, STATE_LABELS
from engine.model.figures.figure import Figures
from engine.model.vocabulary import VENDOR_TIERS
from reports.figures import select
from reports.shared import setup
from reports.shared.columns import in_order, share_pct
from reports.shared.figures import review_is_overdue
from reports.shared.wording import count_of, part_of, with_whom
from reports.vendors.inherited_rows import what_to_ask
from reports.vendors.register import DOCUMENTS, rank_of, register

REVIEWS = ("overdue", "never", "due_soon", "current")
STATES = ("assurance", "review", "status", "gap")
FOREMOST = (
    *("vendors_assurance_lapsed", "vendors_not_assessed", "vendor_reviews_overdue", "inherited_gaps"),
    *("vendors_assured_pct", "vendors_assurance_expiring"),
)
HIDDEN = (
    *("vendor_id", "rating_unknown", "handles_phi", "region", "category", "inherent", "residual"),
    *("inherited_evidenced", "reused_evidence", "last_review_on", "service", "data_classes", "assured_until"),
    *("inherent_level", "residual_level", "review", "inherited", "inherited_gaps", "open_findings"),
    *DOCUMENTS,
)
LABELS = {
    **{"name": "Vendor", "customer_side": "Our side", **STATE_LABELS},
    **{"attention": "What to act on", "dpa_on": "Processing agreement of", "baa_on": "BAA of"},
}
DEFINITIONS = {
    "tier": "How much harm the vendor could do. It sets the review cadence: critical and high 12 months, medium 24, "
    "low 36, unless the settings say otherwise.",
    "inherent, residual": "Likelihood times impact (1 to 25) before and after measures: low to 4, moderate to 9, "
    "high to 16, critical above. An unknown rating counts as 5 and is marked.",
    "rests on": "The document that decides their evidence: of those that can assure a vendor of its category and cover "
    "what we use the one that is good for longest. Agreements and questionnaires assure nobody.",
    "assured until": "The last day on which that document is good; empty where it has no end.",
    "review": "Whether somebody looked at the vendor within the cadence of its tier: current, due soon (30 days), "
    "overdue, never. A vendor never reviewed is due within the days of a first review after it came, without that "
    "day after records begin, and counts as overdue from then on.",
    "status": "Not assessed and in progress as people say. Assessed: its review is not overdue and its assurance has "
    "not lapsed. Expired: one of these is.",
    "report age": "A SOC 2 report counts for 12 months after its period ends; a bridge letter adds at most 3.",
    "inherited control": "A control that the vendor operates in part, by its tier and category. Inherited never means "
    "done: evidence must be held, and our side of it stays with us.",
    "carve-out, inclusive": "Whether the vendor's own subcontractors are left out of its report or covered by it.",
    "gap": "Why an inherited control is not evidenced: missing, expired, wrong scope, qualified opinion, "
    "or our side of it not mapped (cuec unmapped).",
    "attention": "Reasons to act, in the order of the register's rule: worst vendors are those with any reason: "
    "assurance has lapsed; never assured, or not reviewed in time; expiring; any other reason. Each by tier, "
    "assurance and residual risk.",
}
ASSURANCE = (
    "Assured: a report, certificate or agreement in force covers the service, without an adverse opinion. Expiring: "
    "it ends within {:g} days. Lapsed: it has ended. Never assured: there never was one, which is not the same as low "
    "risk. A review adds nothing to it."
)


def build(vendor_controls: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    vendors = figures.rows(register)
    tiers = _tiers(vendors, ask)
    return Document(
        *_opening(vendors, vendor_controls, figures),
        tables=(
            Table("vendors", "Register, worst first", vendors, labels=LABELS, state=STATES[:3], hidden=HIDDEN),
            Table(
                "documents",
                "Assurance documents",
                vendors.select("name", "tier", "service", "data_classes", "handles_phi", *DOCUMENTS, "vendor_id"),
                labels=LABELS,
                words=["soc2_kind"],
                hidden=["vendor_id"],
                part_of=("vendors",),
            ),
            Table("tiers", "By tier and assurance", tiers, heat=ASSURANCES),
            Table(
                "inherited",
                "Inherited controls of each vendor",
                _inherited_table(vendor_controls),
                labels=LABELS,
                state=["gap"],
                words=["expected_evidence", "held"],
                hidden=["vendor_id"],
            ),
            Table(
                "reviews",
                "Reviews due or never held",
                _reviews(vendors, ask),
                labels=LABELS,
                state=["review"],
                hidden=["vendor_id"],
                part_of=("vendors",),
            ),
        ),
        coverage=Coverage(
            figures["vendors"] - figures["vendors_not_assessed"], figures["vendors"], "assured at some time"
        ),
        charts=_charts(tiers),
        definitions={"assurance": ASSURANCE.format(ask.settings["vendor_expiring_days"]), **DEFINITIONS},
        warnings=_warnings(figures),
        foremost=FOREMOST,
    )


def _tiers(vendors: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return (
        vendors.group_by("tier")
        .agg(
            vendors=pl.len().cast(pl.Int64),
            **{state: (pl.col("assurance") == state).sum().cast(pl.Int64) for state in ASSURANCES},
            reviews_overdue=review_is_overdue(ask).sum().cast(pl.Int64),
            never_reviewed=(pl.col("review") == "never").sum().cast(pl.Int64),
            inherited=pl.col("inherited").sum(),
            inherited_evidenced=pl.col("inherited_evidenced").sum(),
            inherited_gaps=pl.col("inherited_gaps").sum(),
        )
        .with_columns(evidenced_pct=share_pct(pl.col("inherited_evidenced"), pl.col("inherited")))
        .sort(rank_of("tier", VENDOR_TIERS), "tier")
    )


def _inherited_table(controls: pl.DataFrame) -> pl.DataFrame:
    return controls.select(
        *("vendor", "tier", "category", "framework", "control_id", "title", "reason", "expected_evidence", "model"),
        *("customer_side", "held", "held_period_end_on", "held_until", "gap", "vendor_id"),
    ).sort("vendor", "vendor_id", "framework", in_order("control_id"))


def _reviews(vendors: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return (
        vendors.filter(pl.col("review") != "current")
        .with_columns(days_left=(pl.col("next_review_on") - ask.as_of).dt.total_days())
        .select("name", "tier", "owner", "review", "last_review_on", "next_review_on", "days_left", "vendor_id")
        .sort(rank_of("review", REVIEWS), "next_review_on", rank_of("tier", VENDOR_TIERS), "name", "vendor_id")
    )


def _opening(vendors: pl.DataFrame, vendor_controls: pl.DataFrame, figures: Figures) -> Opening:
    if vendors.is_empty():
        return Opening(
            "No vendor is registered; if services are bought in, nothing is known about their risk.", setup.VENDORS
        )
    assured = part_of(figures["vendors_assured"], figures["vendors"], "vendor", ("has", "have"))
    share = f"{assured} an assurance document in force"
    first = vendors.row(0, named=True)
    if not first["attention"]:
        return Opening(f"{share}; no vendor needs attention now.")
    why = ", ".join(first["attention"][:2])
    never = f", {figures['vendors_not_assessed']:,} never had one" if figures["vendors_not_assessed"] else ""
    lacking = vendor_controls.filter(pl.col("gap") != "none", pl.col("vendor_id") == first["vendor_id"])
    ask_for = what_to_ask(lacking)["action"].drop_nulls().to_list()
    asked = f": {ask_for[0]}" if ask_for else ""
    return Opening(
        f"{share}{never}.",
        f"Start with {first['name']} (tier {first['tier']}: {why}; {with_whom(first['owner'])}){asked}.",
    )


def _warnings(figures: Figures) -> list[str]:
    warnings = []
    if never := figures["vendors_not_assessed"]:
        number = count_of(never, "vendor")
        warnings.append(f"{number} without any assurance document: that is unknown risk, not low risk.")
    if unknown := figures["vendor_ratings_unknown"]:
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
    figures=select(
        *("vendors", "vendors_assured", "vendors_assured_pct", "vendors_assurance_expiring"),
        *("vendors_assurance_lapsed", "vendors_not_assessed", "vendor_reviews_overdue", "vendor_reviews_never"),
        *("vendor_reviews_due_soon", "vendor_reviews_current", "inherited_controls", "inherited_evidenced"),
        *("inherited_gaps", "inherited_evidenced_pct", "vendor_evidence_reused", "vendor_findings_open"),
        "vendor_ratings_unknown",
    ),
    schema_version=2,
)
