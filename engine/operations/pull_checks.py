"""What can be wrong with pulls: files that cannot be read, sources that could not be, checks that tested nothing."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from engine.evidence.pulls.pull_file import read_pull_file
from engine.evidence.pulls.sources.paths import check_paths
from engine.model.errors import Problem
from engine.operations.pulls import scheduled_files
from engine.runtime.settings import Settings
from engine.store.queries.accounts.installation import positions
from engine.store.queries.own_frameworks import own_assessable
from engine.store.rows import Reader, many
from engine.store.schema.controls import test_runs, testing_schedules

Progress = Callable[[str, int, int], None]


def checks(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """Checks that came to no answer the last time, with the reason."""
    for one in positions(connection):
        for row in many(connection, testing_schedules, one.org_id, order=("check_id",)):
            if row["check_id"] is None or row["ends_on"] is not None:
                continue
            if row["unread"] is not None:
                since = f"{row['unread_at']:%Y-%m-%d %H:%M} UTC" if row["unread_at"] else "the last pull"
                yield f"{one.org_id}: the check {row['check_id']} is stale since {since}: {row['unread']}"
                continue
            runs = many(connection, test_runs, one.org_id, schedule_id=row["id"])
            newest = max(runs, key=lambda run: run["sequence"] or 0, default=None)
            if newest is not None and newest["outcome"] == "not_tested":
                yield f"{one.org_id}: the check {row['check_id']} tested nothing the last time: {newest['reason']}."


def files(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """Files of SVC_PULLS that are no files of pulls of their organization."""
    there = [one.org_id for one in positions(connection)]
    names: dict[tuple[str | None, str], Path] = {}
    for org_id, path in scheduled_files(settings):
        if org_id is not None and org_id not in there:
            yield f"SVC_PULLS names {path} of {org_id}, which is no organization; there is {', '.join(there)}."
            continue
        own = frozenset(pair for one in ([org_id] if org_id else there) for pair in own_assessable(connection, one))
        try:
            file = read_pull_file(path, own)
            check_paths(file, file.sources.values())
        except Problem as problem:
            yield f"SVC_PULLS names {path}: {problem.message}"
            continue
        first = names.setdefault((org_id, file.name), path)
        if first != path:
            yield (
                f"SVC_PULLS names {first} and {path}, which end each other's checks: give one of them a line "
                'name = "…" of its own.'
            )
