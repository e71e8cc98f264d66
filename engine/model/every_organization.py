"""Something is done for every organization: one that fails keeps no other from its own, and the whole says so.

    went = for_every_organization("retention", org_ids, lambda org_id: purge(store, org_id, now=now))
    return went.message(f"{sum(went.results.values())} records removed")    # a Problem when it failed for anybody

This is the one place where an error of any kind is caught: what it was goes to the log, its reason to whoever reads
the run, and what failed is tried again when the same is asked for next.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.model.errors import Problem

log = logging.getLogger("hq.organizations")
MOST_NAMED = 20  # failures that a message names: when the store is down, it is everybody's
T = TypeVar("T")


@dataclass(frozen=True)
class OrganizationFailure:
    """An organization for which it failed, and why."""

    org_id: str
    error: Exception

    def __str__(self) -> str:
        return f"{self.org_id}: {noted_reason(self.error)}"


@dataclass(frozen=True)
class OrganizationsRun(Generic[T]):
    """What came of it: ``results`` by organization, in the order given, and those that it failed for."""

    results: Mapping[str, T]
    failures: Sequence[OrganizationFailure]

    def message(self, done: str) -> str:
        """``done``, what was done for the others. A Problem that says so and counts and names the failed, if any."""
        if not self.failures:
            return done
        count = len(self.results) + len(self.failures)
        raise Problem(
            f"{done}; failed for {len(self.failures)} of {count} organizations: {first_named(self.failures)}"
        ) from self.failures[0].error


def for_every_organization(what: str, org_ids: Sequence[str], do: Callable[[str], T]) -> OrganizationsRun[T]:
    """``do`` for each of ``org_ids``, whatever becomes of the others."""
    results: dict[str, T] = {}
    failures: list[OrganizationFailure] = []
    for org_id in org_ids:
        try:
            results[org_id] = do(org_id)
        except Exception as error:  # of whatever kind: the others are owed theirs
            if isinstance(error, Problem):  # it says what it is: where it was raised tells no more
                log.error("%s failed for %s: %s", what, org_id, error.message)
            else:
                log.exception("%s failed for %s", what, org_id)
            failures.append(OrganizationFailure(org_id, error))
    return OrganizationsRun(results, failures)


def first_named(failures: Sequence[object]) -> str:
    """The failures as they read, ``acme: The disk is full.; other: ValueError``, and how many more there are."""
    first = "; ".join(map(str, failures[:MOST_NAMED]))
    return f"{first}; and {len(failures) - MOST_NAMED} more" if len(failures) > MOST_NAMED else first


def noted_reason(error: BaseException) -> str:
    """A failure as runs note it: what a Problem says; of anything else the kind alone, as its text may hold data."""
    return error.message if isinstance(error, Problem) else type(error).__name__


def public_message(error: Exception) -> str:
    """What a caller may read of a failure."""
    return error.message if isinstance(error, Problem) else "It failed on our side; the log has it."
