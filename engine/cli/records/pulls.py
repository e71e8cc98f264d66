"""The command ``hq pull``: read sources, run checks, and write what came out."""

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.model.errors import Usage

if TYPE_CHECKING:
    from engine.evidence.pulls.pull import PullOutcome
    from engine.operations.pulls import WrittenOutcome

SHOWN = 10  # rows of exceptions that a dry run prints
_DAY = click.DateTime(formats=["%Y-%m-%d"])


@click.command(epilog="Example: hq pull pulls.toml --dry-run")
@click.argument("file", metavar="FILE.toml", required=False, type=click.Path(path_type=Path))
@click.option("--only", metavar="CHECK", help="Only the check of this id.")
@click.option("--dry-run", is_flag=True, help="Read and run everything, print what came out, and write nothing.")
@click.option("--since", type=_DAY, metavar="DAY", help="First day asked about; of the cadence's window without it.")
@click.option("--until", type=_DAY, metavar="DAY", help="Last day asked about; today without it.")
@click.option(
    "--prove",
    metavar="[CHECK]",
    is_flag=False,
    flag_value="",
    default=None,
    help="Break copies of the rows and say what the checks notice; without FILE those of their newest runs.",
)
@click.option("--fail-on-exceptions", is_flag=True, help="Exit code 1 when a check failed, too.")
@org_option
def pull(
    file: Path | None,
    only: str | None,
    dry_run: bool,
    since: datetime | None,
    until: datetime | None,
    prove: str | None,
    fail_on_exceptions: bool,
    org: str | None,
) -> None:
    """Read the sources of a file, run its checks over them, and write each as a test with the rows that it saw.

    Exit code 0 when all ran, failed ones included; 1 when a source or a check could not run; 2 for a wrong file.
    """
    from engine.evidence.pulls.pull import chosen_checks
    from engine.operations.pulls import WrittenOutcome, read_pulls, run_pull

    if prove is not None:
        if file is None and prove.endswith(".toml"):  # the file stands where a check may
            file, prove = Path(prove), ""
        _prove(file, prove or only, dry_run, org)
        return
    if file is None:
        raise Usage("Name a file of pulls, such as hq pull pulls.toml.")
    outcomes = []
    with open_console_services() as services:
        org_id = organization(services, org)
        declared = read_pulls(services, org_id, file)
        for one in run_pull(
            services,
            org_id,
            declared,
            chosen_checks(declared, only),
            now=now(),
            since=since.date() if since else None,
            until=until.date() if until else None,
            write=not dry_run,
        ):
            if isinstance(one, WrittenOutcome):
                outcomes.append(one.outcome)
                _print_outcome(one, dry_run)
            else:
                click.echo(f"hq: {one}", err=True)
    _exit(outcomes, fail_on_exceptions)


def _prove(file: Path | None, check: str | None, dry_run: bool, org: str | None) -> None:
    """Break the rows of checks and print what each notices; exit code 1 where one could not be tried."""
    from engine.operations.pulls import prove_checks, read_pulls

    failed = False
    with open_console_services() as services:
        org_id = organization(services, org)
        declared = read_pulls(services, org_id, file) if file is not None else None
        for one in prove_checks(services, org_id, declared, check, now=now(), write=not dry_run):
            if isinstance(one, str):
                failed = True
                click.echo(f"hq: {one}", err=True)
                continue
            tried, noticed = (
                sum(getattr(each, name) for each in one.counts) for name in ("tried", "exceptions_changed")
            )
            sight = "blind" if one.is_blind else "seen"
            fails = "can fail" if one.can_fail else "never fails"
            click.echo(f"{one.subject.check_id}\t{sight}\t{noticed:,} of {tried:,} breaks noticed\t{fails}")
            for each in one.counts:
                if each.tried:
                    place = each.source if each.field == "*" else f"{each.source}.{each.field}"
                    click.echo(f"  {place} {each.change}: {each.exceptions_changed:,} of {each.tried:,}")
            if one.unseen:
                click.echo(f"  never noticed: {', '.join(one.unseen)}")
            if not one.complete:
                click.echo("  The time was up before all was tried.")
    if failed:
        click.get_current_context().exit(1)


def _exit(outcomes: Iterable["PullOutcome"], fail_on_exceptions: bool) -> None:
    failed = [one for one in outcomes if one.answer is not None and one.answer.outcome == "failed"]
    if any(not one.could_run for one in outcomes) or (fail_on_exceptions and failed):
        click.get_current_context().exit(1)


def _print_outcome(written: "WrittenOutcome", dry_run: bool) -> None:
    """A line of a check: its id, what came out, population, exceptions, controls; in a dry run its first exceptions."""
    one = written.outcome
    controls = ", ".join(":".join(control) for control in one.check.controls)
    if one.answer is None:
        click.echo(f"{one.check.id}\tnot run\t{one.unread}\t{controls}")
        return
    answer = one.answer
    counts = f"population {answer.population.rows:,}\texceptions {answer.exceptions.rows:,}"
    reason = f"\t{answer.reason}" if answer.reason else ""
    run = written.run_id or ("dry run" if dry_run else "as before")
    click.echo(f"{one.check.id}\t{answer.outcome}\t{counts}\t{controls}\t{run}{reason}")
    if dry_run:
        for line in answer.exceptions.lines.decode().splitlines()[:SHOWN]:
            click.echo(f"  {json.dumps(json.loads(line), ensure_ascii=False)}")
        if answer.exceptions.rows > SHOWN:
            click.echo(f"  and {answer.exceptions.rows - SHOWN:,} more")


@click.command(epilog="Example: hq evidence rerun check-leavers-have-no-account-r120")
@click.argument("identifier", metavar="ID")
@org_option
def rerun(identifier: str, org: str | None) -> None:
    """Run a check again from the rows that are held of a run, and from nothing else; ID is the run or an item of it.

    Exit code 1 where it does not come to the same, or its bytes are erased, missing or changed.
    """
    from engine.evidence.pulls.reruns import rerun as run_again
    from engine.evidence.store import open_evidence

    with open_console_services() as services:
        evidence = open_evidence(services.settings)
        run_id, again = run_again(services.store, evidence, organization(services, org), identifier)
    answer = again.answer
    counts = f"population {answer.population.rows:,}\texceptions {answer.exceptions.rows:,}"
    reason = f"\t{answer.reason}" if answer.reason else ""
    click.echo(f"{run_id}\t{answer.outcome}\t{counts}{reason}")
    for line in answer.exceptions.lines.decode().splitlines():
        click.echo(f"  {line}")
    for difference in again.differences:
        click.echo(f"hq: {difference}", err=True)
    click.echo("The same as then." if not again.differences else "Not the same as then.")
    if again.differences:
        click.get_current_context().exit(1)
