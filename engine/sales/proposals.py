"""The proposal of a pilot: a function of the pilot, its lead, the price table and the day; no clock, no chance.

The same inputs give the same facts, so the hash over them names a proposal. JSON, HTML and Markdown show these facts.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import TypedDict

import msgspec

from engine.sales.history import plain
from engine.sales.parts import part_of
from engine.sales.pilots import ABOUT, DURATIONS
from engine.sales.prices import PriceTable, charges
from engine.store.types import canonical_json

TEMPLATE_VERSION = 1  # raise it when the texts or the rules below change
GOAL = "Show, with your own records, that your compliance reports can be computed, traced and repeated at any time."
INCLUDED = (
    "A workspace for your organization, with roles for owners, administrators, operators and members",
    "Import of your existing records: controls, evidence, vendors, incidents and audit events",
    "Every report of the frameworks in scope, as JSON, CSV, HTML and Markdown",
    "A tamper-evident evidence bundle that your assessor can verify without our software",
)
EXCLUDED = ("Legal advice, and the opinion or certificate of an assessor", "Changes to your own systems")
CRITERIA = (
    "The records agreed at the kickoff are imported without rejected rows",
    "Each framework in scope has a readiness report whose figures you can trace to single records",
    "An evidence bundle is sealed, and your assessor or auditor verifies it independently",
    "The weekly report takes your team less than one hour to produce and review",
)
ASSUMPTIONS = (
    "You name one person who decides, and one who can export the records",
    "Records are provided within five business days of the kickoff, free of data that the pilot does not need",
    "You remain responsible for your records; we process them on your instructions only, and delete them on request",
)
DECISION = timedelta(days=7)  # after the review
FIRST_REPORTS = timedelta(days=14)  # after the kickoff


class PilotScope(msgspec.Struct, frozen=True):
    """What a pilot is about, as far as it was agreed; the texts above stand in for the rest."""

    goal: str | None = None
    frameworks: list[str] | None = None
    weeks: int | None = None
    included: list[str] | None = None
    excluded: list[str] | None = None
    success_criteria: list[str] | None = None
    assumptions: list[str] | None = None


class PilotTerms(msgspec.Struct, frozen=True):
    """What a proposal takes from the record of its pilot."""

    name: str
    owner: str | None
    scope: Mapping[str, object] | None
    discovery_at: datetime | None
    kickoff_at: datetime | None
    review_at: datetime | None


class ProposalFramework(TypedDict):
    """A framework in scope."""

    id: str
    title: str


class ProposalStep(TypedDict):
    """A line of the timeline: a meeting with its time, a milestone without."""

    step: str
    title: str
    about: str
    on: str | None
    at: object
    minutes: int | None


class ProposalFacts(TypedDict):
    """What a proposal says, and what its hash is over."""

    template_version: int
    title: str
    as_of: str
    valid_until: str
    provider: str
    contact: str | None
    reference_id: object
    customer: dict[str, object]
    goal: str
    frameworks: list[ProposalFramework]
    weeks: int
    included: list[str]
    excluded: list[str]
    success_criteria: list[str]
    timeline: list[ProposalStep]
    price: dict[str, object]
    assumptions: list[str]
    missing: list[str]


class Proposal(ProposalFacts):
    """A proposal with its number and its state: a draft while something is missing."""

    number: str
    inputs_sha256: str
    status: str


def proposal(
    pilot: Mapping[str, object], lead: Mapping[str, object], prices: PriceTable, brand: str, as_of: date
) -> Proposal:
    """The facts of the proposal. ``missing`` says what has to be agreed before it is more than a draft."""
    terms = part_of(pilot, PilotTerms)
    scope = msgspec.convert(terms.scope or {}, PilotScope)
    frameworks = _frameworks(scope.frameworks or [])
    weeks = _weeks(terms, scope, prices)
    facts: ProposalFacts = {
        "template_version": TEMPLATE_VERSION,
        "title": terms.name,
        "as_of": as_of.isoformat(),
        "valid_until": (as_of + timedelta(days=prices.valid_days)).isoformat(),
        "provider": brand,
        "contact": terms.owner,
        "reference_id": lead["reference_id"],
        "customer": {"company": lead["company"], "name": lead["name"]},
        "goal": scope.goal or GOAL,
        "frameworks": frameworks,
        "weeks": weeks,
        "included": scope.included or list(INCLUDED),
        "excluded": scope.excluded or list(EXCLUDED),
        "success_criteria": scope.success_criteria or list(CRITERIA),
        "timeline": _timeline(terms),
        "price": _price(prices, len(frameworks), weeks),
        "assumptions": scope.assumptions or list(ASSUMPTIONS),
        "missing": _missing(terms, frameworks),
    }
    digest = sha256(canonical_json(facts).encode()).hexdigest()
    number = f"{lead['reference_id']}-{digest[:8].upper()}"
    return {"number": number, "inputs_sha256": digest, "status": "draft" if facts["missing"] else "final", **facts}


def framework_names() -> dict[str, str]:
    """The frameworks that a pilot may have in scope, with their titles."""
    from engine.catalogue import catalogue

    known = catalogue().frameworks
    return {row["framework"]: f"{row['name']}, {row['version']}" for row in known.to_dicts()}


def _frameworks(names: Sequence[str]) -> list[ProposalFramework]:
    titles = framework_names()
    return [{"id": name, "title": titles[name]} for name in names if name in titles]


def _weeks(terms: PilotTerms, scope: PilotScope, prices: PriceTable) -> int:
    """From kickoff to review where both are agreed, else as wished, else as usual."""
    if terms.kickoff_at and terms.review_at:
        days = (terms.review_at.date() - terms.kickoff_at.date()).days
        return max(1, math.ceil(days / 7))
    return scope.weeks or prices.default_weeks


def _timeline(terms: PilotTerms) -> list[ProposalStep]:
    kickoff, review = terms.kickoff_at, terms.review_at
    first_reports = kickoff + FIRST_REPORTS if kickoff else None
    if first_reports and review and first_reports >= review:
        first_reports = None  # a pilot that short has them at its review
    steps = [
        _meeting("discovery", "Discovery call", ABOUT["discovery"], terms.discovery_at),
        _meeting("kickoff", "Kickoff", ABOUT["kickoff"], kickoff),
        _milestone("first_reports", "First reports", "Records imported, figures traced together", first_reports),
        _meeting("review", "Review", ABOUT["review"], review),
        _milestone("decision", "Decision", "Continue, extend, or close", review + DECISION if review else None),
    ]
    return [step for step in steps if step["step"] != "first_reports" or first_reports or not kickoff]


def _meeting(step: str, title: str, about: str, at: datetime | None) -> ProposalStep:
    return {
        "step": step,
        "title": title,
        "about": about,
        "on": at.date().isoformat() if at else None,
        "at": plain(at),
        "minutes": int(DURATIONS[step].total_seconds() // 60),
    }


def _milestone(step: str, title: str, about: str, at: datetime | None) -> ProposalStep:
    return {
        "step": step,
        "title": title,
        "about": about,
        "on": at.date().isoformat() if at else None,
        "at": None,
        "minutes": None,
    }


def _price(prices: PriceTable, frameworks: int, weeks: int) -> dict[str, object]:
    lines = charges(prices, frameworks, weeks)
    return {
        "table_version": prices.version,
        "currency": prices.currency,
        "lines": [
            {
                "title": line.title,
                "per": line.per,
                "quantity": line.quantity,
                "unit_cents": line.unit_cents,
                "cents": line.cents,
            }
            for line in lines
        ],
        "total_cents": sum(line.cents for line in lines),
        "tax_note": prices.tax_note,
        "payment_note": prices.payment_note,
    }


def _missing(terms: PilotTerms, frameworks: list[ProposalFramework]) -> list[str]:
    wanted = {
        "the frameworks in scope": frameworks,
        "the date of the kickoff": terms.kickoff_at,
        "the date of the review": terms.review_at,
    }
    return [what for what, value in wanted.items() if not value]
