"""Links between tests and controls: recorded once, refused with a reason, each on the audit log."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from engine.model.days import local_day
from engine.model.records import TestLinkRow
from engine.model.vocabulary import LinkOutcome
from engine.store import Note, Revision, rows
from engine.store.ids import new_id
from engine.store.queries.accounts.organizations import time_zone
from engine.store.schema.automation import dry_runs, test_links
from engine.store.schema.controls import test_runs
from engine.store.schema.outputs import bundles


@dataclass(frozen=True)
class LinkRequest:
    """A link to make. ``supplement`` allows a bundle that was sealed before the test."""

    test_id: str
    framework: str
    control_id: str
    bundle_id: str | None = None
    supplement: bool = False

    @property
    def key(self) -> tuple[str, str, str, str | None]:
        """What makes a link the same one."""
        return self.test_id, self.framework, self.control_id, self.bundle_id


@dataclass(frozen=True)
class _Test:
    """A test as it was performed: to the moment for a dry-run, to the day for a recurring one."""

    kind: str
    outcome: str | None
    at: datetime | None
    on: date | None


class _Refusal(Exception):
    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def link(revision: Revision, wanted: Sequence[LinkRequest]) -> list[dict[str, object]]:
    """Record links in their order, all in this revision; one row with ``outcome`` for each that was wanted.

    The same test, control and bundle is one link however often it comes. Nothing is written when none is new.
    """
    work = _Work(revision, wanted)
    results = [work.apply(one) for one in wanted]
    work.finish()
    return results


class _Work:
    """What one body needs to know, looked up at once, and what it leads to."""

    def __init__(self, revision: Revision, wanted: Sequence[LinkRequest]) -> None:
        from engine.catalogue.nameable import nameable_controls

        connection, org_id = revision.connection, revision.org_id
        self.revision = revision
        self.time_zone = time_zone(connection, org_id)
        tests = _distinct(one.test_id for one in wanted)
        self.tests = {
            row["id"]: _Test("test_run", row["outcome"], None, row["performed_on"])
            for row in rows.many(connection, test_runs, org_id, id=tests)
        } | {
            row["id"]: _Test("dry_run", row["outcome"], row["ran_at"], None)
            for row in rows.many(connection, dry_runs, org_id, id=tests)
        }
        named = _distinct(one.bundle_id for one in wanted if one.bundle_id is not None)
        self.sealed: dict[str, datetime] = {
            row["id"]: row["sealed_at"] for row in rows.many(connection, bundles, org_id, id=named)
        }
        self.nameable = nameable_controls(connection, org_id)
        self.known = {
            (row["test_id"], row["framework"], row["control_id"], row["bundle_id"]): row
            for row in rows.many(connection, test_links, org_id, test_id=tests)
        }
        self.made: list[TestLinkRow] = []
        self.notes: list[Note] = []

    def apply(self, one: LinkRequest) -> dict[str, object]:
        """What becomes of one link."""
        try:
            late = self._check(one)
        except _Refusal as refusal:
            return _answer(one, "refused", None, False, refusal.reason, str(refusal))
        old = self.known.get(one.key)
        if old is not None:
            return _answer(one, "duplicate", old["id"], old["supplement"])
        row: TestLinkRow = {
            "org_id": self.revision.org_id,
            "revision": self.revision.seq,
            "id": new_id("lnk"),
            "test_id": one.test_id,
            "framework": one.framework,
            "control_id": one.control_id,
            "bundle_id": one.bundle_id,
            "status": "linked",
            "supplement": late,
            "linked_by": self.revision.actor,
            "linked_at": self.revision.now,
        }
        self.known[one.key] = row
        self.made.append(row)
        test = self.tests[one.test_id]
        details = {
            "test_id": one.test_id,
            "test": test.kind,
            "outcome": test.outcome,
            "bundle_id": one.bundle_id,
            "supplement": late,
        }
        tag = f"{one.framework}:{one.control_id}"
        self.notes.append(Note("evidence.linked", "test_link", row["id"], controls=tag, details=details))
        return _answer(one, "created", row["id"], late)

    def finish(self) -> None:
        """Write what is new."""
        if self.made:
            self.revision.insert(test_links, self.made)
            self.revision.record_all(self.notes)

    def _check(self, one: LinkRequest) -> bool:
        """Whether the link supplements a bundle that was sealed before the test; _Refusal for what cannot be."""
        test = self.tests.get(one.test_id)
        if test is None:
            raise _Refusal("unknown_test", f"There is no dry-run and no test run {one.test_id!r}.")
        if test.at is None and test.on is None:
            raise _Refusal("not_performed", f"The test {one.test_id!r} has not been performed.")
        if one.control_id not in self.nameable.get(one.framework, ()):
            raise _Refusal("unknown_control", f"No catalogue has the control {one.framework}:{one.control_id}.")
        if one.bundle_id is not None and one.bundle_id not in self.sealed:
            raise _Refusal("unknown_bundle", f"There is no bundle {one.bundle_id!r}.")
        old = self.known.get(one.key)
        if old is not None and old["status"] == "rejected":
            raise _Refusal("rejected_before", f"This link was rejected by {old['linked_by']}.")
        late = one.bundle_id is not None and self._before(self.sealed[one.bundle_id], test)
        if late and not one.supplement and old is None:
            raise _Refusal(
                "sealed_before_test",
                f"The bundle {one.bundle_id!r} was sealed before the test was performed; link it as a supplement.",
            )
        return late

    def _before(self, sealed_at: datetime, test: _Test) -> bool:
        if test.at is not None:
            return sealed_at < test.at
        return test.on is not None and local_day(sealed_at, self.time_zone) < test.on


def _distinct(ids: Iterable[str]) -> list[str]:
    return sorted(set(ids))


def _answer(
    one: LinkRequest,
    outcome: LinkOutcome,
    link_id: str | None,
    supplement: bool,
    reason: str | None = None,
    message: str | None = None,
) -> dict[str, object]:
    return {
        "test_id": one.test_id,
        "framework": one.framework,
        "control_id": one.control_id,
        "bundle_id": one.bundle_id,
        "outcome": outcome,
        "link_id": link_id,
        "supplement": supplement,
        "reason": reason,
        "message": message,
    }
