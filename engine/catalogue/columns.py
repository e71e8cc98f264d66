"""The columns of every file of the catalogue: what is in a cell, and which cells may be empty."""

from dataclasses import dataclass

import polars as pl

from engine.model.vocabulary import FRAMEWORKS, VENDOR_DATA, VENDOR_TIERS

CADENCES = ("continuous", "daily", "weekly", "monthly", "quarterly", "semi-annual", "annual")
EVIDENCE_KINDS = ("operation", "policy", "test", "attestation")
EVIDENCE_ACTIONS = ("operation", "incident", "test", "policy")
"""Kinds of actions that are evidence; the others are bookkeeping."""
RELATIONS = ("equal", "superset", "subset", "intersects")
ANY_TIER = "*"
VENDOR_EVIDENCE = (
    "soc2_type2",
    "iso27001_certificate",
    "baa",
    "dpa",
    "pen_test",
    "bridge_letter",
    "pci_aoc",
    "screening",
    "nda",
    "training",
)
WORD, WORDS = pl.String(), pl.List(pl.String())


@dataclass(frozen=True)
class CatalogueColumn:
    """How one column of a file is read: empty cells only where ``optional``; ``WORDS`` are joined by ``;``."""

    dtype: pl.DataType = WORD
    allowed: tuple[str, ...] = ()
    optional: bool = False
    between: tuple[float, float] | None = None


TEXT, OPTIONAL, FLAG = CatalogueColumn(), CatalogueColumn(optional=True), CatalogueColumn(pl.Boolean())
COUNT = CatalogueColumn(pl.Int64(), between=(0, 1_000_000))
WEIGHT = CatalogueColumn(pl.Int64(), optional=True, between=(1, 5))
FRAMEWORK = CatalogueColumn(allowed=FRAMEWORKS)


def one_of(*allowed: str, optional: bool = False) -> CatalogueColumn:
    return CatalogueColumn(allowed=allowed, optional=optional)


def texts(names: str) -> dict[str, CatalogueColumn]:
    return dict.fromkeys(names.split(), TEXT)


CONTROL: dict[str, CatalogueColumn] = {
    "control_id": TEXT,
    "parent_id": OPTIONAL,
    **texts("group_id group_title title"),
    "assessable": FLAG,
    "weight": WEIGHT,
    "cadence": one_of(*CADENCES, optional=True),
    "evidence_kinds": CatalogueColumn(WORDS, allowed=EVIDENCE_KINDS, optional=True),
}
OWN: dict[str, dict[str, CatalogueColumn]] = {
    "soc2": {
        "trust_services_category": TEXT,
        "coso_principle": CatalogueColumn(pl.Int64(), optional=True, between=(1, 17)),
    },
    "iso27001": {
        "part": one_of("clause", "annex_a"),
        "theme": one_of("Organizational", "People", "Physical", "Technological", optional=True),
        "new_in_2022": FLAG,
    },
    "pci-dss": {
        "level": one_of("principal", "section", "requirement"),
        "service_provider_only": FLAG,
        "future_dated": one_of("no", "whole", "bullet", "partial"),
        "note": OPTIONAL,
    },
    "hipaa": {
        "safeguard": one_of("administrative", "physical", "technical", "organizational", "documentation"),
        "level": one_of("standard", "specification", "paragraph"),
        "standard": TEXT,
        "required_or_addressable": one_of("required", "addressable"),
    },
    "nist-csf": texts("function_id function category_id category_name"),
    "cis-v8": {**texts("asset_type security_function"), **dict.fromkeys(("ig1", "ig2", "ig3"), FLAG)},
    "cmmc-l2": {
        **texts("domain domain_name nist_800_171_id"),
        "requirement_type": one_of("basic", "derived"),
        "sprs_points": WEIGHT,
        "sprs_points_partial": WEIGHT,
        "poam_eligible": one_of("yes", "no", "conditional"),
        "level_1": FLAG,
    },
    "gdpr-art32": {"article": COUNT, "measure_type": one_of("technical", "organisational", "both", optional=True)},
}
FRAMEWORK_LIST = {
    "framework": FRAMEWORK,
    **texts("name version authority report"),
    "assessable_count": COUNT,
    "in_words": TEXT,
}
CROSSWALK = {
    "source_framework": FRAMEWORK,
    "source_id": TEXT,
    "target_framework": FRAMEWORK,
    "target_id": TEXT,
    "relation": one_of(*RELATIONS),
    "strength": CatalogueColumn(pl.Float64(), between=(0, 1)),
    **texts("rationale basis"),
    "source_count": COUNT,
    "reviewer": OPTIONAL,
    "reviewed_on": CatalogueColumn(pl.Date(), optional=True),
}
PAIRED_WITH = "nist-800-53"
"""The catalogue of controls that the program has pairs to, and no framework of its own: its identifiers are public."""
NIST_PAIRS = CROSSWALK | {"target_framework": one_of(PAIRED_WITH)}
UNMAPPED = {"framework": FRAMEWORK, "control_id": TEXT, "against": FRAMEWORK, "reason": TEXT}
ACTIONS = {
    **texts("action title"),
    "kind": one_of(*EVIDENCE_ACTIONS, "admin"),
    "effect": one_of("supports", "records", "contradicts", "neutral"),
    "family": TEXT,
    "controls_from": one_of("map", "event", "none"),
    "reason": TEXT,
}
ACTION_CONTROLS = {"action": TEXT, "framework": FRAMEWORK, "control_id": TEXT}
VENDOR_INHERITANCE = {
    "rule_version": TEXT,
    "tier": one_of(ANY_TIER, *VENDOR_TIERS),
    "category": TEXT,
    "framework": FRAMEWORK,
    **texts("control_id reason"),
    "expected_evidence": one_of(*VENDOR_EVIDENCE),
    "model": one_of("carve-out", "inclusive"),
    "customer_side": TEXT,
    "vendor_data": one_of(*VENDOR_DATA, optional=True),
}
RUNBOOKS = {
    **texts("runbook title"),
    "playbook": OPTIONAL,
    "effort_hours": CatalogueColumn(pl.Float64(), between=(0.25, 1000)),
    "steps": CatalogueColumn(WORDS),
}
RUNBOOK_CONTROLS = {"runbook": TEXT, "framework": FRAMEWORK, "control_pattern": TEXT}
