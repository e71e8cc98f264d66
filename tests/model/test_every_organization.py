"""One policy for failures: an organization that fails is named, the others are done, and the run has failed."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import update

import scheduler
from engine.digests import Task
from engine.model.declarations.digest import When
from engine.model.errors import Problem, Unavailable
from engine.model.every_organization import (
    MOST_NAMED,
    OrganizationFailure,
    first_named,
    for_every_organization,
    public_message,
)
from engine.runtime.jobs import Every, Job, Runner
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import PLATFORM
from engine.store.removal.retention import PurgeResult
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import job_runs
from tests.conftest import NOW
from tests.databases import raw_transaction

DAY = timedelta(days=1)


@pytest.fixture
def three(any_store):
    """acme, broken and other; nobody can say what day it is at broken."""
    for org_id in ("broken", "other"):
        with any_store.revision(org_id, "setup", now=NOW, create={"name": org_id}) as revision:
            revision.record("organization.created")
    any_store.ensure_platform(NOW)
    move(any_store, "broken", "Mars/Olympus_Mons")
    return any_store


def move(store, org_id, zone):
    with raw_transaction(store) as connection:
        connection.execute(update(organizations).where(organizations.c.id == org_id).values(time_zone=zone))


@pytest.fixture
def begin(three, tmp_path):
    """Runs a job as the scheduler does, at a moment; the run as it is recorded."""
    services = Services(Settings.of({"SVC_DATA_DIR": str(tmp_path)}), three, None, NOW)

    def run(name, work, now=NOW):
        try:
            Runner(services, (), lambda: now).run(Job(name, Every(1), work, alone=False))
        except Problem as problem:
            message = problem.message
        else:
            message = None
        with three.reader() as connection:
            row = many(connection, job_runs, PLATFORM, order=("-started_at",))[0]
        assert message in (None, row["message"])
        return row["job"], row["outcome"], row["message"]

    return run


def fail_for(error, *failing):
    def do(org_id):
        if org_id in failing:
            raise error
        return org_id.upper()

    return do


def test_the_others_go_on_and_what_failed_is_kept_with_its_error(caplog):
    error = ValueError("ann@acme.example")
    went = for_every_organization("counting", ["a", "b", "c"], fail_for(error, "b"))
    assert (dict(went.results), went.failures) == ({"a": "A", "c": "C"}, [OrganizationFailure("b", error)])
    (logged,) = caplog.records
    assert (logged.getMessage(), logged.exc_info[1]) == ("counting failed for b", error)


def test_what_was_done_is_the_message_where_nothing_failed():
    assert for_every_organization("counting", ["a", "b"], fail_for(None)).message("2 counted") == "2 counted"
    assert for_every_organization("counting", [], fail_for(None)).message("0 counted") == "0 counted"


def test_a_failure_counts_and_names_the_failed_and_tells_only_what_was_meant_to_be_told():
    def do(org_id):
        raise {"a": Unavailable("The disk is full."), "b": ValueError("ann@acme.example")}[org_id]

    went = for_every_organization("counting", ["a", "b"], do)
    with pytest.raises(Problem) as caught:
        went.message("0 counted")
    assert caught.value.message == "0 counted; failed for 2 of 2 organizations: a: The disk is full.; b: ValueError"
    assert caught.value.__cause__ is went.failures[0].error
    assert [public_message(failure.error) for failure in went.failures] == [
        "The disk is full.",
        "It failed on our side; the log has it.",
    ]


def test_when_everybody_fails_the_first_are_named_and_the_rest_are_counted():
    everybody = [OrganizationFailure(f"o{number}", ValueError()) for number in range(MOST_NAMED + 3)]
    text = first_named(everybody)
    assert (text.count("ValueError"), text.endswith("; and 3 more")) == (MOST_NAMED, True)


def test_a_process_that_is_asked_to_end_does_end():
    with pytest.raises(KeyboardInterrupt):
        for_every_organization("counting", ["a", "b"], fail_for(KeyboardInterrupt(), "a"))


def test_retention_of_a_broken_organization_is_a_failed_run_and_is_tried_again(begin, three, monkeypatch):
    monkeypatch.setattr(
        "engine.programme.retention.PURGES",
        {
            "audit_log": lambda revision, before: PurgeResult("audit_log", 1),
            "incidents": lambda revision, before: PurgeResult("incidents", 2),
        },
    )
    assert begin("retention", scheduler.retention) == (
        "retention",
        "failed",
        "2 audit events and 4 incidents removed, 0 purges held back; "
        "failed for 1 of 3 organizations: broken: ZoneInfoNotFoundError",
    )
    with three.reader() as connection:
        (event,) = many(connection, audit_log, PLATFORM, action="job.failed")
    assert (event["object_id"], event["outcome"]) == ("retention", "failure")
    move(three, "broken", "UTC")
    assert begin("retention", scheduler.retention, NOW + DAY) == (
        "retention",
        "succeeded",
        "3 audit events and 6 incidents removed, 0 purges held back",
    )


def test_pruning_of_a_broken_organization_is_a_failed_run_and_is_tried_again(begin, monkeypatch):
    asked, broken = [], {"broken"}

    def sweep(store, folder, org_id, *, now):
        asked.append(org_id)
        if org_id in broken:
            raise Unavailable("The bundle folder cannot be read.")
        return 1

    monkeypatch.setattr(scheduler, "sweep", sweep)
    assert begin("pruning", scheduler.pruning) == (
        "pruning",
        "failed",
        "texts of 0 deliveries, 0 runs, 0 ended sessions and 3 unfinished seals removed; "
        "failed for 1 of 4 organizations: broken: The bundle folder cannot be read.",
    )
    assert asked == ["acme", "broken", "other", PLATFORM]
    broken.clear()
    assert begin("pruning", scheduler.pruning, NOW + DAY) == (
        "pruning",
        "succeeded",
        "texts of 0 deliveries, 0 runs, 0 ended sessions and 4 unfinished seals removed",
    )


def test_old_runs_are_pruned_whoever_fails(begin, three, monkeypatch):
    @contextmanager
    def refuses(*given, **named):
        raise Unavailable("The store takes no revision.")
        yield

    for day in range(2):
        begin("outbox", lambda services, now: "done", NOW - (50 - day) * DAY)
    monkeypatch.setattr(three, "revision", refuses)
    assert begin("pruning", scheduler.pruning)[2].startswith(
        "texts of 0 deliveries, 1 runs, 0 ended sessions and 0 unfinished seals"
    )


def test_what_an_organization_is_owed_does_not_wait_for_a_broken_one(begin, three, monkeypatch):
    done = []

    def run(services, org_id, now):
        done.append(org_id)
        return "done"

    task = Task("snapshot:sample", When("day"), run, lambda *given: True, lambda *given: False, notes="all")
    monkeypatch.setattr(scheduler, "TASKS", (task,))
    assert begin("owed", scheduler.calendar_tasks) == (
        "owed",
        "failed",
        "1 of 3 tasks failed: snapshot:sample for broken: ZoneInfoNotFoundError",
    )
    assert done == ["acme", "other"]
    move(three, "broken", "UTC")
    assert begin("owed", scheduler.calendar_tasks, NOW + timedelta(minutes=5)) == ("owed", "succeeded", "1 tasks done")
    assert done == ["acme", "other", "broken"]
