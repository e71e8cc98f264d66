"""Adding a vendor: its tier from three answers, the controls that it inherits, its first review."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypedDict, cast

from engine.model.errors import BadRequest, Conflict
from engine.model.vocabulary import VENDOR_TIERS, VendorTier
from engine.store import Revision
from engine.store.queries.accounts.settings import threshold
from engine.store.queries.operations.vendors import frameworks_in_scope, names
from engine.store.queries.own_frameworks import own_inheritance
from engine.store.schema.risk import vendors

TIER_RULE = 1  # raise it when the rule of ``tier_of`` changes
QUESTIONS: Mapping[str, str] = {
    "stores_customer_data": "it stores customer data",
    "privileged_access": "it has privileged access",
    "outage_stops_service": "its outage stops our service",
}
HEALTH = ("health", "phi", "patient")


class InheritedControl(TypedDict):
    """A control that a vendor carries, why, and what has to be seen of it."""

    framework: str
    control_id: str
    title: str
    reason: str
    expected_evidence: str
    model: str
    customer_side: str
    rule_version: int


@dataclass(frozen=True)
class NewVendor:
    """What is told of a vendor. ``answers`` are to ``QUESTIONS``, None where it is not known."""

    name: str
    category: str
    answers: Mapping[str, bool | None]
    tier: VendorTier | None = None
    service: str | None = None
    owner: str | None = None
    data_classes: tuple[str, ...] = ()
    handles_phi: bool | None = None
    likelihood: int | None = None
    impact: int | None = None
    region: str | None = None
    onboarded_on: date | None = None
    next_review_on: date | None = None


def categories() -> list[str]:
    """The categories that the inheritance rules know."""
    from engine.catalogue import catalogue

    return catalogue().vendor_inheritance["category"].unique().sort().to_list()


def tier_of(vendor: NewVendor) -> tuple[VendorTier, list[str]]:
    """The tier and why. Two answers of yes make a vendor critical, one makes it high; unknown counts as yes.

    Health data makes it high at least, any other data medium. A tier that is given may raise the derived one, and
    stands alone where no question was answered. BadRequest when there is neither.
    """
    answered = any(answer is not None for answer in vendor.answers.values())
    if not answered and vendor.tier is None:
        raise BadRequest(
            f"Send a tier ({', '.join(VENDOR_TIERS)}), or answer at least one of {', '.join(QUESTIONS)}.",
            word="invalid_body",
            details=[{"field": "tier", "expected": "a tier, or an answer to derive it from"}],
        )
    reasons = []
    for question, words in QUESTIONS.items():
        answer = vendor.answers.get(question)
        if answer or (answer is None and vendor.tier is None):
            reasons.append(words if answer else f"not known whether {words}, which counts as yes")
    tier: VendorTier = (
        "critical" if len(reasons) > 1 else "high" if reasons else "medium" if vendor.data_classes else "low"
    )
    if handles_phi(vendor) and tier in ("medium", "low"):
        tier = "high"
        reasons.append("it handles health data")
    if tier == "medium":
        reasons.append(f"it handles {', '.join(vendor.data_classes)}")
    if vendor.tier is not None and VENDOR_TIERS.index(vendor.tier) <= VENDOR_TIERS.index(tier):
        return vendor.tier, [*reasons, "as given"]
    if vendor.tier is not None:
        reasons.append(f"which is higher than {vendor.tier}, as given")
    return tier, reasons or ["nothing that would harm us"]


def handles_phi(vendor: NewVendor) -> bool | None:
    """As told; else by the classes of data."""
    if vendor.handles_phi is not None:
        return vendor.handles_phi
    told = any(word in kind.casefold() for kind in vendor.data_classes for word in HEALTH)
    return True if told else None


def inherited_by(
    row: Mapping[str, object], frameworks: list[str], own: Sequence[Mapping[str, object]] = ()
) -> list[InheritedControl]:
    """The controls of these frameworks that a vendor carries by its tier and category; ``own``: rules of one's own."""
    import polars as pl

    from engine.catalogue import catalogue
    from engine.facts.assurance.inheritance import inherits

    names = ("tier", "category", "handles_phi", "data_classes")
    types = {"org_id": pl.String, "vendor_id": pl.String, **dict.fromkeys(names, pl.String), "handles_phi": pl.Boolean}
    frame = pl.DataFrame([{"org_id": "", "vendor_id": "", **{name: row[name] for name in names}}], schema=types)
    titles = catalogue().controls.select("framework", "control_id", "title", "position")
    theirs = pl.DataFrame([{**rule, "org_id": ""} for rule in own], infer_schema_length=None)
    rules = None
    if own:
        titles = pl.concat([titles, theirs.select(titles.columns).unique()], how="vertical_relaxed")
        rules = theirs.drop("title", "position")
    text = inherits(frame, rules).filter(pl.col("framework").is_in(frameworks))
    text = text.join(titles, on=["framework", "control_id"])
    rows = text.sort("framework", "position").select(*InheritedControl.__annotations__).to_dicts()
    return cast("list[InheritedControl]", rows)


def create(revision: Revision, vendor: NewVendor, today: date) -> dict[str, object]:
    """Register a vendor and return it with everything that was derived; Conflict when it is registered already."""
    identifier = _free_id(revision, vendor.name)
    tier, reasons = tier_of(vendor)
    months = int(threshold(revision.connection, revision.org_id, f"vendor_review_{tier}_months"))
    first = int(threshold(revision.connection, revision.org_id, "vendor_first_review_days"))
    row: dict[str, object] = {
        "id": identifier,
        "name": vendor.name,
        "service": vendor.service,
        "owner": vendor.owner or revision.actor,
        "category": vendor.category,
        "tier": tier,
        "data_classes": "; ".join(vendor.data_classes) or None,
        **{question: vendor.answers.get(question) for question in QUESTIONS},
        "likelihood": vendor.likelihood,
        "impact": vendor.impact,
        "status": "not_assessed",
        "region": vendor.region,
        "handles_phi": handles_phi(vendor),
        "onboarded_on": vendor.onboarded_on or today,
        "next_review_on": vendor.next_review_on or today + timedelta(days=first),
    }
    followed = frameworks_in_scope(revision.connection, revision.org_id)
    inherited = inherited_by(row, followed, own_inheritance(revision.connection, revision.org_id))
    revision.insert(vendors, [row])
    versions = sorted({str(control["rule_version"]) for control in inherited})
    told = {
        "category": vendor.category,
        "tier": tier,
        "tier_rule": TIER_RULE,
        "tier_given": vendor.tier,
        "answers": dict(vendor.answers),
        "inherited_controls": len(inherited),
        "inheritance_rules": versions,
    }
    revision.record("vendor.created", object_type="vendor", object_id=identifier, details=told)
    return {
        "vendor": row,
        "derived": {
            "tier": tier,
            "tier_reasons": reasons,
            "tier_rule": TIER_RULE,
            "review_every_months": months,
            "first_review_on": row["next_review_on"],
            "documents_to_ask_for": sorted({control["expected_evidence"] for control in inherited}),
            "inherited_controls": len(inherited),
        },
        "inherited": inherited,
        "note": "Inherited never means done: ask for the documents, and keep our side of each control working. "
        "Until its first review the vendor counts as not assessed, which is not low.",
    }


def _free_id(revision: Revision, name: str) -> str:
    """An identifier made from the name, as an import would make it, so that neither registers a vendor twice."""
    from engine.intake.imports.rows import ID_LENGTH
    from engine.intake.imports.values.names import slug

    identifier = slug(name)[:ID_LENGTH]
    known = names(revision.connection, revision.org_id)
    same = [key for key, other in known.items() if key == identifier or other.casefold() == name.casefold()]
    if same:
        raise Conflict(
            f"The vendor {known[same[0]]!r} is in the register already, as {same[0]!r}; nothing was changed.",
            word="vendor_exists",
            details=[{"field": "name", "id": same[0], "name": known[same[0]]}],
        )
    return identifier
