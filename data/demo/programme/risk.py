"""The risk register and exceptions."""

from random import Random

from data.demo.cast import people
from data.demo.history import stories
from data.demo.history.chronicle import some
from data.demo.history.story import Story
from data.demo.programme.plan import Control

# title, category, inherent likelihood and impact, residual likelihood and impact
REGISTER: tuple[tuple[str, str, int, int, int, int], ...] = (
    ("Ransomware reaches production", "security", 4, 5, 3, 4),
    ("Loss of the primary cloud region", "continuity", 3, 5, 2, 4),
    ("A critical vendor without current assurance", "third party", 4, 4, 4, 3),
    ("Access rights that nobody reviews", "security", 4, 4, 4, 4),
    ("Disclosure of customer data by mistake", "privacy", 3, 5, 2, 4),
    ("Backups that cannot be restored", "continuity", 2, 5, 1, 5),
    ("Key staff leave", "people", 3, 3, 3, 2),
    ("Vulnerable component in a release", "security", 4, 4, 3, 3),
    ("Failed audit delays contracts", "compliance", 3, 4, 2, 3),
    ("Credential theft through phishing", "security", 5, 4, 3, 3),
    ("Unapproved change causes an outage", "operations", 4, 3, 3, 3),
    ("Cryptographic key is lost", "security", 2, 5, 1, 4),
    ("Regulatory change not seen in time", "compliance", 3, 3, 2, 3),
    ("Data kept longer than allowed", "privacy", 4, 3, 2, 3),
    ("Insider misuses privileged access", "security", 2, 5, 2, 4),
    ("Denial of service at peak time", "operations", 4, 4, 2, 3),
    ("Office cannot be used", "continuity", 2, 2, 1, 2),
    ("Shadow systems hold records", "security", 3, 4, 3, 3),
    ("Payment processor is unavailable", "third party", 2, 4, 2, 3),
    ("Misconfigured storage is public", "security", 3, 5, 1, 5),
    ("Incident not reported within the legal time", "compliance", 2, 4, 1, 4),
    ("Developers lack secure coding skills", "people", 3, 3, 2, 3),
    ("Log data incomplete for forensics", "operations", 3, 3, 2, 2),
    ("Lost or stolen device", "security", 4, 3, 2, 2),
    ("Insurance does not cover a claim", "finance", 2, 4, 2, 3),
)
WORKSHEET = {
    "constraint": "The appliance cannot hold a key per record.",
    "objective": "Stored numbers are unreadable.",
    "risk": "A copied disk could be read.",
    "definition": "Full disk encryption, segmented network, daily review.",
    "validation": "Tested by the internal auditor.",
    "maintenance": "Reviewed each quarter.",
}


def fill(story: Story, controls: list[Control]) -> None:
    rng = story.rng("risk")
    _risks(story, rng, controls)
    _exceptions(story, rng, controls)
    for row in story.tables["exceptions"]:
        if row["approved_on"]:
            at = story.at((story.today - row["approved_on"]).days, 780)
            story.event(f"AE-{row['id']}", at, row["approver"], "exception.approved", "exception", row["id"])


def _risks(story: Story, rng: Random, controls: list[Control]) -> None:
    for number, (title, category, likelihood, impact, later_likelihood, later_impact) in enumerate(
        REGISTER[: story.profile.risks], start=1
    ):
        unknown, unrated = number in (7, 11, 18), number == 11
        weak = [control.key for control in controls if not control.in_order]
        story.add(
            "risks",
            id=f"RSK-{number:02d}",
            title=title,
            category=category,
            owner=people.leaver(story)
            if number == 8
            else people.lead(story, "risk")
            if number % 2
            else rng.choice(people.active(story)),
            likelihood=None if unrated else likelihood,
            impact=None if unrated else impact,
            residual_likelihood=None if unknown else later_likelihood,
            residual_impact=None if unknown or number == 9 else later_impact,
            previous_likelihood=None if unrated else max(1, min(5, later_likelihood + rng.choice((-1, 0, 0, 1)))),
            previous_impact=None if unrated else later_impact,
            treatment=rng.choice(("mitigate", "mitigate", "accept", "transfer")),
            appetite=12 if number == 5 else None,
            loss_low=20_000.0 * impact,
            loss_high=150_000.0 * impact,
            identified_on=story.day(rng.randint(120, 600)),
            reviewed_on=story.day(rng.randint(8, 130)),
            status="closed" if number == 17 else "open",
            controls="; ".join(sorted(rng.sample(weak, min(3, len(weak))))),
        )
        row = story.tables["risks"][-1]
        if row["treatment"] == "accept" and number != 5:  # one acceptance that nobody wrote down
            row |= {"accepted_by": people.lead(story, "risk"), "accepted_on": row["identified_on"]}


def _exceptions(story: Story, rng: Random, controls: list[Control]) -> None:
    framework, control_id = stories.RELIED_ON[story.profile.org]
    story.add(
        "exceptions",
        id="EXC-001",
        kind="compensating",
        framework=framework,
        control_id=control_id,
        reason="The old appliance cannot do what the control asks; it is replaced next year.",
        compensating="Full disk encryption, a segmented network and daily log review",
        compensating_evidence_on=story.day(128),
        residual="moderate",
        approver=people.lead(story, "risk"),
        approved_on=story.day(25 + 330),
        expires_on=story.day(25),
        renewals=1,
        status="approved",
        worksheet=WORKSHEET if framework == "pci-dss" else None,
    )
    open_ones = [
        control
        for control in controls
        if not control.in_order
        and control.attestation not in ("none", "not_applicable")
        and control.key != f"{framework}:{control_id}"
    ]
    for number, control in enumerate(rng.sample(open_ones, story.profile.exceptions - 1), start=2):
        approved = rng.randint(20, 330)
        status = rng.choices(("approved", "draft", "in_review", "rejected", "resolved"), (60, 10, 12, 6, 12))[0]
        asked = status in ("draft", "in_review", "rejected")
        kind = "compensating" if number % 4 == 0 else rng.choice(("gap", "drift", "accepted_risk"))
        story.add(
            "exceptions",
            since=story.day(5 + some(40, control.key) if asked else approved + 9),
            id=f"EXC-{number:03d}",
            kind=kind,
            framework=control.framework,
            control_id=control.control_id,
            reason=rng.choice(
                (
                    "Migration under way",
                    "Vendor fix expected",
                    "Cost out of proportion to the risk",
                    "Project closes the gap",
                )
            ),
            compensating="Manual review each week" if kind == "compensating" else None,
            compensating_evidence_on=story.day(rng.randint(5, 120)) if kind == "compensating" else None,
            residual=rng.choice(("high", "moderate", "moderate", "low")),
            approver=None if asked else people.lead(story, "risk"),
            approved_on=None if asked else story.day(approved),
            expires_on=story.day(approved - 365 if not asked else -180),
            renewals=3 if number == 5 else rng.choice((0, 0, 0, 1)),
            status=status,
            worksheet=WORKSHEET if kind == "compensating" and control.framework == "pci-dss" and number % 8 else None,
        )
