"""The vendor register, and the controls that vendors carry for the organization (REPORTS 13)."""

import polars as pl

from engine.facts.approvals import with_approval
from engine.facts.assurance.inheritance import inherits
from engine.facts.assurance.vendor_assurance import assurance, lacks_opinion
from engine.facts.assurance.vendor_findings import count_findings, organizations_naming_vendors
from engine.facts.controls.beginnings import organization_beginnings
from engine.facts.expressions import days_between, shape

_VENDOR = ["org_id", "vendor_id"]
TIER_WEIGHTS = {"critical": 4, "high": 3, "medium": 2, "low": 1}
# documents that lapse a number of months after they were issued when they carry no expiry of their own
_LIFE_MONTHS = {
    "iso27001_certificate": 36,
    "pci_aoc": 12,
    "pen_test": 12,
    "questionnaire": 12,
    "soc2_type1": 12,
    "training": 12,
}
_LASTING = ("baa", "dpa", "nda", "screening")  # good until somebody says otherwise


def documents(vendor_documents_rows: pl.DataFrame, approvers: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Assurance documents with the last day on which they are good. A bridge letter extends SOC 2 reports.

    ``valid_until`` is null for agreements that last; ``undated`` marks a document that lapses on nobody knows when.
    A document issued later than today, or on a period still to begin, is none yet; no auditor reports on a period that
    is not over. ``judged``: somebody of the organization assessed the qualification in words, on a day that has come.
    """
    begun = pl.max_horizontal(pl.coalesce("issued_on", "period_end_on", "as_of"), "period_start_on")
    ahead = begun > pl.col("as_of")
    unfinished = pl.col("kind").is_in(["soc2_type1", "soc2_type2"]) & (pl.col("period_end_on") > pl.col("as_of"))
    frame = vendor_documents_rows.join(
        asked.select("org_id", "as_of", "soc2_report_months", "bridge_letter_months"), on="org_id"
    ).filter(~ahead, ~unfinished.fill_null(False))
    bridges = (
        frame.filter(pl.col("kind") == "bridge_letter")
        .group_by(_VENDOR)
        .agg(bridge_until=pl.coalesce("period_end_on", "expires_on", "issued_on").max())
    )
    soc2_end = _months_after("period_end_on", pl.col("soc2_report_months"))
    furthest = _months_after("period_end_on", pl.col("soc2_report_months") + pl.col("bridge_letter_months"))
    bridged = pl.when(pl.col("bridge_until").is_not_null()).then(pl.min_horizontal("bridge_until", furthest))
    life = pl.col("kind").replace_strict(_LIFE_MONTHS, default=None, return_dtype=pl.Int64)
    in_words = pl.col("assessment").fill_null("").str.strip_chars() != ""
    return (
        with_approval(frame, approvers, "assessed_by", "assessed_on")
        .with_columns(judged=pl.col("approved") & in_words)
        .drop("approved")
        .join(bridges, on=_VENDOR, how="left")
        .with_columns(
            valid_until=pl.when(pl.col("kind") == "soc2_type2")
            .then(pl.max_horizontal(soc2_end, bridged))
            .when(pl.col("expires_on").is_not_null())
            .then("expires_on")
            .otherwise(_months_after("issued_on", life)),
            dated=pl.coalesce("period_end_on", "issued_on", "expires_on"),
        )
        .with_columns(undated=pl.col("valid_until").is_null() & ~pl.col("kind").is_in(_LASTING))
        .sort(*_VENDOR, "kind", "dated", "id", nulls_last=False)
    )


def _months_after(day: str, months: pl.Expr) -> pl.Expr:
    return pl.col(day).dt.offset_by(pl.format("{}mo", months.cast(pl.Int64)))


def vendor_controls(
    vendors_rows: pl.DataFrame,
    vendor_documents: pl.DataFrame,
    organization: pl.DataFrame,
    controls: pl.DataFrame,
    leverage: pl.DataFrame,
    framework_inheritance_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Controls that each vendor carries by tier and category, with the evidence held. Inherited never means done."""
    active = _active(vendors_rows, asked)
    described = active.select("org_id", "vendor_id", "tier", "category", "handles_phi", "data_classes", vendor="name")
    wanted = (
        inherits(described, framework_inheritance_rows)
        .join(
            controls.filter("assessable").select("org_id", "framework", "control_id", "title"),
            on=["org_id", "framework", "control_id"],
        )
        .join(
            leverage.select("org_id", "framework", "control_id", "leverage"), on=["org_id", "framework", "control_id"]
        )
    )
    frame = (
        wanted.join(_answer_rows(vendor_documents, asked), on=[*_VENDOR, "expected_evidence"], how="left")
        .join(asked.select("org_id", today="as_of"), on="org_id")
        .with_columns(
            held="kind",
            held_id="id",
            held_period_end_on="period_end_on",
            held_until="valid_until",
            gap=_gap(),
            severity_score=pl.col("tier").replace_strict(TIER_WEIGHTS, return_dtype=pl.Float64) * pl.col("leverage"),
        )
    )
    return shape("vendor_controls", frame).sort(*_VENDOR, "framework", "control_id")


def _answer_rows(documents: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """The document that answers for each kind of expected evidence.

    A SOC 2 report in force needs no bridge letter: its assurance still reaches up to today, whatever became of a letter
    to an earlier one.
    """
    newest = documents.sort("in_scope", maintain_order=True).group_by(*_VENDOR, "kind", maintain_order=True).last()
    held = newest.with_columns(expected_evidence="kind").join(asked.select("org_id", today="as_of"), on="org_id")
    letter, reaches = pl.col("kind") == "bridge_letter", pl.col("valid_until") >= pl.col("today")
    sufficient = held.filter(letter, reaches, "in_scope")
    reaching = (
        held.filter(pl.col("kind") == "soc2_type2", reaches)
        .join(sufficient, on=_VENDOR, how="anti")
        .with_columns(expected_evidence=pl.lit("bridge_letter"))
    )
    others = held.join(reaching, on=[*_VENDOR, "expected_evidence"], how="anti")
    return pl.concat([others, reaching]).drop("today")


def _gap() -> pl.Expr:
    needs_mapping = pl.col("expected_evidence").str.starts_with("soc2")
    return (
        pl.when(pl.col("id").is_null())
        .then(pl.lit("missing"))
        .when(pl.col("undated") | (pl.col("valid_until") < pl.col("today")))
        .then(pl.lit("expired"))
        .when(~pl.col("in_scope"))
        .then(pl.lit("wrong_scope"))
        .when(pl.col("opinion").is_in(["qualified", "adverse", "disclaimer"]) | lacks_opinion())
        .then(pl.lit("qualified_opinion"))
        .when(needs_mapping & ~pl.col("cuecs_mapped").fill_null(False))
        .then(pl.lit("cuec_unmapped"))
        .otherwise(pl.lit("none"))
    )


def _active(vendors: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    return (
        vendors.rename({"id": "vendor_id"})
        .join(asked.select("org_id", "as_of"), on="org_id")
        .filter(
            pl.col("offboarded_on").is_null() | (pl.col("offboarded_on") > pl.col("as_of")),
            pl.col("onboarded_on").is_null() | (pl.col("onboarded_on") <= pl.col("as_of")),
        )
    )


def vendors(
    vendors_rows: pl.DataFrame,
    vendor_documents: pl.DataFrame,
    vendor_controls: pl.DataFrame,
    findings: pl.DataFrame,
    organizations_rows: pl.DataFrame,
    record_starts_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """The register of active vendors with derived ratings, reviews and assurance, which are three different things.

    One that nobody reviewed is due within the days of a first review after it came, else after its organization did.
    """
    settings = asked.select(
        "org_id",
        "vendor_expiring_days",
        "vendor_first_review_days",
        *(pl.col(f"vendor_review_{tier}_months").alias(f"months_{tier}") for tier in TIER_WEIGHTS),
    )
    months = pl.coalesce(pl.when(pl.col("tier") == tier).then(pl.col(f"months_{tier}")) for tier in TIER_WEIGHTS)
    rating = ("likelihood", "impact", "residual_likelihood", "residual_impact")
    given = pl.when(_review_is_due()).then("next_review_on")
    first = pl.coalesce("onboarded_on", "begun_on") + pl.duration(
        days=pl.col("vendor_first_review_days").cast(pl.Int64)
    )
    following = pl.coalesce(given, _months_after("last_review_on", months))
    frame = (
        _active(vendors_rows, asked)
        .join(settings, on="org_id")
        .join(organization_beginnings(organizations_rows, record_starts_rows, asked), on="org_id", how="left")
        .join(count_findings(findings), on=_VENDOR, how="left")
        .join(organizations_naming_vendors(findings), on="org_id", how="left")
        .with_columns(last_review_on=pl.when(pl.col("last_review_on") <= pl.col("as_of")).then("last_review_on"))
        .join(_newest_documents(vendor_documents), on=_VENDOR, how="left")
        .join(assurance(vendors_rows, vendor_documents, asked), on=_VENDOR, how="left")
        .join(_inheritance(vendor_controls), on=_VENDOR, how="left")
        .with_columns(
            inherent=pl.col("likelihood").fill_null(5) * pl.col("impact").fill_null(5),
            residual=pl.col("residual_likelihood").fill_null(5) * pl.col("residual_impact").fill_null(5),
            rating_unknown=pl.any_horizontal(pl.col(name).is_null() for name in rating),
            inherent_unknown=pl.any_horizontal(pl.col(name).is_null() for name in rating[:2]),
            residual_unknown=pl.any_horizontal(pl.col(name).is_null() for name in rating[2:]),
            next_review_on=pl.when(pl.col("last_review_on").is_null())
            .then(pl.min_horizontal("next_review_on", first))
            .otherwise(following),
            open_findings=pl.when(pl.col("naming")).then(pl.col("open_findings").fill_null(0)),
        )
        .with_columns(
            pl.col("inherited", "inherited_evidenced", "inherited_gaps", "reused_evidence").fill_null(0),
            review=_review(),
            assurance=_standing(),
        )
        .with_columns(status=_assessment())
    )
    return shape("vendors", frame).sort(_VENDOR)


def _newest_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """The document of each kind that answers for it, as the register shows it: the newest that covers what we use."""

    def newest(column: str, *kinds: str) -> pl.Expr:
        return pl.col(column).filter(pl.col("kind").is_in(kinds)).last()

    soc2 = ("soc2_type2", "soc2_type1")
    return (
        documents.sort("in_scope", maintain_order=True)
        .group_by(_VENDOR, maintain_order=True)
        .agg(
            soc2_kind=newest("kind", *soc2),
            soc2_period_end_on=newest("period_end_on", *soc2),
            soc2_opinion=newest("opinion", *soc2),
            soc2_valid_until=newest("valid_until", *soc2),
            iso_expires_on=newest("valid_until", "iso27001_certificate"),
            dpa_on=newest("issued_on", "dpa"),
            baa_on=newest("issued_on", "baa"),
            pci_aoc_on=newest("issued_on", "pci_aoc"),
            documents=pl.len(),
        )
    )


def _inheritance(vendor_controls: pl.DataFrame) -> pl.DataFrame:
    good = pl.col("gap") == "none"
    return vendor_controls.group_by(_VENDOR).agg(
        inherited=pl.len().cast(pl.Int64),
        inherited_evidenced=good.sum().cast(pl.Int64),
        inherited_gaps=(~good).sum().cast(pl.Int64),
        reused_evidence=(good.sum() - pl.col("held_id").filter(good).n_unique()).cast(pl.Int64),
    )


def _review_is_due() -> pl.Expr:
    """Whether the planned review still lies ahead of the last one; a review on or after its date answers it."""
    return pl.col("last_review_on").is_null() | (pl.col("next_review_on") > pl.col("last_review_on"))


def _review() -> pl.Expr:
    left = days_between("next_review_on", "as_of")
    return (
        pl.when(pl.col("last_review_on").is_null())
        .then(pl.lit("never"))
        .when(left < 0)
        .then(pl.lit("overdue"))
        .when(left <= 30)
        .then(pl.lit("due_soon"))
        .otherwise(pl.lit("current"))
    )


def _standing() -> pl.Expr:
    """By documents alone: a vendor is assured while one is in force, whenever anybody last reviewed it."""
    left = days_between("assured_until", "as_of")
    return (
        pl.when(pl.col("assuring").is_null())
        .then(pl.lit("not_assessed"))
        .when(pl.col("endless") | (left > pl.col("vendor_expiring_days")))
        .then(pl.lit("assured"))
        .when(left >= 0)
        .then(pl.lit("expiring"))
        .otherwise(pl.lit("lapsed"))
    )


def _assessment() -> pl.Expr:
    """What people say of work that is not finished; of finished work, whether it still holds today."""
    over = (pl.col("review") == "overdue") | (pl.col("assurance") == "lapsed")
    return (
        pl.when(pl.col("status").is_in(["not_assessed", "in_progress"]))
        .then("status")
        .when(pl.col("review") == "never")
        .then(pl.lit("not_assessed"))
        .when(over)
        .then(pl.lit("expired"))
        .otherwise(pl.lit("assessed"))
    )
