"""Figures of the CIS Controls report."""

import polars as pl

from engine.model.figures.aggregates import Count, First, Share, WeightedMean
from engine.model.figures.figure import Figure
from reports.frameworks.cis.cis_safeguards import GROUPS, IN_PLACE, group_reached, safeguards

APPLICABLE = pl.col("applicable")
DECLARED = {
    "policy_pct": ("cis_policy_defined_pct", "policy defined"),
    "implemented_pct": ("cis_implemented_pct", "implemented"),
    "automated_pct": ("cis_automated_pct", "automated"),
    "reported_pct": ("cis_reported_pct", "reported"),
}


def _declared_value(measure: str) -> pl.Expr:
    """What is declared of each safeguard, silence counting as 0; nothing where nothing is declared of any."""
    return pl.when(pl.col(measure).is_not_null().any()).then(pl.col(measure).fill_null(0))


FIGURES = (
    Figure(
        "cis_group_reached",
        "CIS implementation group reached",
        "word",
        "neither",
        "The highest implementation group of which every applicable safeguard, those of the groups below it "
        "included, is in place; none while IG1 is not complete.",
        group_reached,
        First("title"),
        reason="{in_place} of {applicable} safeguards in place",
    ),
    *(
        Figure(
            f"cis_ig{group}_in_place_pct",
            f"CIS safeguards of IG{group} in place",
            "percent",
            "more",
            f"Safeguards in place as a share of the applicable ones up to and including IG{group}.",
            safeguards,
            Share(IN_PLACE),
            APPLICABLE & (pl.col("ig") <= group),
            "IG{ig}, {state}",
        )
        for group in GROUPS
    ),
    Figure(
        "cis_safeguards",
        "CIS safeguards",
        "count",
        "neither",
        "Safeguards of CIS Controls v8.1, applicable or not.",
        safeguards,
        Count(),
        reason="IG{ig}, {state}",
    ),
    Figure(
        "cis_applicable",
        "CIS safeguards applicable",
        "count",
        "neither",
        "Safeguards of CIS Controls v8.1 that are not excluded.",
        safeguards,
        Count(),
        APPLICABLE,
        "IG{ig}, {state}",
    ),
    Figure(
        "cis_in_place",
        "CIS safeguards in place",
        "count",
        "more",
        "Safeguards with evidence of every mandatory kind in its window and nothing against them; what is declared "
        "but not shown is not in place.",
        safeguards,
        Count(),
        IN_PLACE,
        "IG{ig}, {state}",
    ),
    Figure(
        "cis_self_assessed",
        "CIS safeguards self-assessed",
        "count",
        "more",
        "Applicable safeguards for which at least one of policy, implementation, automation and reporting is declared.",
        safeguards,
        Count(),
        APPLICABLE & pl.any_horizontal(pl.col(*DECLARED).is_not_null()),
    ),
    *(
        Figure(
            name,
            f"CIS safeguards {word}, declared",
            "percent",
            "more",
            f"Mean of what is declared as {word} of the applicable safeguards, silence counting as 0; unknown where "
            "nothing is declared of any. It is self-assessed and decides nothing.",
            safeguards,
            WeightedMean(_declared_value(measure)),
            APPLICABLE,
            "declared {" + measure + "}",
        )
        for measure, (name, word) in DECLARED.items()
    ),
)
