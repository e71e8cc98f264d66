"""The generated parts of ``docs/reference/``: what the declarations say, as Markdown."""

import re

import click

import api
from engine.cli import commands
from engine.intake.imports import describe_tables
from engine.model.figures.aggregates import (
    ONE,
    Count,
    Distinct,
    First,
    Maximum,
    Minimum,
    Percentile,
    Ratio,
    Score,
    Share,
    Sum,
)
from engine.model.figures.aggregates import expression as expressed
from engine.model.rights import EVERY_TABLE, RIGHTS
from engine.reporting.glossary import definitions
from engine.runtime.settings import Settings
from engine.web.handlers.reports import ReportHandler
from reports import CATALOGUE, SECTIONS
from tests.contract import REPORT_ROUTES
from tests.factories import ask
from tests.formulas import formula_text
from tests.web.interface import interface

PEOPLE = {
    "owner": "owners",
    "admin": "admins",
    "operator": "operators",
    "member": "members",
    "own": "whom the row names",
}


def route_of(name):
    """The path of the route that answers with this report."""
    (path,) = (r.path for r in api.ROUTES if isinstance(r.handler, ReportHandler) and r.handler.report == name)
    return path


def slug(chapter):
    return re.sub(r"[^a-z]+", "-", chapter.lower())


PAGES = {report.name: f"{slug(chapter)}.md" for chapter, declared in SECTIONS.items() for report in declared}
# the report that shows a figure first, where it is defined
HOMES = {figure.id: report.name for report in reversed(CATALOGUE.values()) for figure in report.figures}


def cell(text):
    return text.replace("|", "\\|")


def table(*headings):
    return [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]


# reports and their figures


def chapters():
    """The chapters with their reports."""
    lines = table("chapter", "reports")
    for chapter, declared in SECTIONS.items():
        page = f"reports/{slug(chapter)}.md"
        lines.append(f"| [{chapter}]({page}) | {', '.join(f'[{one.name}]({page}#{one.name})' for one in declared)} |")
    return lines


def chapter(name):
    """The reports of a chapter: what each may be asked, and the figures that it shows.

    A figure is defined where it is shown first; later ones link there.
    """
    lines = []
    for report in SECTIONS[name]:
        lines += _report(report)
    return lines[1:]


def _report(report):
    own = [f"`{one.name}` ({one.help}: {one.expectation})" for one in report.parameters]
    lines = [
        "",
        f"## {report.name}",
        "",
        f"**{report.title}.** {report.description}",
        "",
        f"- Route: {_route(report.name)}, as {', '.join(report.formats)}",
        f"- Parameters: {cell('; '.join(own)) or 'none of its own'}",
    ]
    first = [figure for figure in report.figures if HOMES[figure.id] == report.name]
    others = [f"[{cell(f.title)}]({_home(f.id, report.name)})" for f in report.figures if f not in first]
    if others:
        lines.append(f"- Figures that are defined elsewhere: {', '.join(others)}")
    if first:
        lines += ["", *table("figure", "counts", "formula", "in")]
        lines += [_figure(figure) for figure in first]
    return lines


def _route(name):
    return f"`GET {REPORT_ROUTES[name]}`" if name in REPORT_ROUTES else f"none of its own; `hq report {name}`"


def _figure(figure):
    name = f'<a id="{figure.id}"></a>{cell(figure.title)}<br>`{figure.id}`'
    measured = figure.unit if figure.better == "neither" else f"{figure.unit}, {figure.better} is better"
    return f"| {name} | {cell(figure.definition)} | {cell(formula(figure))} | {measured} |"


def figures():
    """Every figure with the place of its definition, by identifier."""
    lines = table("figure", "title", "in", "reports")
    for entry in sorted(definitions(CATALOGUE), key=lambda entry: entry.figure.id):
        place = f"reports/{PAGES[HOMES[entry.figure.id]]}#{entry.figure.id}"
        text = ", ".join(entry.reports)
        lines.append(f"| [{entry.figure.id}]({place}) | {cell(entry.title)} | {entry.figure.unit} | {text} |")
    return lines


def _home(figure, report):
    page = PAGES[HOMES[figure]]
    return f"{'' if page == PAGES[report] else page}#{figure}"


def formula(figure):
    """What the aggregate takes of which rows, under the settings that an organization begins with."""
    made_of = " and ".join(f"`{fact}`" for fact in figure.facts)
    rows = f"rows of {made_of}" if isinstance(figure.fact, str) else f"rows made of {made_of}"
    if figure.where is not None:
        rows += _where(figure.where)
    parts = {name: _argument_text(given) for name, given in figure.aggregate.parts.items()}
    match figure.aggregate:
        case Count():
            return f"number of {rows}"
        case Distinct(of=column):
            return f"different `{column}` in {rows}"
        case Sum():
            return f"sum of {parts['amount']} over {rows}"
        case Share(flag=flag):
            return f"100 × those{_where(flag)} / all {rows}"
        case Ratio(scale=scale):
            return f"{scale:g} × sum of {parts['numerator']} / sum of {parts['denominator']}, over {rows}"
        case Percentile(pct=pct):
            return f"{'median' if pct == 50 else f'percentile {pct:g}'} of {parts['value']}, nearest rank, over {rows}"
        case Minimum():
            return f"smallest {parts['value']} of {rows}"
        case Maximum():
            return f"largest {parts['value']} of {rows}"
        case First():
            return f"{parts['value']} of the first of {rows}"
        case Score():
            return f"sum of {parts['contribution']} over {rows} that have a {parts['value']}"
    # a weighted mean
    if figure.aggregate.weight is ONE:
        return f"mean of {parts['value']} over {rows}"
    return f"mean of {parts['value']}, weighted by {parts['denominator']}, over {rows}"


def _where(given):
    """Which rows count; where that takes more than a formula, the columns that decide."""
    words = formula_text(expressed(given, ask()))
    return f" where {words}" if words else f" chosen by {_columns(given)}"


def _argument_text(given):
    return "1" if given is ONE else formula_text(expressed(given, ask())) or f"a value of {_columns(given)}"


def _columns(given):
    """The columns that an expression looks at."""
    names = expressed(given, ask()).meta.root_names()
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


# settings, tables, commands


def settings():
    lines = table("setting", "default", "meaning")
    return lines + [f"| `{name}` | {cell(value) or '–'} | {cell(help)} |" for name, value, help in Settings().listing()]


def tables():
    """What `hq tables` prints, below the title of the page."""
    _, _, text = describe_tables().partition("\n")
    return text.strip().splitlines()


def rights():
    """Who may do which acts to the rows of each table at the desk; a table that is not named is as every table is."""
    lines = table("table", "acts", "who may")
    tables = dict.fromkeys(name for name, _ in RIGHTS)
    for name in tables:
        acts = {}
        for (of, act), who in RIGHTS.items():
            if of == name:
                acts.setdefault(who, []).append(act)
        for who, those in acts.items():
            people = [PEOPLE[role] for role in PEOPLE if role in who]
            shown = "every other table" if name == EVERY_TABLE else f"`{name}`"
            lines.append(f"| {shown} | {', '.join(those)} | {', '.join(people) or 'nobody'} |")
    return lines


def options():
    """What `hq NAME --help` says of each command and of those below it."""
    return [line for name in sorted(commands.commands) for line in _command(f"hq {name}", commands.commands[name])]


def _command(name, command):
    text = re.sub(r"\s+", " ", command.help or "").strip()
    taken = [each for each in command.params if isinstance(each, click.Argument)]
    lines = ["", f"### {name}", "", _markdown(text)]
    usage = " ".join([name, *(each.make_metavar(click.Context(command)) for each in taken)])
    lines += ["", f"`{usage}`"]
    given = [each for each in command.params if isinstance(each, click.Option)]
    if given:
        lines += ["", *table("option", "does"), *(_option(each, command) for each in given)]
    if command.epilog:
        lines += ["", f"`{command.epilog.removeprefix('Example: ').strip()}`"]
    for below, one in sorted(getattr(command, "commands", {}).items()):
        lines += _command(f"{name} {below}", one)
    return lines


def _option(option, command):
    default = option.default
    known = default not in (None, False, (), "") and option.show_default and isinstance(default, str | int)
    more = f" Default: {default}." if known else ""
    more += " Required." if option.required else ""
    spelled = ", ".join(f"`{each}`" for each in option.opts)
    return f"| {spelled} | {cell(_markdown(option.help or ''))}{more} |"


def _markdown(text):
    """Help for a terminal, in which stars, brackets and angles are themselves."""
    return re.sub(r"(?<!\\)([<>*_\[\]])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", text)


# HTTP


def http():
    """Every operation of the OpenAPI document by chapter, then the credentials that they take."""
    told = interface()
    shared = told["components"]["parameters"]
    lines = []
    for tag in told["tags"]:
        lines += ["", f"## {tag['name']}", "", *table("operation", "who", "does", "parameters and body")]
        for path, operations in told["paths"].items():
            for method, operation in operations.items():
                if tag["name"] in operation["tags"]:
                    lines.append(_operation(method, path, operation, shared))
    lines += ["", "## Credentials", "", *table("credential", "what it is")]
    for name, scheme in told["components"]["securitySchemes"].items():
        lines.append(f"| {name} | {cell(scheme['description'])} |")
    return lines[1:]


def _operation(method, path, operation, shared):
    credentials = [" and ".join(one) or "nobody signed in" for one in operation["security"]]
    who = " or ".join(credentials) or "everybody"
    access = operation.get("description", "").removeprefix("Access: ").rstrip(".")
    if "(" in access or access == "PADM":
        who += f": {access.partition('(')[2].rstrip(')') or 'platform administrators'}"
    named = [_parameter(each, shared) for each in operation["parameters"]]
    body = operation.get("requestBody", {}).get("content", {})
    named += [f"body: {', '.join(f'`{media}`' for media in body)}"] if body else []
    return (
        f"| `{method.upper()} {path}` | {cell(who)} | {cell(operation['summary'])} | {cell(', '.join(named)) or '–'} |"
    )


def _parameter(given, shared):
    declared = shared[given["$ref"].rpartition("/")[2]] if "$ref" in given else given
    return f"`{declared['name']}`" + ("" if declared["in"] == "query" else f" ({declared['in']})")
