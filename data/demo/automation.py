"""Guardrails of playbooks, rehearsals, executions and refusals."""

from datetime import datetime
from hashlib import sha256
from random import Random

from data.demo import people
from data.demo.frames import json_text
from data.demo.maturity import Control
from data.demo.profile import HISTORY_DAYS
from data.demo.story import Story, plus_months
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
            title=f"Guardrail of {playbook}",
            state="active",
            owner=people.lead(story, "configuration"),
            rules=[{"rule": "max_targets", "value": 5 + number}, {"rule": "hours", "value": "06:00-22:00"}],
            accepted_by=people.lead(story, "risk"),
            accepted_at=accepted,
            review_due_on=plus_months(accepted.date(), 12),
            workspace_id=spaces[number % len(spaces)],
        )
    incidents = [row["id"] for row in story.tables["incidents"]]
    for ago in sorted((rng.randint(1, HISTORY_DAYS) for _ in range(story.profile.incidents // 2)), reverse=True):
        playbook, at, actor = rng.choice(PLAYBOOKS), story.office(ago, rng), rng.choice(crew)
        inputs = {
            "target": rng.choice(story.tables["services"])["id"],
            "window": "night" if rng.random() < 0.3 else "day",
        }
        outcome = rng.choices(("succeeded", "failed", "blocked"), (86, 7, 7))[0]
        run = story.yearly("DRY", at.date())
        incident = rng.choice(incidents) if rng.random() < 0.4 else None
        story.add(
            "dry_runs",
            id=run,
            playbook=playbook,
            policy_id=f"GRD-{playbook}-v1",
            inputs=inputs,
            inputs_hash=sha256(json_text(inputs).encode()).hexdigest(),
            outcome=outcome,
            plan=[{"step": 1, "do": playbook, "on": inputs["target"]}],
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
        at, block, actor = story.office(ago, rng), story.number("BLK"), rng.choice(crew)
        reason, message = rng.choice(
            (
                ("max_targets", "More targets than the guardrail allows."),
                ("hours", "Outside the hours allowed."),
                ("dry_run_missing", "No dry-run of the last 24 hours."),
            )
        )
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
