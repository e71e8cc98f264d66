"""The command that says whether a framework will be ready by a day, and what makes it so."""

import sys

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.cli.on_terminal import print_report
from engine.cli.reports import as_of_option, past, report_bytes
from engine.model.plan_parameters import BY, FROM, PLANNED_FRAMEWORK, TARGET
from engine.model.vocabulary import FRAMEWORKS

REPORT = "gap-remediations"  # which answers for any framework
FORMATS = ("json", "csv", "html", "md", "xlsx", "ics", "pdf")


@click.command(
    epilog="Example: hq plan --framework soc2 --by 2027-03-01 --org aurora --format csv | hq import - --org aurora"
)
@click.option("--framework", required=True, type=click.Choice(FRAMEWORKS))
@click.option(
    "--target", type=click.IntRange(1, 100), metavar="PERCENT", help="Strict readiness that is wanted; 100 without."
)
@click.option("--by", metavar="DAY", help="The day, YYYY-MM-DD; the framework's own target date without.")
@click.option("--type2-from", "start", metavar="DAY", help="Effective throughout from that day on, as Type II asks.")
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
    org: str | None,
    as_of: str | None,
    form: str | None,
) -> None:
    """Say whether a framework will be ready by a day, and the cheapest work that makes it so.

    As CSV it is what `hq import -` takes back as remediations and attestations: so a plan is accepted.
    """
    asked = {PLANNED_FRAMEWORK.name: framework, TARGET.name: str(target or TARGET.default)}
    asked |= {name: text for name, text in ((BY.name, by), (FROM.name, start)) if text is not None}
    if form == "csv":
        sys.stdout.write(_rows(org, asked, as_of))
        return
    print_report(form, lambda shown: report_bytes(REPORT, org, shown, {**asked, **past(as_of)}))


def _rows(org: str | None, asked: dict[str, str], as_of: str | None) -> str:
    import polars as pl

    from engine.model.as_of import AsOf
    from engine.reporting.index import index
    from engine.reporting.planning.plan import make_plan
    from engine.reporting.planning.question import plan_question
    from engine.reporting.planning.rows import import_csv

    at, _ = AsOf.take(past(as_of))
    with (
        open_console_services() as services,
        services.snapshots.open(organization(services, org), now=now(), at=at) as snapshot,
    ):
        fact = snapshot.fact
        question = plan_question(fact("framework_targets"), index().plan.parse(asked), snapshot.as_of)
        duties = fact("attestation_duties").filter(
            ~pl.col("done"), ~pl.col("withdrawn"), ~pl.col("id").str.ends_with("-next")
        )
        made = make_plan(fact, question, snapshot.as_of)
        return import_csv(made, fact("remediations_rows"), fact("remediation_details_rows"), duties)
