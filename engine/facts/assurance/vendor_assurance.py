"""Which document decides what the assurance of a vendor is, and which one in force cannot."""

import polars as pl

_VENDOR = ["org_id", "vendor_id"]
# documents that can assure a vendor of a category as a whole
_ASSURING = {
    "people": ("screening", "nda"),
    "consulting": ("screening", "nda"),
    "development": ("screening", "nda", "soc2_type2", "iso27001_certificate"),
}
_ASSURING_DEFAULT = ("soc2_type2", "iso27001_certificate", "pci_aoc")


def assurance(vendors: pl.DataFrame, documents: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Documents that can assure a vendor of this category, until when the best of them is good, and which that is.

    ``assured_until`` is null where one of them has no end, or where nobody knows the end of any. A qualified opinion
    assures only where an assessment of the qualification is recorded: what it means for us, by whom, on which day;
    a SOC 2 report of which nobody recorded the opinion is taken for a qualified one. ``unfit_kind`` is a document in
    force that would assure, were it not for ``unfit``: what we use is not covered, or its opinion stands in the way.
    """
    kinds = pl.col("category").replace_strict(
        _ASSURING, default=list(_ASSURING_DEFAULT), return_dtype=pl.List(pl.String)
    )
    hindered = pl.col("opinion").is_in(["adverse", "disclaimer"]).fill_null(False) | (
        (pl.col("opinion") == "qualified").fill_null(False) | lacks_opinion()
    ) & ~pl.col("judged")
    wanted = (
        documents.join(vendors.select("org_id", "category", vendor_id="id"), on=_VENDOR)
        .filter(kinds.list.contains(pl.col("kind")))
        .join(asked.select("org_id", today="as_of"), on="org_id")
        .with_columns(
            endless=pl.col("valid_until").is_null() & ~pl.col("undated"),
            unfit=pl.when(~pl.col("in_scope"))
            .then(pl.lit("wrong_scope"))
            .when(hindered)
            .then(pl.lit("qualified_opinion")),
        )
        .sort("endless", "valid_until", "dated", "id", nulls_last=False)
    )
    fit = pl.col("unfit").is_null()
    in_force = ~fit & (pl.col("endless") | (pl.col("valid_until") >= pl.col("today")).fill_null(False))
    return (
        wanted.group_by(_VENDOR, maintain_order=True)
        .agg(
            assuring=pl.when(fit.any()).then(fit.sum()),
            assured_until=pl.col("valid_until").filter(fit).max(),
            endless=(pl.col("endless") & fit).any(),
            **_last(fit, assured_by="kind", assured_dated_on="dated"),
            **_last(in_force, unfit_kind="kind", unfit_until="valid_until", unfit="unfit"),
        )
        .with_columns(assured_until=pl.when(~pl.col("endless")).then("assured_until"))
    )


def _last(which: pl.Expr, **names: str) -> dict[str, pl.Expr]:
    return {name: pl.col(column).filter(which).last() for name, column in names.items()}


def lacks_opinion() -> pl.Expr:
    """Whether nobody recorded what the auditor of a SOC 2 report came to: it may be a qualified one."""
    return pl.col("kind").is_in(["soc2_type1", "soc2_type2"]) & pl.col("opinion").is_null()
