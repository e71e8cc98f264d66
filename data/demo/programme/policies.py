"""Governance policies: versions, the controls that they speak for, publication, acceptance and expiry."""

from random import Random

from data.demo.cast import people
from data.demo.history import stories
from data.demo.history.story import Row, Story, plus_months
from data.demo.programme.plan import Control

# policy, title, domains that it speaks for, days since the active version was accepted
TEXTS: tuple[tuple[str, str, tuple[str, ...], int], ...] = (
    ("POL-ISP", "Information Security Policy", ("governance", "policy"), 44),
    ("POL-AC", "Access Control Policy", ("access",), 150),
    ("POL-SUP", "Supplier Security Policy", ("vendor",), 160),
    ("POL-IR", "Incident Response Policy", ("incident",), 61),
    ("POL-BC", "Continuity and Recovery Policy", ("continuity", "backup"), 122),
    ("POL-CRY", "Cryptography Policy", ("cryptography",), 80),
    ("POL-MON", "Logging and Monitoring Policy", ("monitoring", "malware"), 95),
    ("POL-VUL", "Vulnerability Management Policy", ("vulnerability",), 72),
    ("POL-NET", "Network Security Policy", ("network",), 170),
    ("POL-SDL", "Secure Development Policy", ("development", "configuration"), 66),
    ("POL-AST", "Asset and Device Policy", ("asset",), 180),
    ("POL-PHY", "Physical Security Policy", ("physical",), 140),
    ("POL-HR", "People Security Policy", ("people",), 88),
    ("POL-PRI", "Privacy Policy", ("privacy",), 58),
    ("POL-DAT", "Data Handling Policy", ("data",), 110),
    ("POL-RSK", "Risk Management Policy", ("risk",), 36),
    ("POL-AUD", "Audit and Assurance Policy", ("audit",), 50),
)
LAPSED_DAYS = 431
DRAFTED_AGO = 31  # the next versions of some
READ_BY_ALL = ("POL-ISP", "POL-HR")


def fill(story: Story, controls: list[Control]) -> None:
    rng = story.rng("policies")
    for policy, title, domains, accepted in TEXTS:
        lapsed = domains[0] in stories.LAPSED_POLICIES[story.profile.org]
        ago = LAPSED_DAYS if lapsed else accepted
        versions = _governance(story, rng, policy, title, ago, people.lead(story, domains[0]))
        version = str(versions[-1]["id"])
        spoken = [
            control
            for control in controls
            if control.policy and "policy" in control.kinds and control.domain in domains
        ]
        for text in versions:
            since = text["accepted_at"].date()
            for control in spoken:
                key: Row = {"framework": control.framework, "control_id": control.control_id}
                story.add("policy_controls", since=since, policy_id=text["id"], **key)
        named = "; ".join(control.key for control in spoken)
        owner = people.lead(story, domains[0])
        if named and not lapsed:
            for action, days in (("policy.published", ago), ("policy.reviewed", max(1, ago - 30))):
                story.event(
                    f"AE-{version}-{action.split('.')[1]}",
                    story.office(days, rng),
                    owner,
                    action,
                    "policy",
                    version,
                    controls=named,
                )
        if named and policy in READ_BY_ALL and not lapsed:
            for number, reader in enumerate(people.active(story)):
                at = story.office(max(1, ago - 1 - number), rng)
                story.event(
                    f"AE-{version}-read-{number}", at, reader, "policy.accepted", "policy", version, controls=named
                )
        if lapsed:
            slipped = [
                control
                for control in controls
                if control.framework == "iso27001" and control.control_id in stories.SLIPPED
            ]
            concerned = [control.key for control in slipped if control.domain in domains]
            named = "; ".join(concerned)
            if named:
                for number, days in enumerate((66, 12)):
                    story.event(
                        f"AE-{version}-expired-{number}",
                        story.at(days, 60),
                        f"console@{story.profile.org}.example",
                        "policy.expired",
                        "policy",
                        version,
                        controls=named,
                    )


def _governance(story: Story, rng: Random, policy: str, title: str, ago: int, owner: str) -> list[Row]:
    """Two versions that were accepted, the second sometimes after the first was due for review; returns both.

    Of every third policy there is a draft of the next.
    """
    late = rng.choice((0, 0, 0, 0, 9, 17))
    accepted: list[Row] = []
    for version, days in ((1, ago + 365 + late), (2, ago)):
        at = story.office(days, rng)
        for before in accepted:
            story.amend(before, story.day(days), state="retired")
        text = _version(policy, title, version, owner)
        accepted.append(
            story.add(
                "policies",
                since=story.day(days),
                **text,
                state="active",
                accepted_by=people.lead(story, "risk"),
                accepted_at=at,
                review_due_on=plus_months(at.date(), 12),
            )
        )
    if rng.random() <= 0.3:
        story.add("policies", since=story.day(DRAFTED_AGO), **_version(policy, title, 3, owner), state="draft")
    return accepted


def _version(policy: str, title: str, version: int, owner: str) -> Row:
    return {
        "id": f"{policy}-v{version}",
        "policy": policy,
        "version": version,
        "kind": "governance",
        "title": title,
        "body": f"{title}, version {version}.",
        "owner": owner,
    }
