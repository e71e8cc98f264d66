"""The vendor register: each vendor with the reasons to act on it, worst first."""

from collections.abc import Callable
from typing import Any

import polars as pl

from engine.model.documents.vendor_documents import deciding_document, unfit_document, urgency
from engine.model.figures.formulas import risk_level

DOCUMENTS = (
    *("soc2_kind", "soc2_period_end_on", "soc2_valid_until", "soc2_opinion", "iso_expires_on", "pci_aoc_on", "dpa_on"),
    "baa_on",
)


def register(vendors: pl.DataFrame) -> pl.DataFrame:
    """The vendors with the reasons to act on each, worst first."""
    gaps, findings = pl.col("inherited_gaps"), pl.col("open_findings")
    reasons = [
        pl.when(pl.col("assurance") == "lapsed").then(_lapse_text()),
        pl.when(pl.col("assurance") == "not_assessed", pl.col("unfit_text").is_null()).then(
            pl.lit("no assurance document")
        ),
        pl.col("unfit_text"),
        pl.when(pl.col("review") == "overdue").then(pl.lit("review overdue")),
        pl.when(pl.col("review") == "never").then(pl.lit("never reviewed")),
        pl.when(pl.col("soc2_opinion").is_in(["qualified", "adverse", "disclaimer"])).then(
            pl.format("SOC 2 opinion {}", "soc2_opinion")
        ),
        pl.when(pl.col("soc2_kind").is_not_null() & pl.col("soc2_opinion").is_null()).then(
            pl.lit("SOC 2 opinion not recorded")
        ),
        pl.when(pl.col("handles_phi") & pl.col("baa_on").is_null()).then(pl.lit("health data without a BAA")),
        pl.when(gaps > 0).then(pl.format("{} without evidence", _count_text(gaps, "inherited control"))),
        pl.when(findings > 0).then(_count_text(findings, "open finding")),
        pl.when("rating_unknown").then(pl.lit("risk rating unknown")),
    ]
    return (
        worst_first(vendors)
        .with_columns(
            deciding_document=_text(deciding_document, "assured_by", "assured_dated_on"),
            unfit_text=_text(unfit_document, "assurance", "unfit", "unfit_kind", "unfit_until"),
        )
        .with_columns(
            attention=pl.concat_list(reasons).list.drop_nulls(),
            inherent_level=pl.col("inherent").map_elements(risk_level, return_dtype=pl.String),
            residual_level=pl.col("residual").map_elements(risk_level, return_dtype=pl.String),
        )
        .sort(pl.col("attention").list.len() == 0, maintain_order=True)
        .select(
            *(
                "name",
                "tier",
                "attention",
                "assurance",
                "deciding_document",
                "assured_until",
                "status",
                "owner",
                "inherent",
            ),
            *("inherent_level", "residual"),
            *("residual_level", "review", "last_review_on", "next_review_on", "inherited", "inherited_evidenced"),
            *("inherited_gaps", "reused_evidence", "open_findings", "service", "category", "data_classes"),
            *("handles_phi", "region", *DOCUMENTS, "rating_unknown", "vendor_id"),
        )
    )


def worst_first(vendors: pl.DataFrame) -> pl.DataFrame:
    """The vendors in the order in which every page asks to act on them."""
    rows = vendors.to_dicts()
    return vendors[sorted(range(len(rows)), key=lambda place: urgency(rows[place]))]


def _text(of: Callable[[dict[str, Any]], str | None], *columns: str) -> pl.Expr:
    return pl.struct(*columns).map_elements(of, return_dtype=pl.String)


def _lapse_text() -> pl.Expr:
    document = pl.col("deciding_document").fill_null("assurance document")
    return (
        pl.when(pl.col("assured_until").is_not_null())
        .then(pl.format("{} counted until {}", document, "assured_until"))
        .otherwise(pl.format("{} without a known end", document))
    )


def rank_of(column: str, worst_first: tuple[str, ...]) -> pl.Expr:
    """Position in the order, unknown words in front: what is not known is treated as the worst."""
    return pl.col(column).replace_strict({word: i for i, word in enumerate(worst_first)}, default=-1)


def _count_text(number: pl.Expr, noun: str) -> pl.Expr:
    return pl.format("{} " + noun + "{}", number, pl.when(number != 1).then(pl.lit("s")).otherwise(pl.lit("")))
