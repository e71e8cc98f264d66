"""Governance policies: versions, the controls that they speak for, publication, acceptance and expiry."""

from random import Random

from data.demo import people, stories
from data.demo.plan import Control
from data.demo.story import Story, plus_months

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
READ_BY_ALL = ("POL-ISP", "POL-HR")


def fill(story: Story, controls: list[Control]) -> None:
    rng = story.rng("policies")
    for policy, title, domains, accepted in TEXTS:
        lapsed = domains[0] in stories.LAPSED_POLICIES[story.profile.org]
        ago = LAPSED_DAYS if lapsed else accepted
        version = _governance(story, rng, policy, title, ago, people.lead(story, domains[0]))
        spoken = [
            control
            for control in controls
            if control.policy and "policy" in control.kinds and control.domain in domains
        ]
        for control in spoken:
            story.add("policy_controls", policy_id=version, framework=control.framework, control_id=control.control_id)
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


def _governance(story: Story, rng: Random, policy: str, title: str, ago: int, owner: str) -> str:
    """Three versions: a retired one, the active one, for every third policy a draft. Returns the active one."""
    for version, state, days in ((1, "retired", ago + 365), (2, "active", ago), (3, "draft", None)):
        if state == "draft" and rng.random() > 0.3:
            continue
        accepted = None if days is None else story.office(days, rng)
        story.add(
            "policies",
            id=f"{policy}-v{version}",
            policy=policy,
            version=version,
            kind="governance",
            title=title,
            state=state,
            body=f"{title}, version {version}.",
            owner=owner,
            accepted_by=people.lead(story, "risk") if accepted else None,
            accepted_at=accepted,
            review_due_on=plus_months(accepted.date(), 12) if accepted else None,
        )
    return f"{policy}-v2"
