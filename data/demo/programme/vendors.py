"""Third parties: when they were taken on and reviewed, and the documents that they gave."""

from datetime import date
from random import Random
from typing import Any

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.cast.vendor_names import NAMES
from data.demo.frames import json_text
from data.demo.history.story import Row, Story

LAPSED_REPORT = "VEN-tarnfield-cloud"
# in force, but nobody has looked at the vendor for more than its year; and the other way round
REVIEW_OVERDUE, WITHOUT_DOCUMENT = "VEN-thistlewick-backup", "VEN-greywater-networks"
REVIEWED = {REVIEW_OVERDUE: 365 + 41, WITHOUT_DOCUMENT: 34}  # days ago
RAISED, RAISED_AGO = 3, 170  # this one became critical when more came to depend on it
MONTHS = {"critical": 365, "high": 365, "medium": 730, "low": 1095}
YEARS = 700  # what is good for less is given anew each time
ASSURED = ("cloud", "infrastructure", "data-centre", "saas", "security", "payments", "development")


def fill(story: Story) -> None:
    rng, profile = story.rng("vendors"), story.profile
    for position, (name, category, service) in enumerate(NAMES[: profile.vendors]):
        tier = "critical" if position < 5 else rng.choices(("critical", "high", "medium", "low"), (2, 22, 44, 32))[0]
        _documents(story, _vendor(story, rng, position, name, category, service, tier), rng)


def identifier(name: str) -> str:
    return "VEN-" + name.lower().replace(" & ", "-").replace(" ", "-")


def _vendor(story: Story, rng: Random, position: int, name: str, category: str, service: str, tier: str) -> Row:
    profile = story.profile
    vendor_id = identifier(name)
    health = profile.org == "aurora"
    customer = category in ("cloud", "saas", "payments", "data-centre") and tier != "low"
    likelihood, impact = rng.randint(2, 4), {"critical": 5, "high": 4, "medium": 3, "low": 2}[tier]
    cadence = MONTHS[tier]
    # most are reviewed in time, some late, a few never
    draw = rng.random()
    reviewed = rng.randint(10, cadence - 20) if draw < profile.care else cadence + rng.randint(5, 90)
    never = position > 6 and draw > 0.95
    if 20 <= position < 24:
        tier, cadence, never = "medium", MONTHS["medium"], False
        reviewed = cadence - (story.peak_monday - story.today).days - (position - 20)
    if vendor_id in REVIEWED:
        tier, cadence, never, reviewed = "high", MONTHS["high"], False, REVIEWED[vendor_id]
    onboarded = rng.randint(reviewed, reviewed + 900) + 5
    owner = (
        people.lead(story, "governance")
        if 20 <= position < 24
        else people.leaver(story)
        if position == 9
        else people.lead(story, "vendor")
        if rng.random() < 0.6
        else rng.choice(people.active(story))
    )
    unknown = position in (17, 21)
    row = story.add(
        "vendors",
        since=story.day(onboarded),
        id=vendor_id,
        name=name,
        service=service,
        owner=owner,
        category=category,
        tier=tier,
        data_classes={"aurora": "health records", "brightline": "card data"}.get(profile.org, "customer content")
        if customer
        else None,
        stores_customer_data=customer,
        privileged_access=category in ("cloud", "infrastructure", "security"),
        outage_stops_service=tier == "critical",
        likelihood=None if unknown else likelihood,
        impact=None if unknown else impact,
        residual_likelihood=None if unknown else max(1, likelihood - 1),
        residual_impact=None if unknown else max(1, impact - (1 if tier != "critical" else 0)),
        status="not_assessed",
        region=rng.choice((profile.region, profile.region, profile.region, "ap-south")),
        handles_phi=health and customer,
        onboarded_on=story.day(onboarded),
    )
    if position == RAISED:
        row["tier"] = "high"
        story.amend(row, story.day(RAISED_AGO), tier=tier)
    reviews = [] if never else _reviews(rng, reviewed, onboarded, cadence)
    for ago in reviews:
        story.amend(
            row,
            story.day(ago),
            last_review_on=story.day(ago),
            next_review_on=story.day(ago - cadence),
            status="assessed",
        )
        if ago == reviews[-1]:
            story.amend(row, story.day(ago - cadence - 1), status="expired")
    if position == 12:
        story.amend(row, story.day(9), status="in_progress")
    if position == profile.vendors - 1:
        story.amend(row, story.day(40), offboarded_on=story.day(40))
    actor = owner if owner in people.active(story) else people.lead(story, "vendor")
    seen = [("vendor.review.completed", ago) for ago in reversed(reviews)]
    seen += [
        (action, onboarded) for action in ("vendor.due_diligence.completed", "vendor.created", "vendor.contract.signed")
    ]
    seen += [("vendor.contract.signed", onboarded - 730), ("vendor.contract.signed", onboarded - 365)]
    if "offboarded_on" in row:
        seen.append(("vendor.offboarded", 40))
    if position == 1:
        seen += [("vendor.created", 31), ("vendor.due_diligence.completed", 33)]
    for number, (action, ago) in enumerate(seen):
        if 0 < ago <= HISTORY_DAYS:
            story.event(
                f"AE-{vendor_id}-{number}",
                story.office(ago, rng),
                actor,
                action,
                "vendor",
                vendor_id,
                details=json_text({"tier": tier}),
            )
    return row


def _reviews(rng: Random, last: int, onboarded: int, cadence: int) -> list[int]:
    """Days ago of the reviews since the vendor was taken on, the first one first."""
    ages = [last]
    while (before := ages[-1] + cadence + rng.randint(-25, 12)) < onboarded:
        ages.append(before)
    return ages[::-1]


def _documents(story: Story, vendor: Row, rng: Random) -> None:
    care, vendor_id, tier = story.profile.care, vendor["id"], vendor["tier"]
    onboarded: date = vendor["onboarded_on"]

    def received_on(ago: int) -> date:
        return max(story.day(ago), onboarded)

    def document(kind: str, ended: int, days: int, **more: Any) -> None:
        story.add(
            "vendor_documents",
            since=received_on(max(0, ended - 35)),
            id=story.number("VDOC"),
            vendor_id=vendor_id,
            kind=kind,
            issued_on=story.day(max(0, ended - 35)),
            period_start_on=story.day(ended + 364),
            period_end_on=story.day(ended),
            expires_on=story.day(ended - days),
            location=f"vault://vendors/{vendor_id}/{kind}",
            **{"in_scope": True, "cuecs_mapped": rng.random() < care, "flows_down": True} | more,
        )

    def agreement(kind: str, ago: int, days: int) -> None:
        """The document in hand and, where it lapses, the ones that it replaced."""
        issued = [ago]
        while days < YEARS and issued[-1] < HISTORY_DAYS:
            issued.append(issued[-1] + days + rng.randint(-20, 15))
        for on in issued:
            story.add(
                "vendor_documents",
                since=received_on(on),
                id=story.number("VDOC"),
                vendor_id=vendor_id,
                kind=kind,
                issued_on=story.day(on),
                expires_on=story.day(on - days),
                in_scope=True,
                flows_down=rng.random() < care,
                location=f"vault://vendors/{vendor_id}/{kind}",
            )

    def bridge(ago: int, days: int) -> None:
        story.add(
            "vendor_documents",
            since=received_on(ago),
            id=story.number("VDOC"),
            vendor_id=vendor_id,
            kind="bridge_letter",
            issued_on=story.day(ago),
            expires_on=story.day(ago - days),
            in_scope=True,
        )

    weighty = tier in ("critical", "high")
    if vendor_id == LAPSED_REPORT:
        document("soc2_type2", 365 + 61, 365, opinion="unqualified", cuecs_mapped=True)
        document("soc2_type2", 2 * 365 + 61, 365, opinion="unqualified", cuecs_mapped=True)
    elif vendor_id == REVIEW_OVERDUE:
        document("soc2_type2", 120, 365, opinion="unqualified", cuecs_mapped=True)
        document("soc2_type2", 120 + 365, 365, opinion="unqualified", cuecs_mapped=True)
    elif vendor_id == WITHOUT_DOCUMENT:
        agreement("dpa", 300, 1460)
        return
    elif vendor["category"] in ASSURED and (weighty or rng.random() < 0.45) and rng.random() < care + 0.08:
        ended = rng.randint(40, 345) if rng.random() < care else rng.randint(375, 520)
        opinion = "qualified" if rng.random() < 0.06 else "unqualified"
        document(
            "soc2_type2", ended, 365, opinion=opinion, cuecs_mapped=rng.random() < care, in_scope=rng.random() < 0.95
        )
        if 365 < ended < 430 and rng.random() < 0.5:
            bridge(ended - 366, 90)
        # the report of the year before, and what bridged the weeks until this one was written
        document("soc2_type2", ended + 365, 365, opinion="unqualified", cuecs_mapped=rng.random() < care)
        if rng.random() < care:
            bridge(ended, 40)
    if vendor["category"] in ASSURED and rng.random() < (0.75 if weighty else 0.35) * care:
        agreement("iso27001_certificate", rng.randint(30, 1000), 1095)
    if weighty and rng.random() < care:
        agreement("pen_test", rng.randint(20, 420), 365)
    if vendor["stores_customer_data"]:
        agreement("dpa", rng.randint(100, 900), 1460)
        if vendor["handles_phi"] and rng.random() < 0.93:
            agreement("baa", rng.randint(100, 900), 1460)
    if vendor["category"] == "payments":
        agreement("pci_aoc", rng.randint(30, 300), 365)
    if vendor["category"] in ("people", "consulting", "development"):
        for kind in ("screening", "nda", "training"):
            if rng.random() < care:
                agreement(kind, rng.randint(30, 420), 730 if kind != "training" else 365)
    if rng.random() < care:
        agreement("questionnaire", rng.randint(20, 500), 365)
