"""What several commands share: opening the services, the organization option, progress."""

import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from engine.cli.names import organization_names
from engine.model.errors import Usage
from engine.model.suggestions import suggestion
from engine.runtime.keys.private_files import narrow, sweep_keys
from engine.runtime.settings import Settings

if TYPE_CHECKING:  # loaded where a command works with them: `hq --help` shows every command and needs none of it
    from rich.progress import Progress, ProgressColumn, TaskID

    from engine.runtime.services import Services

MINUTE = 60.0
org_option = click.option(
    "--org",
    metavar="ORG",
    help="Organization. May be left out where there is only one.",
    shell_complete=organization_names,
)


def write_log() -> None:
    """Log to standard error, as every process of ours does."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    for library in ("apscheduler", "alembic", "aiobotocore", "botocore"):
        logging.getLogger(library).setLevel(logging.WARNING)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it notes whole addresses, and ours may hold a password


def now() -> datetime:
    """The clock of the command line."""
    return datetime.now(UTC)


@contextmanager
def open_console_services(
    settings: Settings | None = None, *, shared: bool = False, begin: bool = False
) -> Iterator["Services"]:
    """The services under the settings of the environment, over files that nobody else may read.

    ``begin``: an empty store gets its tables. Any other that has not the schema of this version is refused.
    """
    from engine.reporting.index import index
    from engine.runtime.services import open_services

    settings = settings or Settings.of_process()
    narrow(settings.data_dir, settings.bundle_folder, settings.artifact_folder, settings.evidence_folder)
    sweep_keys(settings.data_dir / "session.secret", settings.webhook_key_path, settings.signing_key_path)
    with open_services(settings, index().catalogue, now=now(), shared=shared, begin=begin) as services:
        yield services


def organization(services: "Services", org: str | None) -> str:
    """The organization that is named, else the only one. Usage says which there are."""
    known = [org_id for org_id, _ in services.store.organizations()]
    if org is None and len(known) == 1:
        return known[0]
    if org in known:
        return str(org)
    there = ", ".join(known) if known else "none yet; `hq import` or `hq demo` makes one"
    if org is None:
        raise Usage(f"Name an organization with --org; there is {there}.")
    near = suggestion(org, known)
    raise Usage(f"There is no organization {org!r}; there is {there}.{near and ' '}{near}")


class Steps:
    """Progress: bars on a terminal, plain lines elsewhere. Called with what is done, how much, of how much."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._said: dict[str, int] = {}
        self._begun: dict[str, tuple[float, int]] = {}  # when something was said first, and how much was done then

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import Progress

        terminal = Console(stderr=True)
        if terminal.is_terminal:
            self._bars = Progress(*self._columns(), console=terminal)
            self._bars.start()
        return self

    def _columns(self) -> "Sequence[ProgressColumn]":
        """What stands in the line of a bar."""
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        times = TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn()
        return TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *times

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars:
            self._bars.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._bars:
            if what not in self._tasks:
                self._tasks[what] = self._bars.add_task(what)
            self._bars.update(self._tasks[what], completed=done, total=total)
            return
        tenth = done * 10 // total if total else 10
        if tenth > self._said.get(what, -1):
            self._said[what] = tenth
            print(f"{what}: {done} of {total}{self._remaining(what, done, total)}", file=sys.stderr)

    def _remaining(self, what: str, done: int, total: int) -> str:
        """How long it may still take, once that is more than a moment."""
        at = time.monotonic()
        begun, first = self._begun.setdefault(what, (at, done))
        if done in (first, total):
            return ""
        seconds = (at - begun) / (done - first) * (total - done)
        return f", about {seconds / 60:.0f} min left" if seconds >= MINUTE else ""

    def count(self, what: str, done: int) -> None:
        """Progress towards an end that is not known."""
        if self._bars:
            if what not in self._tasks:
                self._tasks[what] = self._bars.add_task(what, total=None)
            self._bars.update(self._tasks[what], completed=done)
        elif done - self._said.get(what, -100_000) >= 100_000:
            self._said[what] = done
            print(f"{what}: {done}", file=sys.stderr)
