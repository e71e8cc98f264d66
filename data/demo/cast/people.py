"""The organization itself, its people, workspaces and settings."""

from collections.abc import Mapping
from dataclasses import dataclass

from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history.story import Story


@dataclass(frozen=True)
class Person:
    """``domains`` are the kinds of control that the person answers for; ``left`` days since the person left."""

    first: str
    last: str
    title: str
    domains: tuple[str, ...]
    role: str = "member"
    hours: float = 8
    left: int | None = None


STAFF: Mapping[str, tuple[Person, ...]] = {
    "aurora": (
        Person("Priya", "Raman", "Director of Compliance", ("governance", "policy"), "admin", 14),
        Person("Daniel", "Osei", "Chief Information Security Officer", ("risk", "monitoring"), "admin", 10),
        Person("Marta", "Lindqvist", "Head of Infrastructure", ("network", "backup"), "operator", 10),
        Person("Tomas", "Rivera", "Application Security Lead", ("development", "vulnerability"), "operator", 10),
        Person("Hannah", "Weiss", "Privacy Officer", ("privacy", "data"), "member", 12),
        Person("Kenji", "Watanabe", "Site Reliability Lead", ("incident", "continuity"), "operator", 10),
        Person("Amara", "Nwosu", "IT Operations Manager", ("access", "asset"), "operator", 12),
        Person("Louis", "Ferrand", "Compliance Analyst", ("governance", "data"), "member", 18),
        Person("Sofia", "Marchetti", "Head of People", ("people", "physical"), "member", 8),
        Person("Peter", "Novak", "Vendor Manager", ("vendor",), "member", 12),
        Person("Ingrid", "Solberg", "VP Engineering", ("development", "configuration"), "admin", 8),
        Person("Rashid", "Karim", "Data Platform Lead", ("cryptography", "backup"), "operator", 8),
        Person("Chloe", "Bennett", "Internal Auditor", ("audit",), "member", 14),
        Person("Greg", "Halloran", "Security Operations Manager", ("monitoring", "malware"), "operator", 10, 47),
    ),
    "brightline": (
        Person("Aoife", "Brennan", "Head of Risk and Compliance", ("governance", "policy", "risk"), "admin", 14),
        Person("Matteo", "Conti", "Security Director", ("monitoring", "network", "malware"), "admin", 10),
        Person("Yusuf", "Demir", "Payments Platform Lead", ("development", "configuration"), "operator", 10),
        Person("Clara", "Hoffmann", "Data Protection Officer", ("privacy", "data"), "member", 10),
        Person("Ruben", "Castellano", "Operations Lead", ("incident", "continuity", "backup"), "operator", 12),
        Person("Niamh", "Doyle", "Identity Engineer", ("access", "asset"), "operator", 12),
        Person("Elena", "Petrova", "Cryptography Engineer", ("cryptography", "vulnerability"), "operator", 12),
        Person("Oskar", "Lund", "People Partner", ("people", "physical"), "member", 10),
        Person("Fatima", "Haddad", "Third-party Risk Analyst", ("vendor", "audit"), "member", 14),
        Person("Colm", "Keating", "Compliance Analyst", ("governance",), "member", 14, 80),
    ),
    "cobalt": (
        Person("Wade", "Thornton", "Chief Technology Officer", ("governance", "risk", "development"), "admin", 6),
        Person("Lena", "Fischer", "Security Engineer", ("monitoring", "malware", "vulnerability"), "operator", 8),
        Person("Marcus", "Bell", "Network Lead", ("network", "configuration"), "operator", 8),
        Person("Dina", "Abrams", "Compliance Manager", ("policy", "audit", "vendor", "data"), "admin", 12),
        Person("Jorge", "Salinas", "Data Centre Manager", ("physical", "continuity", "backup"), "operator", 8),
        Person("Tess", "McAllister", "Support Lead", ("incident", "access"), "operator", 8),
        Person("Anil", "Kapoor", "Platform Engineer", ("asset", "cryptography"), "operator", 8),
        Person("Ruth", "Engel", "Office and People Manager", ("people", "privacy"), "member", 8),
        Person("Victor", "Strand", "Systems Administrator", ("access",), "operator", 6, 95),
    ),
}

DESK = (
    ("owner", "Managing Director"),
    ("admin", "Console Administrator"),
    ("operator", "Duty Operator"),
    ("member", "Team Member"),
)
HEADCOUNT = ((HISTORY_DAYS, 0.86), (310, 0.9), (215, 0.94), (125, 0.98), (34, 1.0))  # days ago, share of today's
AGREED_AGO = 75  # when the audit of the first pack was agreed, and its target moved
WORKSPACES = {
    "aurora": ("Clinical Cloud", "Claims", "Corporate IT"),
    "brightline": ("Payments Core", "Merchant Portal"),
    "cobalt": ("Hosting", "Control Plane"),
}


def email(story: Story, person: Person) -> str:
    return f"{person.first}.{person.last}@{story.profile.org}.example".lower()


def staff(story: Story) -> tuple[Person, ...]:
    return STAFF[story.profile.org]


def active(story: Story) -> list[str]:
    """The addresses of the named staff who are still there."""
    return [email(story, person) for person in staff(story) if person.left is None]


def lead(story: Story, domain: str) -> str:
    """Who answers for a domain; the first of the staff where nobody does."""
    there = [person for person in staff(story) if person.left is None]
    return email(story, next((person for person in there if domain in person.domains), there[0]))


def leaver(story: Story) -> str:
    """The person who left and is still named on records."""
    return next(email(story, person) for person in staff(story) if person.left is not None)


def workspaces(story: Story) -> list[str]:
    return [f"ws-{name.lower().replace(' ', '-')}" for name in WORKSPACES[story.profile.org]]


def fill(story: Story) -> None:
    profile = story.profile
    rng = story.rng("people")
    organization = story.add(
        "organizations",
        id=profile.org,
        name=profile.name,
        time_zone=profile.time_zone,
        sector=profile.sector,
        headcount=round(profile.headcount * HEADCOUNT[0][1]),
        deployment_tier=profile.tier,
        plan=profile.plan,
        data_region=profile.region,
        boundary="the vendor operates the console, the organization its own systems",
        key_custody="organization" if profile.tier == "dedicated" else "vendor",
        auth_mode="single sign-on",
        modules=["automation", "compliance", "incidents", "slo", "vendors"],
        created_at=story.at(HISTORY_DAYS + 25, 600),
    )
    for ago, share in HEADCOUNT:
        story.amend(organization, story.day(ago), headcount=round(profile.headcount * share))
    for name, value in profile.settings.items():
        story.add("organization_settings", name=name, value=value)
    packs = [*profile.frameworks, *(["fedramp-poam"] if profile.poam else [])]
    for position, framework in enumerate(packs):
        row = story.add(
            "organization_frameworks",
            framework=framework,
            adopted_on=story.day(HISTORY_DAYS + 20 - 4 * position),
            target_on=story.day(-60 - 35 * position + (28 if position == 0 else 0)),
            note=None,
        )
        if position == 0:
            story.amend(row, story.day(AGREED_AGO), target_on=story.day(-60), note="audit window agreed")
    for identifier, name in zip(workspaces(story), WORKSPACES[profile.org], strict=True):
        story.add("workspaces", id=identifier, name=name)
    for role, title in DESK:
        _member(story, f"{role}@{profile.org}.example", f"{role.title()} Desk", title, role, HISTORY_DAYS + 25, None)
    for person in staff(story):
        since = HISTORY_DAYS + rng.randint(20, 900)
        _member(
            story, email(story, person), f"{person.first} {person.last}", person.title, person.role, since, person.left
        )


def _member(story: Story, address: str, name: str, title: str, role: str, since: int, left: int | None) -> None:
    preferences = {"digest": True, "reminders": role != "member"}
    user = story.add("users", email=address, name=name, title=title, active=True, preferences=preferences)
    membership = story.add(
        "memberships",
        email=address,
        role=role,
        status="active",
        workspace_id=workspaces(story)[0],
        since_on=story.day(since),
        display_name=name,
    )
    if left is not None:
        story.amend(user, story.day(left), active=False)
        story.amend(membership, story.day(left), status="removed")
        event = f"AE-leaver-{address.split('@')[0]}"
        story.event(
            event, story.at(left, 17 * 60), f"admin@{story.profile.org}.example", "account.disabled", "user", address
        )
