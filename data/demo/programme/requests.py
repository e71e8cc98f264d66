"""Documents that support controls, and what auditors asked for."""

from hashlib import sha256
from itertools import cycle
from random import Random

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history.stories import NOT_GOVERNED
from data.demo.history.story import Story
from data.demo.programme.plan import Control

SLA_DAYS = {"P1": 4, "P2": 7, "P3": 14, "P4": 28}
URGENT_AGO = 19
PAUSED_AGO = 23  # past its date, but it is the auditor who has to answer
ASKED = (
    "Population of changes for the period",
    "Sample of access requests with approvals",
    "Last restore test with result",
    "List of leavers and dates of removal",
    "Minutes of the last management review",
    "Scan reports of the quarter",
    "Incident register with resolution times",
    "Proof of training for ten people",
    "Review of firewall rules",
)


def evidence(story: Story, controls: list[Control]) -> None:
    """Documents kept elsewhere; each supports the controls of its domain, so that some serve several frameworks."""
    rng = story.rng("evidence")
    by_domain: dict[str, list[Control]] = {}
    for control in controls:
        if control.in_order:
            by_domain.setdefault(control.domain, []).append(control)
    domains = sorted(by_domain)
    for number in range(1, story.profile.evidence + 1):
        domain, ago = domains[number % len(domains)], rng.randint(2, 330)
        identifier = f"EVD-{number:04d}"
        title = rng.choice(("Export", "Minutes", "Screenshot set", "Signed report", "Configuration dump"))
        owner = people.lead(story, domain)
        story.add(
            "evidence_items",
            since=story.day(ago),
            id=identifier,
            title=f"{title}: {domain}",
            source=rng.choice(("ticketing", "wiki", "cloud console", "people system")),
            owner=owner,
            captured_at=story.office(ago, rng),
            location=f"vault://evidence/{identifier}",
            sha256=sha256(f"{story.profile.org}/{identifier}".encode()).hexdigest(),
        )
        able = by_domain[domain]
        linked = rng.sample(able, min(len(able), rng.randint(1, 4))) if rng.random() < 0.95 else []
        _link(story, identifier, linked)
    reported = [
        (control, ago)
        for control in controls
        if control.documented
        for ago in range(control.practice_age or 1, HISTORY_DAYS, max(20, control.window * 9 // 10))
    ]
    reported += [(control, 45) for control in controls if control.key == ":".join(NOT_GOVERNED[story.profile.org])]
    for number, (control, ago) in enumerate(reported, start=1):
        identifier = f"EVD-OPS-{number:03d}"
        story.add(
            "evidence_items",
            since=story.day(ago),
            id=identifier,
            title=f"Report: {control.title}",
            source="ticketing",
            owner=control.owner,
            captured_at=story.office(ago, rng),
            location=f"vault://evidence/{identifier}",
            sha256=sha256(f"{story.profile.org}/{identifier}".encode()).hexdigest(),
        )
        _link(story, identifier, [control])


def _link(story: Story, identifier: str, linked: list[Control]) -> None:
    item = story.tables["evidence_items"][-1]
    for control in linked:
        story.add(
            "evidence_links",
            since=item["captured_at"].date(),
            evidence_id=identifier,
            framework=control.framework,
            control_id=control.control_id,
        )
    if linked:
        keys = "; ".join(control.key for control in linked)
        story.event(
            f"AE-{identifier}",
            item["captured_at"],
            item["owner"],
            "evidence.linked",
            "evidence",
            identifier,
            controls=keys,
        )


def requests(story: Story, controls: list[Control]) -> None:
    """Most were answered in time; the urgent one about access reviews is overdue, one waits for the auditor.

    One still lies with who left.
    """
    rng, asked = story.rng("requests"), story.profile.requests
    drawn = [rng.randint(20, 390) if rng.random() > 0.25 else rng.randint(1, 18) for _ in range(asked - 2)]
    told = {PAUSED_AGO: False, URGENT_AGO: False}
    for number, ago in enumerate(sorted([*drawn, *told], reverse=True)):
        control = rng.choice(controls)
        if not told.get(ago, True):
            told[ago] = True
            if ago == URGENT_AGO:
                owner = people.lead(story, "access")
                _request(story, rng, control, ago, "P1", "in_progress", owner, "Evidence that access reviews were held")
            else:
                _request(story, rng, control, ago, "P3", "waiting_on_requester", control.owner, ASKED[0])
            continue
        priority = rng.choices(tuple(SLA_DAYS), (6, 22, 50, 22))[0]
        pending = ago <= SLA_DAYS[priority] or (ago < 60 and rng.random() < 0.12)
        status = rng.choice(("open", "in_progress", "submitted", "waiting_on_requester")) if pending else "closed"
        owner = people.leaver(story) if number == asked - 3 else control.owner
        _request(story, rng, control, ago, priority, status, owner, rng.choice(ASKED))
    items = story.tables["evidence_items"]
    sent = [row for row in story.tables["evidence_requests"] if row["status"] in ("closed", "submitted")]
    for item, request in zip(cycle(items), sent, strict=False):
        story.amend(item, max(item["captured_at"].date(), request["submitted_on"]), request_id=request["id"])
    for row in story.tables["evidence_requests"]:
        if row["accepted_on"]:
            ago = (story.today - row["accepted_on"]).days
            story.event(
                f"AE-{row['id']}",
                story.at(ago, 840),
                row["requester"],
                "evidence_request.accepted",
                "evidence_request",
                row["id"],
            )


def _request(
    story: Story, rng: Random, control: Control, ago: int, priority: str, status: str, owner: str, title: str
) -> None:
    due = ago - SLA_DAYS[priority]
    finished = status == "closed"
    early = rng.randint(min(5, SLA_DAYS[priority]), SLA_DAYS[priority]) if rng.random() < 0.82 else -rng.randint(1, 6)
    sent = max(1, min(ago, due + early)) if finished else max(1, ago - 2) if status == "submitted" else None
    accepted = max(1, (sent or 0) - rng.randint(1, 4)) if finished else None
    theirs = {
        "open": "open",
        "in_progress": "in_progress",
        "submitted": "submitted",
        "waiting_on_requester": "in_progress",
    }
    story.add(
        "evidence_requests",
        id=story.yearly("REQ", story.day(ago)),
        framework=control.framework,
        control_id=control.control_id,
        title=title,
        requester="auditor@harebell-assurance.example",
        owner=owner,
        backup=rng.choice(people.active(story)),
        priority=priority,
        opened_on=story.day(ago),
        due_on=story.day(due),
        status=status,
        auditor_status=("accepted" if rng.random() < 0.8 else "closed") if finished else theirs[status],
        submitted_on=None if sent is None else story.day(sent),
        accepted_on=None if accepted is None else story.day(accepted),
        closed_on=None if accepted is None else story.day(accepted),
        returns=1 if rng.random() < 0.18 and finished else 0,
        paused_minutes=rng.choice((0, 0, 0, 1440, 2880)) if status != "waiting_on_requester" else 1440,
    )
