"""Guardrails of playbooks, rehearsals, executions and refusals."""

from datetime import datetime, timedelta
from random import Random

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history.story import Story, plus_months
from data.demo.programme.plan import Control
from engine.automation.inputs import inputs_hash
from engine.automation.playbooks import playbook as book
from engine.catalogue import catalogue

PLAYBOOKS = (
    "enforce-mfa",
    "disable-leaver-accounts",
    "rotate-key",
    "rerun-backup",
    "restore-to-sandbox",
    "apply-patch",
    "reapply-baseline",
    "restart-log-shipping",
)
STUBBORN = "apply-patch"
RECENT = timedelta(days=14)
TABLES = {
    "service": ("services", "id"),
    "user": ("memberships", "email"),
    "vendor": ("vendors", "id"),
    "system": ("systems", "id"),
}


def fill(story: Story, controls: list[Control]) -> None:
    rng = story.rng("automation")
    able = _reach(controls)
    org, spaces, crew = story.profile.org, people.workspaces(story), people.active(story)
    for number, playbook in enumerate(PLAYBOOKS):
        accepted = story.office(60 + 9 * number, rng)
        story.add(
            "policies",
            id=f"GRD-{playbook}-v1",
            policy=f"GRD-{playbook}",
            version=1,
            kind="automation",
            playbook=playbook,
            title=f"Guardrail: {book(playbook).title}",
            state="active",
            owner=people.lead(story, "configuration"),
            rules=_rules(5 + number),
            accepted_by=people.lead(story, "risk"),
            accepted_at=accepted,
            review_due_on=plus_months(accepted.date(), 12),
            workspace_id=spaces[number % len(spaces)],
        )
    for ago in sorted((rng.randint(1, HISTORY_DAYS) for _ in range(story.profile.incidents // 2)), reverse=True):
        playbook, at, actor = rng.choice(PLAYBOOKS), story.office(ago, rng), rng.choice(crew)
        inputs = _inputs(story, rng, playbook)
        outcome = rng.choices(("succeeded", "failed", "blocked"), (86, 7, 7))[0]
        run = story.yearly("DRY", at.date())
        incident = _incident(story, rng, at) if rng.random() < 0.4 else None
        story.add(
            "dry_runs",
            id=run,
            playbook=playbook,
            policy_id=f"GRD-{playbook}-v1",
            inputs=inputs,
            inputs_hash=inputs_hash(inputs),
            outcome=outcome,
            plan=[{"step": number, "title": step.title} for number, step in enumerate(book(playbook).steps, 1)],
            incident_id=incident,
            actor=actor,
            ran_at=at,
        )
        if outcome != "blocked":
            story.event(f"AE-{run}", at, actor, f"automation.dry_run.{outcome}", "dry_run", run)
        if outcome == "succeeded" and able[playbook] and rng.random() < 0.45:
            _link(story, rng, run, rng.choice(able[playbook]), at)
        if outcome == "succeeded" and rng.random() < 0.6:
            _execute(story, rng, run, playbook, incident, actor, ago)
    for ago in sorted(
        (rng.choice((rng.randint(1, 29), rng.randint(1, HISTORY_DAYS))) for _ in range(story.profile.incidents // 8)),
        reverse=True,
    ):
        playbook = STUBBORN if rng.random() < 0.6 else rng.choice(PLAYBOOKS)
        tried_at, block, actor = story.office(ago, rng), story.number("BLK"), rng.choice(crew)
        reason, message = rng.choice(
            (
                ("max-targets", "More objects at a time than the guardrail allows."),
                ("working-hours", "Only between 06:00 and 22:00."),
                ("dry_run_missing", f"There is no dry-run of {playbook}; make one with these inputs first."),
            )
        )
        late = reason == "working-hours"  # such a rule refuses nobody who tries by day
        at = story.at(ago, 22 * 60 + 1 + tried_at.minute) if late else tried_at
        story.add(
            "policy_blocks",
            id=block,
            playbook=playbook,
            policy_id=f"GRD-{playbook}-v1",
            reason=reason,
            message=message,
            actor=actor,
            blocked_at=at,
            overridden=rng.random() < 0.1,
        )
        story.event(f"AE-{org}-{block}", at, actor, "policy.blocked", "playbook", playbook, outcome="denied")


def _rules(most: int) -> list[dict[str, object]]:
    """A guardrail in the rule language: a bound on what is acted on at a time, and the hours."""
    return [
        {
            "id": "max-targets",
            "effect": "deny",
            "when": {"field": "targets", "op": "gt", "value": most},
            "message": f"At most {most} objects at a time.",
        },
        {
            "id": "working-hours",
            "effect": "require",
            "when": {"field": "time.clock", "op": "between", "value": ["06:00", "22:00"]},
            "message": "Only between 06:00 and 22:00.",
        },
    ]


def _inputs(story: Story, rng: Random, playbook: str) -> dict[str, str | int]:
    """Every input of the playbook, as somebody would give it."""
    given: dict[str, str | int] = {}
    for name, wanted in book(playbook).inputs.items():
        if wanted.type in TABLES:
            table, key = TABLES[wanted.type]
            given[name] = rng.choice(story.tables[table])[key]
        elif wanted.default is not None:
            given[name] = wanted.default
        elif wanted.choices:
            given[name] = rng.choice(wanted.choices)
        elif wanted.required:
            given[name] = f"planned {name.replace('_', ' ')}"
    return given


def _incident(story: Story, rng: Random, at: datetime) -> str | None:
    """One that was opened in the two weeks before."""
    recent = [row["id"] for row in story.tables["incidents"] if timedelta() <= at - row["opened_at"] <= RECENT]
    return rng.choice(recent) if recent else None


def _execute(story: Story, rng: Random, run: str, playbook: str, incident: str | None, actor: str, ago: int) -> None:
    at = story.tables["dry_runs"][-1]["ran_at"]
    done = f"EXE-{run.removeprefix('DRY-')}"
    status = rng.choices(("succeeded", "failed", "rolled_back"), (92, 5, 3))[0]
    approver = people.lead(story, "risk")
    story.add(
        "executions",
        id=done,
        playbook=playbook,
        dry_run_id=run,
        incident_id=incident,
        mode="remediate" if incident else "execute",
        status=status,
        approval_note="Plan checked against the dry-run, go ahead.",
        rollback_plan="Restore the snapshot taken before.",
        actor=actor,
        executed_at=at,
    )
    story.add(
        "approvals",
        id=f"APR-{run.removeprefix('DRY-')}",
        kind="execution",
        subject=done,
        status="approved",
        requested_by=actor,
        requested_at=at,
        decided_by=approver,
        decided_at=at,
        note="as rehearsed",
    )
    story.event(
        f"AE-{done}",
        at,
        actor,
        "automation.executed",
        "execution",
        done,
        outcome="failure" if status == "failed" else "success",
    )
    if ago < 6 and rng.random() < 0.8:
        story.add(
            "approvals",
            id=story.number("APR-OPEN"),
            kind="policy",
            subject=f"GRD-{playbook}-v2",
            status="pending",
            requested_by=actor,
            requested_at=at,
        )


def _reach(controls: list[Control]) -> dict[str, list[Control]]:
    """The controls in scope whose runbook has the playbook."""
    known = catalogue()
    books = dict(known.runbooks.select("runbook", "playbook").iter_rows())
    playbook = {(framework, control): books[book] for book, framework, control in known.runbook_controls.iter_rows()}
    return {
        name: [control for control in controls if playbook.get((control.framework, control.control_id)) == name]
        for name in PLAYBOOKS
    }


def _link(story: Story, rng: Random, run: str, control: Control, at: datetime) -> None:
    """Somebody judged the rehearsal as evidence of the control, or refused it."""
    story.add(
        "test_links",
        id=f"LNK-{run}",
        test_id=run,
        framework=control.framework,
        control_id=control.control_id,
        status="rejected" if rng.random() < 0.12 else "linked",
        linked_by=control.owner,
        linked_at=at,
    )
