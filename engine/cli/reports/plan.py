"""The command that says whether a framework will be ready by a day, and what makes it so."""

import sys
from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.cli.on_terminal import print_report
from engine.cli.reports.reports import as_of_option, past, report_bytes
from engine.model.declarations.plan_parameters import BY, FROM, PLANNED_FRAMEWORK, TARGET
from engine.model.errors import BadRequest, Usage

if TYPE_CHECKING:
    import polars as pl

REPORT = "gap-remediations"  # which answers for any framework
FORMATS = ("json", "csv", "html", "md", "xlsx", "ics", "pdf")


@click.command(
    epilog="Example: hq plan --framework soc2 --by 2027-03-01 --org aurora --format csv | hq import - --org aurora"
)
@click.option("--framework", required=True, metavar="ID", help="A framework of the program or of one's own.")
@click.option(
    "--target", type=click.IntRange(1, 100), metavar="PERCENT", help="Strict readiness that is wanted; 100 without."
)
@click.option("--by", metavar="DAY", help="The day, YYYY-MM-DD; the framework's own target date without.")
@click.option("--type2-from", "start", metavar="DAY", help="Effective throughout from that day on, as Type II asks.")
@click.option("--back-test", is_flag=True, help="What was foreseen 30, 60 and 90 days ago for today, and what came.")
@org_option
@as_of_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="csv: rows that `hq import` takes. Without: laid out on a terminal, else json.",
)
def plan(
    framework: str,
    target: int | None,
    by: str | None,
    start: str | None,
    back_test: bool,
    org: str | None,
    as_of: str | None,
    form: str | None,
) -> None:
    """Say whether a framework will be ready by a day, and the cheapest work that makes it so.

    As CSV it is what `hq import -` takes back as remediations and attestations: so a plan is accepted.
    """
    if back_test:
        if target or by or start:
            raise Usage("--back-test looks back from today: leave out --target, --by and --type2-from.")
        print_report(form, lambda shown: _back_test(org, framework, as_of, shown or "json"))
        return
    for option, text in (("--by", by), ("--type2-from", start)):
        if text is not None:
            _day(option, text)
    if form == "csv" and as_of is not None:
        raise Usage("A plan of the past is not to be taken back: leave out --as-of, or ask for another format.")
    asked = {PLANNED_FRAMEWORK.name: framework, TARGET.name: str(target or TARGET.default)}
    asked |= {name: text for name, text in ((BY.name, by), (FROM.name, start)) if text is not None}
    if form == "csv":
        sys.stdout.write(_rows(org, asked))
        return
    print_report(form, lambda shown: report_bytes(REPORT, org, shown, {**asked, **past(as_of)}))


def _day(option: str, text: str) -> None:
    """Usage for what is no day, by the name of the option."""
    try:
        BY.parse(text)
    except BadRequest as error:
        raise Usage(f"{option} must be {BY.expectation}; got {text[:80]!r}.") from error


def _back_test(org: str | None, framework: str, as_of: str | None, form: str) -> bytes:
    from engine.model.declarations.as_of import AsOf
    from engine.planning.back_test import DAYS_BACK, back_test_report
    from engine.render import RENDERERS

    at, _ = AsOf.take(past(as_of))
    with open_console_services() as services:
        name = organization(services, org)
        with services.snapshots.open(name, now=now(), at=at) as snapshot:
            horizons: dict[date, pl.DataFrame] = {}
            for day in (snapshot.as_of - timedelta(days=number) for number in DAYS_BACK):
                with (
                    suppress(BadRequest),  # nothing is recorded of so early a day
                    services.snapshots.open(name, now=now(), at=AsOf(day)) as earlier,
                ):
                    horizons[day] = earlier.fact("control_horizons").filter(framework=framework)
            edition = snapshot.edition(back_test_report(horizons, framework), {PLANNED_FRAMEWORK.name: framework})
    return RENDERERS[form].render(edition)


def _rows(org: str | None, asked: dict[str, str]) -> str:
    from engine.planning.rows import REPORT as ROWS
    from engine.planning.rows import import_csv

    with (
        open_console_services() as services,
        services.snapshots.open(organization(services, org), now=now()) as snapshot,
    ):
        return import_csv(snapshot.edition(ROWS, asked).document)
