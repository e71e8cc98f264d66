"""A pull: sources are read once, then each check runs over those that it looks at. Nothing is written here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from engine.evidence.pulls.check_run import CheckAnswer, CheckQueries, run_check
from engine.evidence.pulls.declarations import DaySpan, PullCheck, PullFile, window_span
from engine.evidence.pulls.sources.kinds import read_source
from engine.evidence.pulls.sources.paths import check_paths
from engine.evidence.pulls.sources.reading import SourceProblem, SourceReaders, SourceRows
from engine.evidence.pulls.tables import SourceTable
from engine.model.errors import Usage
from engine.model.suggestions import suggestion


@dataclass(frozen=True)
class PullOutcome:
    """What a pull came to about one check. ``unread`` says which source could not be read; then there is no answer."""

    check: PullCheck
    span: DaySpan
    tables: Mapping[str, SourceTable]
    origins: Mapping[str, tuple[tuple[str, str], ...]]  # of each source: what it was read from, with hashes
    versions: Mapping[str, str]
    answer: CheckAnswer | None
    unread: str = ""

    def unwritable(self, reason: str) -> "PullOutcome":
        """The same where what came out cannot be written."""
        return replace(self, answer=None, unread=reason)

    @property
    def could_run(self) -> bool:
        """Whether the check ran at all."""
        return self.answer is not None and self.answer.could_run


def chosen_checks(file: PullFile, only: str | None) -> Sequence[PullCheck]:
    """All checks of a file, or the one that is named; Usage where there is none of that name."""
    if only is None:
        return file.checks
    chosen = [check for check in file.checks if check.id == only]
    if not chosen:
        names = [check.id for check in file.checks]
        near = suggestion(only, names)
        raise Usage(f"{file.path.name} has no check {only!r}; there is {', '.join(names)}.{near and ' '}{near}")
    return chosen


def span_of_check(check: PullCheck, today: date, since: date | None, until: date | None) -> DaySpan:
    """The days that a check asks about: the window of its cadence up to today, unless other days are given."""
    last = until or today
    span = window_span(check.cadence, last)
    first = since or span.since
    if last > today:
        raise Usage(f"--until must be a day up to today, {today}; got {last}.")
    if first > last:
        raise Usage(f"--since must not be after {last}; got {first}.")
    return DaySpan(first, last)


def check_request(
    file: PullFile, checks: Sequence[PullCheck], today: date, since: date | None = None, until: date | None = None
) -> None:
    """Usage for what can be seen to be wrong before anything is read: days, and files where the sources are to lie."""
    for check in checks:
        span_of_check(check, today, since, until)
    check_paths(file, {one.name: one for check in checks for one in file.sources_of(check)}.values())


def pull(
    file: PullFile,
    checks: Sequence[PullCheck],
    readers: SourceReaders,
    today: date,
    since: date | None = None,
    until: date | None = None,
) -> Iterator[PullOutcome | str]:
    """Outcomes of the checks in their order, after what has to be said aloud about sources, as texts.

    A source is read once, and only where a check looks at it.
    """
    spans = {check.id: span_of_check(check, today, since, until) for check in checks}
    rows: dict[str, SourceRows] = {}
    unread: dict[str, str] = {}
    for name in sorted({source.name for check in checks for source in file.sources_of(check)}):
        try:
            rows[name] = read_source(file.sources[name], file.folder, readers)
        except SourceProblem as problem:
            unread[name] = problem.message
            yield problem.message
            continue
        yield from rows[name].warnings
    for check in checks:
        sources = [source.name for source in file.sources_of(check)]
        failed = [unread[name] for name in sources if name in unread]
        read = {name: rows[name] for name in sources if name in rows}
        tables = {table: one.tables[table] for one in read.values() for table in one.tables if table in check.tables}
        span = spans[check.id]
        yield PullOutcome(
            check,
            span,
            tables,
            {name: one.origins for name, one in read.items()},
            {key: value for one in read.values() for key, value in one.versions.items()},
            None if failed else run_check(CheckQueries.of(check), tables, span),
            " ".join(failed),
        )
