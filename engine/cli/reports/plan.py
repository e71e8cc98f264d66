"""The command that says whether frameworks will be ready by their days, and what makes them so."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.cli.on_terminal import print_report
from engine.cli.reports.plan_goals import GoalWords, day, goals_in, goals_of
from engine.cli.reports.reports import as_of_option, past, report_bytes
from engine.model.declarations.plan_parameters import (
    BY,
    FROM,
    GOALS,
    KEEP,
    MORE_HOURS,
    PLANNED_FRAMEWORK,
    PRICES,
    SLACK,
    TARGET,
    WITHOUT,
)
from engine.model.errors import BadRequest, Usage

if TYPE_CHECKING:
    import polars as pl

    from engine.runtime.services import Services

REPORT = "gap-remediations"  # which answers for any framework
FORMATS = ("json", "csv", "html", "md", "xlsx", "ics", "pdf", *("jira", "linear", "gh"))
WORK_FORMATS = ("jira", "linear", "gh")
ALL_FORMATS = ("csv", "json")


@click.command(
    epilog="Example: hq plan --framework soc2 --by 2027-03-01 --org aurora --format csv | hq import - --org aurora"
)
@click.argument("file", required=False, metavar="[PLAN.TOML]", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--framework",
    "frameworks",
    multiple=True,
    metavar="ID",
    help="A framework of the program or of one's own. May be repeated.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="PERCENT",
    help="Strict readiness that is wanted; 100 without. Of one of several: soc2=90.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="DAY",
    help="The day, YYYY-MM-DD, of each framework in their order; the framework's own target date without.",
)
@click.option(
    "--type2-from",
    "starts",
    multiple=True,
    metavar="DAY",
    help="Effective throughout from that day on, as Type II asks.",
)
@click.option("--prices", is_flag=True, help="What each day and each target costs: hours saved by a week, a point.")
@click.option(
    "--keep",
    is_flag=True,
    help="Agreed work stays with whom and when it was agreed, as far as they have the hours, whatever that costs.",
)
@click.option(
    "--without", multiple=True, metavar="ACTION", help="Work that is not to be done: soc2:CC6.1. May be repeated."
)
@click.option(
    "--with-hours",
    "more_hours",
    multiple=True,
    metavar="HOURS/week@ROLE",
    help="What more hours would buy: 8/week@operator, or of a person. May be repeated.",
)
@click.option("--back-test", is_flag=True, help="What was foreseen 30, 60 and 90 days ago for today, and what came.")
@click.option("--all", "everyone", is_flag=True, help="Every organization, in one table; csv or json elsewhere.")
@org_option
@as_of_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="csv: rows that `hq import` takes; jira and linear: CSV for their importers; gh: lines of `gh issue create`. "
    "Without: laid out on a terminal, else json.",
)
def plan(
    file: Path | None,
    frameworks: tuple[str, ...],
    targets: tuple[str, ...],
    by: tuple[str, ...],
    starts: tuple[str, ...],
    prices: bool,
    keep: bool,
    without: tuple[str, ...],
    more_hours: tuple[str, ...],
    back_test: bool,
    everyone: bool,
    org: str | None,
    as_of: str | None,
    form: str | None,
) -> None:
    """Say whether frameworks will be ready by their days, and the cheapest work that makes them so.

    As CSV it is what `hq import -` takes back as remediations and attestations: so a plan is accepted.
    """
    chosen = {
        name: text
        for name, text in (
            (KEEP.name, "yes" if keep else ""),
            (WITHOUT.name, ",".join(without)),
            (MORE_HOURS.name, ",".join(more_hours)),
            (PRICES.name, "yes" if prices else ""),
        )
        if text
    }
    if back_test:
        if targets or by or starts or file or chosen or everyone or len(frameworks) != 1:
            raise Usage("--back-test looks back from today at one --framework: leave out what else a plan is asked.")
        print_report(form, lambda label: _back_test(org, frameworks[0], as_of, label or "json"))
        return
    if file is not None and not file.suffix and not file.exists():
        raise Usage(f"There is no file {file}. A framework is named by --framework: hq plan --framework {file}.")
    if file is not None and (frameworks or by or targets or starts):
        raise Usage(
            f"{file} says frameworks, days and targets: leave out --framework, --by, --target and --type2-from."
        )
    if file is None and not frameworks and not everyone:
        raise Usage("Name a --framework, or a file with goals; --all looks at every organization.")
    goals = goals_in(file) if file is not None else goals_of(frameworks, by, targets, starts)
    if everyone:
        if org is not None or form not in (None, *ALL_FORMATS):
            raise Usage("--all is one table of every organization: leave out --org, and every format but csv and json.")
        if chosen or starts:
            raise Usage("--all takes frameworks, targets and days alone: leave out what else a plan is asked.")
        _print_all(goals, day("--by", by[0] if by and not frameworks else None), as_of, form)
        return
    if form in ("csv", *WORK_FORMATS) and as_of is not None:
        raise Usage("A plan of the past is not to be taken back: leave out --as-of, or ask for another format.")
    if form in ("csv", *WORK_FORMATS) and more_hours:
        raise Usage(
            "--with-hours is a question about people who are not there: leave it out, or ask for another format."
        )
    if form in ("csv", *WORK_FORMATS):
        chosen.pop(PRICES.name, None)  # rows are the same with them
    asked = _parameters(goals) | chosen
    with open_console_services() as services:
        asked |= _slack(services)
        _must_be_in_scope(services, organization(services, org), [goal.framework for goal in goals], as_of)
    if form == "csv":
        sys.stdout.write(_rows(org, asked))
    elif form in WORK_FORMATS:
        sys.stdout.write(_work(org, asked, str(form)))
    else:
        print_report(form, lambda shown: report_bytes(REPORT, org, shown, {**asked, **past(as_of)}))


def _parameters(goals: list[GoalWords]) -> dict[str, str]:
    """The parameters of one framework, or of several."""
    if len(goals) > 1:
        # ``framework`` says which report answers; the goals say the rest
        first = goals[0]
        days = {BY.name: first.by} if first.by else {}
        return {
            PLANNED_FRAMEWORK.name: first.framework,
            TARGET.name: str(first.target),
            **days,
            GOALS.name: ",".join(goal.word for goal in goals),
        }
    goal = goals[0]
    asked = {PLANNED_FRAMEWORK.name: goal.framework, TARGET.name: str(goal.target)}
    return asked | {name: text for name, text in ((BY.name, goal.by), (FROM.name, goal.start)) if text is not None}


def _slack(services: "Services") -> dict[str, str]:
    """The slack of the installation, where it has one of its own."""
    from engine.planning.question import SLACK_DAYS

    days = services.settings.plan_slack_days
    return {} if days == SLACK_DAYS else {SLACK.name: str(days)}


def _must_be_in_scope(services: "Services", org_id: str, frameworks: Sequence[str], as_of: str | None) -> None:
    from engine.model.declarations.as_of import AsOf
    from engine.model.vocabulary import FRAMEWORK_NAMES, FRAMEWORKS

    at, _ = AsOf.take(past(as_of))
    with services.snapshots.open(org_id, now=now(), at=at) as snapshot:
        scope: list[str] = snapshot.fact("framework_targets").get_column("framework").to_list()
    for framework in frameworks:
        if framework not in scope:
            if framework in FRAMEWORK_NAMES and framework not in FRAMEWORKS:
                raise Usage(f"{FRAMEWORK_NAMES[framework]} has no controls of its own: there is no plan for it.")
            raise Usage(f"{framework} is not in scope of {org_id}; in scope: {', '.join(scope) or 'none'}.")


def _back_test(org: str | None, framework: str, as_of: str | None, form: str) -> bytes:
    from engine.model.declarations.as_of import AsOf
    from engine.planning.verdict.back_test import DAYS_BACK, back_test_report
    from engine.render import RENDERERS

    at, _ = AsOf.take(past(as_of))
    with open_console_services() as services:
        name = organization(services, org)
        _must_be_in_scope(services, name, [framework], as_of)
        with services.snapshots.open(name, now=now(), at=at) as snapshot:
            horizons: dict[date, pl.DataFrame] = {}
            for then in (snapshot.as_of - timedelta(days=number) for number in DAYS_BACK):
                with (
                    suppress(BadRequest),  # nothing is recorded of so early a day
                    services.snapshots.open(name, now=now(), at=AsOf(then)) as earlier,
                ):
                    horizons[then] = earlier.fact("control_horizons").filter(framework=framework)
            edition = snapshot.edition(
                back_test_report(horizons, framework, snapshot.framework_name(framework)),
                {PLANNED_FRAMEWORK.name: framework},
            )
    return RENDERERS[form].render(edition)


def _rows(org: str | None, asked: dict[str, str]) -> str:
    from engine.planning.exports.rows import REPORT as ROWS
    from engine.planning.exports.rows import import_csv

    with (
        open_console_services() as services,
        services.snapshots.open(organization(services, org), now=now()) as snapshot,
    ):
        return import_csv(snapshot.edition(ROWS, asked).document)


def _work(org: str | None, asked: dict[str, str], form: str) -> str:
    from engine.planning.exports.rows import REPORT as ROWS
    from engine.planning.exports.work_items import WORK_FORMS

    with (
        open_console_services() as services,
        services.snapshots.open(organization(services, org), now=now()) as snapshot,
    ):
        return WORK_FORMS[form](snapshot.edition(ROWS, asked).document)


def _print_all(goals: list[GoalWords], by: str | None, as_of: str | None, form: str | None) -> None:
    from engine.cli.reports.every_organization import must_be_in_scope_somewhere, print_rows
    from engine.model.declarations.as_of import AsOf
    from engine.planning.exports.overview import COLUMNS, overview

    at, _ = AsOf.take(past(as_of))
    moment, rows, scope = now(), [], set[str]()
    wanted = [
        (goal.framework, goal.target, date.fromisoformat(on) if (on := goal.by or by) else None) for goal in goals
    ]
    with open_console_services() as services:
        for name, _ in services.store.organizations():
            with services.snapshots.open(name, now=moment, at=at) as snapshot:
                slack = services.settings.plan_slack_days
                rows += overview(name, snapshot.fact, snapshot.as_of, slack, wanted)
                scope |= {*snapshot.fact("framework_targets")["framework"]}
    must_be_in_scope_somewhere([goal.framework for goal in goals], scope)
    print_rows(COLUMNS, rows, form)
