"""What vendors answer for by their tier and category: rules of the program, and of frameworks of one's own."""

import polars as pl

from engine.catalogue import catalogue

_VENDOR = ["org_id", "vendor_id"]


def inherits(vendors: pl.DataFrame, own: pl.DataFrame | None = None) -> pl.DataFrame:
    """The rules that apply to each vendor by its tier and category, one for each control; ``own`` are one's own.

    A rule with ``vendor_data`` concerns vendors of health data, or those that handle or can affect card data.
    """
    cards = pl.col("category").eq("payments") | pl.col("data_classes").fill_null("").str.contains("(?i)card")
    data = pl.col("vendor_data").fill_null("")
    return (
        _rules_of_vendors(vendors, own)
        .filter(
            (pl.col("rule_tier") == "*") | (pl.col("rule_tier") == pl.col("tier")),
            (data != "health") | pl.col("handles_phi").fill_null(False),
            (data != "cards") | cards,
        )
        .sort(*_VENDOR, "framework", "control_id", "rule_tier")
        .unique([*_VENDOR, "framework", "control_id"], keep="last", maintain_order=True)
    )


def _rules_of_vendors(vendors: pl.DataFrame, own: pl.DataFrame | None) -> pl.DataFrame:
    """Vendors with the rules of their category, of the program and one's own; ``rule_tier`` is the rule's."""
    rules = vendors.join(catalogue().vendor_inheritance.rename({"tier": "rule_tier"}), on="category")
    if own is None or own.is_empty():
        return rules
    theirs = vendors.join(own.rename({"tier": "rule_tier"}), on=["org_id", "category"])
    return pl.concat([rules, theirs.select(rules.columns)])
