"""The command that a pipeline asks whether to go on."""

import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.cli.reports.every_organization import must_be_in_scope_somewhere, print_rows
from engine.cli.reports.reports import as_of_option, past
from engine.model.days import local_day
from engine.model.errors import Usage
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.durable_files import write_whole

if TYPE_CHECKING:
    from engine.reporting.gate import Condition
    from engine.reporting.snapshot.snapshot import Snapshot
    from engine.runtime.services import Services

SINCE_DAYS = 30
COLUMNS = ("organization", "framework", "condition", "holds", "found")


@click.command(epilog="Example: hq gate --framework soc2 --min-strict 80 --no-new critical --org aurora > gate.xml")
@click.option(
    "--framework", "frameworks", multiple=True, required=True, metavar="ID", help="A framework. May be repeated."
)
@click.option("--min-strict", type=click.FloatRange(0, 100), metavar="PERCENT", help="Least strict readiness.")
@click.option("--min-weighted", type=click.FloatRange(0, 100), metavar="PERCENT", help="Least weighted readiness.")
@click.option(
    "--no-new",
    "severity",
    type=click.Choice(("critical", "high", "medium", "low")),
    help="No gap as grave that was not there before.",
)
@click.option(
    "--since", metavar="DAY", help="The end of that day, YYYY-MM-DD; without 30 days ago, or the first on record."
)
@click.option("--all", "everyone", is_flag=True, help="Every organization, in one table; the XML goes to --output.")
@org_option
@as_of_option
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="A file for the JUnit XML.")
def gate(
    frameworks: tuple[str, ...],
    min_strict: float | None,
    min_weighted: float | None,
    severity: str | None,
    since: str | None,
    everyone: bool,
    org: str | None,
    as_of: str | None,
    output: Path | None,
) -> int:
    """Exit with 1 unless frameworks are as ready as asked; what holds and what does not is JUnit XML.

    Conditions are those that are given, each for each framework.
    """
    from engine.model.declarations.as_of import SINCE, AsOf
    from engine.reporting.gate import junit, least, no_new

    if min_strict is None and min_weighted is None and severity is None:
        raise Usage("Say what is to hold: --min-strict, --min-weighted or --no-new.")
    if since is not None and severity is None:
        raise Usage("--since says since when --no-new counts: give both, or neither.")
    if everyone and org is not None:
        raise Usage("--all asks every organization: leave out either --all or --org.")
    moment = now()
    at, _ = AsOf.take(past(as_of))
    least_of = {"strict": min_strict, "weighted": min_weighted}
    asked = [(measure, percent) for measure, percent in least_of.items() if percent is not None]
    checks: list[Condition] = []
    rows: list[dict[str, object]] = []
    known: set[str] = set()
    with open_console_services() as services:
        names = [one for one, _ in services.store.organizations()] if everyone else [organization(services, org)]
        for name in names:
            with services.snapshots.open(name, now=moment, at=at) as snapshot:
                scope = snapshot.fact("readiness").get_column("framework").to_list()
                known |= {*scope}
                mine = [one for one in frameworks if one in scope] if everyone else list(frameworks)
                rows += [_row(name, one) for one in frameworks if one not in mine]
                conditions = [least(snapshot, one, *condition) for one in mine for condition in asked]
                if severity is not None and mine:
                    day = _earlier(services, snapshot) if since is None else since
                    SINCE.parse(day)
                    then, _ = AsOf.take(past(day))
                    with services.snapshots.open(name, now=moment, at=then) as before:
                        conditions += [no_new(snapshot, before, one, severity) for one in mine]
                conditions = [replace(one, name=snapshot.framework_name(one.framework)) for one in conditions]
                rows += [_row(name, one.framework, one) for one in conditions]
                checks += [replace(one, org_id=name) for one in conditions] if everyone else conditions
    if everyone:
        must_be_in_scope_somewhere(frameworks, known)
    data = junit(checks, moment)
    if output is not None:
        try:
            write_whole(output, data)
        except OSError as error:
            raise file_problem(f"Cannot write {output}", error) from error
    if everyone:
        print_rows(COLUMNS, rows, None)
    elif output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    for check in checks:
        if not check.holds:
            where = f"{check.org_id}: " if check.org_id else ""
            click.echo(f"{where}{check.framework}: {check.says} does not hold: {check.found}", err=True)
    return 0 if all(check.holds for check in checks) else 1


def _row(org_id: str, framework: str, check: "Condition | None" = None) -> dict[str, object]:
    if check is None:
        return {**dict.fromkeys(COLUMNS), "organization": org_id, "framework": framework, "found": "not in scope"}
    return {
        "organization": org_id,
        "framework": framework,
        "condition": check.says,
        "holds": check.holds,
        "found": check.found,
    }


def _earlier(services: "Services", snapshot: "Snapshot") -> str:
    """The day that gaps are new since where nobody says. Usage where there is none."""
    from engine.store.queries.history.positions import history_start

    with services.store.reader() as connection:
        start = history_start(connection, snapshot.org_id)
    first = snapshot.as_of if start is None else local_day(start.recorded_at, services.store.time_zone(snapshot.org_id))
    if first >= snapshot.as_of:
        raise Usage(
            f"Records of {snapshot.org_id} begin on {first}: there is no earlier day that a gap could be new since."
        )
    return max(first, snapshot.as_of - timedelta(days=SINCE_DAYS)).isoformat()
