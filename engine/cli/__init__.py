"""The command ``hq``: the third door to the same functions."""

import atexit
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

import click

from engine.cli.common import write_log
from engine.cli.completion import completion
from engine.cli.help import LONGEST_LINE, TaskGroup
from engine.cli.installation.backup import backup, check, restore
from engine.cli.installation.demo import demo
from engine.cli.installation.doors import config, desk, migrate, routes, scheduler, serve
from engine.cli.installation.gateway import gateway
from engine.cli.installation.openapi import openapi
from engine.cli.installation.session import session
from engine.cli.new import new
from engine.cli.records.archive import verify
from engine.cli.records.crosswalk import crosswalk
from engine.cli.records.deliveries import deliveries, endpoints
from engine.cli.records.erase import erase
from engine.cli.records.evidence import evidence
from engine.cli.records.heads import heads, keys, prove
from engine.cli.records.incident import incident
from engine.cli.records.ingest import ingest
from engine.cli.records.pulls import pull, rerun
from engine.cli.records.records import import_, tables
from engine.cli.records.unsubscribe import unsubscribe
from engine.cli.reports.differences import diff
from engine.cli.reports.figures import figures
from engine.cli.reports.gate import gate
from engine.cli.reports.pages import open_, reports
from engine.cli.reports.plan import plan
from engine.cli.reports.poam import poam
from engine.cli.reports.reports import build, explain, export, report
from engine.model.errors import Problem
from engine.model.file_errors import door_problem
from engine.model.polars_threads import limit_threads
from engine.runtime.keys.private_files import write_privately

TASKS = {
    "Look": (demo, reports, open_, report, export, figures),
    "Ask why and since when": (explain, diff),
    "Be ready by a date": (plan, gate),
    "Bring records in": (import_, evidence, pull, tables, ingest, crosswalk, poam),
    "Say what was done about an incident": (incident,),
    "Sign in, take a person out": (session, erase),
    "What leaves by mail, chat and webhook": (deliveries, endpoints, unsubscribe),
    "Prove": (verify, heads, prove, keys),
    "Run": (serve, desk, scheduler, gateway, build, config, migrate),
    "Keep": (backup, restore, check),
    "For programs and shells": (routes, openapi, completion),
    "For those who change it": (new,),
}
"""What one wants to do, with the commands for it: the help of ``hq``."""

evidence.add_command(rerun)

OBJECTS_BETWEEN_COLLECTIONS = 200_000  # what is loaded makes many objects, and nearly none of them is garbage
INTERRUPTED = "Query interrupted"  # what DuckDB makes of Ctrl-C during a query


@click.group(
    cls=TaskGroup,
    tasks=TASKS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": LONGEST_LINE},
    no_args_is_help=True,
)
@click.version_option(package_name="hq-console", prog_name="hq")
def commands() -> None:
    """Compliance reports from your own records: import them, build the reports, read them here or over HTTP."""


def hq(arguments: Sequence[str]) -> None:
    """Run a command line; exits 0 when done, 1 when the data or a check says no, 2 for wrong usage."""
    write_privately()
    write_log()
    said: Sequence[str] = ()
    try:
        code = commands(args=list(arguments), prog_name="hq", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except Problem as problem:
        code, said = problem.exit_code, _problem_lines(problem)
    except RuntimeError as error:
        if str(error) != INTERRUPTED:
            raise
        sys.exit(130)
    except (OSError, MemoryError) as error:
        unavailable = None if isinstance(error, BrokenPipeError) else door_problem(error)
        if unavailable is None:
            raise
        logging.getLogger("hq").warning("%s", error)  # names the file
        code, said = unavailable.exit_code, _problem_lines(unavailable)
    for line in said:  # once the error is gone: what it holds of the records must be closed before the process ends
        click.echo(line, err=True)
    if isinstance(code, int):
        sys.exit(code)


def _problem_lines(problem: Problem) -> list[str]:
    details = (", ".join(f"{name} {value}" for name, value in detail.items()) for detail in problem.details)
    return [f"hq: {problem.message}", *(f"  {detail}" for detail in details)]


def main() -> None:
    """The console script. SIGTERM ends a command as Ctrl-C does, so that it puts away what it opened."""
    signal.signal(signal.SIGTERM, _terminate)
    limit_threads()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        hq(sys.argv[1:])
    except SystemExit as end:
        _leave(end.code)
        raise
    _leave(0)


def _leave(code: object) -> None:
    """End the process, once all is put away: to take the interpreter down as well takes a fifth of a short command.

    Where threads run, somebody measures it, or what was printed does not go out, the interpreter ends it as usual.
    """
    if threading.active_count() > 1 or not isinstance(code, int) or _is_measured():
        return
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()
        os._exit(code)


def _is_measured() -> bool:
    """Whether a profiler or a debugger is at work, which writes down what it saw after the program."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    tools = map(monitoring.get_tool, range(6)) if monitoring else ()
    return sys.getprofile() is not None or sys.gettrace() is not None or any(tools)


def _terminate(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
