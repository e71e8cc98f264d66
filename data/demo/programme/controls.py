"""What is on record for each control: profile and owners."""

from random import Random

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history import stories
from data.demo.history.chronicle import some
from data.demo.history.story import Row, Story
from data.demo.programme.plan import Control

ROLLOUT = ((HISTORY_DAYS, 0.52), (294, 0.64), (203, 0.78), (112, 0.91), (21, 1.0))  # days ago, share of today's
NAMED_IN_DAYS = 170  # from the beginning of the history until somebody stood behind every control
CHARGED = ("monitoring", "malware")  # domains that the person who left is still accountable for


def profiles(story: Story, controls: list[Control]) -> None:
    rng, org = story.rng("profiles"), story.profile.org
    approver = people.lead(story, "risk")
    addressable = _addressable()
    for control in controls:
        key = (control.framework, control.control_id)
        more: Row = {}
        if key in stories.JUSTIFIED[org]:
            more = {
                "applicable": False,
                "justification": stories.JUSTIFIED[org][key],
                "approved_by": approver,
                "approved_on": story.day(290),
            }
        elif key == stories.UNJUSTIFIED[org]:
            more = {"applicable": False}
        elif key == stories.UNAPPROVED[org]:
            more = {"applicable": False, "justification": "We think that this does not concern us."}
        elif control.framework == "iso27001":
            more = {
                "justification": rng.choice(("risk treatment", "legal", "contract", "best practice")),
                "approved_by": approver,
                "approved_on": story.day(240),
                "implementation": f"ISMS manual, {control.control_id}",
                "risk_ref": f"RSK-{rng.randint(1, 12):02d}",
            }
        elif control.framework == "pci-dss":
            method = rng.choices(("defined", "compensating", "customised"), (94, 4, 2))[0]
            more = {
                "method": "compensating" if key == stories.RELIED_ON[org] else method,
                "tested": rng.random() > 0.015,
            }
        elif control.framework == "hipaa" and control.control_id in addressable:
            more = {**_decision(story, rng), "approved_by": approver}
        elif control.framework == "nist-csf":
            more = {
                "target": rng.choices(("effective", "partial", "none"), (82, 15, 3))[0],
                "target_pct": rng.choice((60, 75, 90, 100)),
                "implementation": f"practice note {control.control_id}",
            }
        elif control.framework == "cis-v8":
            done = {"signed": (85, 100), "first": (45, 85), "overdue": (40, 75), "lapsed": (40, 75)}
            low, high = (20, 60) if control.contradicted else done.get(control.attestation, (0, 15))
            implemented = rng.randint(low, high)
            more = {
                "policy_pct": min(100, implemented + rng.randint(0, 15)),
                "implemented_pct": implemented,
                "automated_pct": implemented * rng.randint(30, 95) // 100,
                "reported_pct": implemented * rng.randint(40, 100) // 100,
                "target_pct": 100,
            }
        elif control.framework == "cmmc-l2":
            more = {"implementation": f"system security plan, section {control.control_id}"}
        if control.changed is not None:
            more["changed_on"] = story.day(control.changed)
        if more:
            row = story.add("control_profiles", framework=control.framework, control_id=control.control_id, **more)
            if "implemented_pct" in more:
                _rollout(story, row)


def _rollout(story: Story, row: Row) -> None:
    """Safeguards spread over the machines from quarter to quarter."""
    now = {name: row[name] for name in ("policy_pct", "implemented_pct", "automated_pct", "reported_pct")}
    row |= {name: int(percent * ROLLOUT[0][1]) for name, percent in now.items()}
    for ago, share in ROLLOUT[1:]:
        story.amend(row, story.day(ago), **{name: int(percent * share) for name, percent in now.items()})


def _addressable() -> set[str]:
    from engine.catalogue import catalogue

    return set(
        catalogue().details("hipaa").filter(required_or_addressable="addressable", assessable=True)["control_id"]
    )


def _decision(story: Story, rng: Random) -> Row:
    decision = rng.choices(("implemented", "alternative", "not_implemented"), (78, 15, 7))[0]
    rationale = {
        "implemented": "implemented as specified",
        "alternative": "equivalent measure at the network edge",
        "not_implemented": "not reasonable: the system holds no records at rest",
    }[decision]
    undocumented = decision == "not_implemented" and rng.random() < 0.4
    return {
        "decision": decision,
        "rationale": None if undocumented else rationale,
        "decided_on": None if undocumented else story.day(rng.randint(60, 380)),
        "risk_ref": f"RSK-{rng.randint(1, 12):02d}",
    }


def owners(story: Story, controls: list[Control]) -> None:
    """R is the domain's lead, A a head; most controls are complete, some have one of the usual faults."""
    rng, share = story.rng("owners"), story.profile.accountable_share
    heads = people.active(story)[:5]
    for control in controls:
        accountable = people.leaver(story) if control.domain in CHARGED and rng.random() < 0.3 else None
        if accountable is None:
            accountable = (
                heads[0] if rng.random() < share else rng.choice([head for head in heads if head != control.owner])
            )
        roles = {(control.owner, "R"), (accountable, "A")}
        fault = rng.random()
        if fault < 0.035:
            roles.discard((accountable, "A"))
        elif fault < 0.055:
            roles.add((next(head for head in heads if head not in (accountable, control.owner)), "A"))
        elif fault < 0.075:
            roles.discard((control.owner, "R"))
        elif fault < 0.10:
            roles = {(control.owner, "R"), (control.owner, "A")}
        elif fault < 0.11:
            roles |= {(person, "C") for person in people.active(story)[:6]}
        if rng.random() < 0.5:
            roles.add((rng.choice(people.active(story)), "C"))
        if rng.random() < 0.3:
            roles.add((rng.choice(people.active(story)), "I"))
        known = some(NAMED_IN_DAYS, "owner", control.key) if some(2, "late", control.key) == 0 else 0
        for person, raci in sorted(roles):
            story.add(
                "control_owners",
                since=story.day(HISTORY_DAYS - known),
                framework=control.framework,
                control_id=control.control_id,
                email=person,
                raci=raci,
            )
