"""The staffing chain: rollup, SLA digest, escalation, strictly in this order, once a day, under one run id."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256

import msgspec

from engine.digests.deliver import Run, deliver, run_name
from engine.model.days import local_day, midnight
from engine.model.declarations.digest import ChainStep, Digest
from engine.model.errors import NotFound, Problem
from engine.model.every_organization import public_message
from engine.model.records import JobRunRow
from engine.runtime.services import Services
from engine.store.queries.sending import digests as queries
from engine.store.queries.sending.digests import Clock

CHAIN_NAME = "staffing-digest-auto-chain"
NOT_DUE = "not_due"


@dataclass(frozen=True)
class ChainRun:
    """One run of a day. ``outcome``: completed, or already_delivered where the day's run was complete."""

    run_id: str
    org_id: str
    day: date
    outcome: str
    steps: Sequence[ChainStep]

    def as_dict(self) -> dict[str, object]:
        """For an answer."""
        return {"chain": CHAIN_NAME, **asdict(self)}


def run_chain(services: Services, chain: Sequence[Digest], org_id: str, actor: str, *, now: datetime) -> ChainRun:
    """Run what is left of today's chain. A step that fails stops the later ones; the next call goes on with it.

    Problem names the step that failed, with all of them in its details. A complete day is left alone.
    """
    if services.store.head(org_id) is None:
        raise NotFound(f"There is no organization {org_id[:80]!r}.", word="unknown_organization")
    with services.store.reader() as connection:
        clock = queries.clock(connection, org_id)
        day = local_day(now, clock.zone)
        today = midnight(day, clock.zone), midnight(day + timedelta(days=1), clock.zone)
        before = next(iter(queries.runs_within(connection, org_id, run_name(CHAIN_NAME), *today)), None)
    steps = _steps(before)
    if before is not None and before["outcome"] == "succeeded":
        return ChainRun(before["id"], org_id, day, "already_delivered", steps)
    run_id = _run_id(org_id, day)
    if before is None:
        queries.record_run(
            services.store,
            org_id,
            run_name(CHAIN_NAME),
            run_id=run_id,
            started_at=now,
            finished_at=None,
            outcome=None,
            message=_message([]),
        )
    done = [step for step in steps if step.outcome != "failed"]
    for digest in chain[len(done) :]:
        try:
            step = _step(services, digest, org_id, actor, clock, now)
        except Exception as error:
            done.append(ChainStep(digest.name, "failed", message=public_message(error)))
            _keep(services, run_id, done, "failed", now)
            raise Problem(
                f"The step {digest.name} of the chain failed: {public_message(error)} "
                "The later steps wait for the next call.",
                word="step_failed",
                details=[asdict(one) | {"run_id": run_id} for one in done],
            ) from error
        done.append(step)
        _keep(services, run_id, done, None, None)
    _keep(services, run_id, done, "succeeded", now)
    return ChainRun(run_id, org_id, day, "completed", done)


def _step(services: Services, digest: Digest, org_id: str, actor: str, clock: Clock, now: datetime) -> ChainStep:
    """One digest; a weekly one that had nothing to tell this week is not asked again every day."""
    if digest.every == "week":
        monday = local_day(now, clock.zone)
        monday -= timedelta(days=monday.weekday())
        with services.store.reader() as connection:
            week = midnight(monday, clock.zone), midnight(monday + timedelta(days=7), clock.zone)
            before = queries.runs_within(connection, org_id, run_name(digest.name), *week)
        if before and before[0]["outcome"] == "skipped":
            return ChainStep(digest.name, NOT_DUE)
    run: Run = deliver(services, digest, org_id, actor, now=now, scheduled=True)
    return ChainStep(digest.name, run.outcome, run.period, len(run.deliveries))


def _keep(
    services: Services, run_id: str, steps: Sequence[ChainStep], outcome: str | None, at: datetime | None
) -> None:
    queries.change_run(services.store, run_id, finished_at=at, outcome=outcome, message=_message(steps))


def _message(steps: Sequence[ChainStep]) -> str:
    return msgspec.json.encode([asdict(step) for step in steps]).decode()


def _steps(run: JobRunRow | None) -> list[ChainStep]:
    return msgspec.json.decode(run["message"] or "[]", type=list[ChainStep]) if run else []


def _run_id(org_id: str, day: date) -> str:
    """The run of a day has one name, whoever begins it."""
    return f"run_{sha256(f'{org_id}|{CHAIN_NAME}|{day}'.encode()).hexdigest()[:16]}"
