"""Commands that build, print and export reports."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import Steps, now, open_console_services, org_option, organization
from engine.cli.names import figure_names, format_names, parameter_names, report_names
from engine.cli.on_terminal import print_report
from engine.model.declarations.declaration import HEAVY
from engine.model.errors import Usage
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.durable_files import write_whole
from engine.runtime import setting_values
from engine.runtime.settings import Settings

if TYPE_CHECKING:
    from engine.reporting.batch.report_batch import ChunkRun
    from engine.runtime.services import Services

param_option = click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the report.",
    shell_complete=parameter_names,
)
as_of_option = click.option("--as-of", metavar="DAY", help="As it was at the end of that day, YYYY-MM-DD.")


@click.command(epilog="Example: hq build --all --cluster tcp://scheduler:8786")
@org_option
@click.option("--all", "everyone", is_flag=True, help="Every organization.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Processes; the number of cores without.")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="The scheduler of a Dask cluster that builds them instead; SVC_BUILD_CLUSTER without.",
)
def build(org: str | None, everyone: bool, jobs: int | None, cluster: str | None) -> None:
    """Build every report, so that reading them is instant. What is there is not made again.

    What each says is kept, and its JSON; its page and other formats are rendered of that when they are first read.
    """
    from engine.reporting.batch import batch

    if everyone and org is not None:
        raise Usage("--all builds every organization: leave out either --all or --org.")
    if cluster is not None and jobs is not None:
        raise Usage("--jobs says how many processes build here: leave out either --jobs or --cluster.")
    with open_console_services() as services, _builders(services, jobs, cluster) as (run, shares), Steps() as steps:
        org_ids = (
            [org_id for org_id, _ in services.store.organizations()] if everyone else [organization(services, org)]
        )
        went = batch.build(
            *(services.store, services.batch(now()), org_ids, run),
            shares=shares,
            costs=services.build_costs(),
            progress=steps,
        )
    for result in went.results.values():
        click.echo(
            f"{result.org_id}: {result.made} artifacts built ({result.size / 1e6:.1f} MB), {result.kept} were there"
        )
    went.message("built what could be")


@contextmanager
def _builders(services: "Services", jobs: int | None, cluster: str | None) -> "Iterator[tuple[ChunkRun, int]]":
    """Where reports are built, and how many chunks of them at a time."""
    address = services.settings.build_cluster if cluster is None and jobs is None else cluster
    from engine.reporting.batch.chunk_runs import in_processes
    from engine.reporting.batch.cluster import chunk_builders

    try:
        setting_values.cluster(address or "")
    except ValueError as error:
        raise Usage(f"--cluster takes {error}; got {address!r}.") from error
    jobs = jobs or os.cpu_count() or 1
    with chunk_builders(address or "", services.store.dialect, in_processes(jobs), jobs) as builders:
        yield builders


@click.command(epilog="Example: hq report posture-score --org aurora --format csv --param periodDays=90")
@click.argument("name", shell_complete=report_names)
@org_option
@click.option(
    "--format",
    "form",
    help="json, csv, html, md, xlsx, pdf, ics or oscal, as far as the report has it. "
    "Without: laid out on a terminal, else json.",
    shell_complete=format_names,
)
@param_option
@as_of_option
@click.option("--revision", metavar="N", help="As the records were at that position of their chain.")
def report(
    name: str, org: str | None, form: str | None, parameters: tuple[str, ...], as_of: str | None, revision: str | None
) -> None:
    """Print one report, as it is or as it was: to a terminal laid out for it, else the same bytes as over HTTP."""
    _print(name, org, form, query_of(parameters, **past(as_of, revision)))


@click.command(epilog="Example: hq explain program gaps_open --org aurora --format csv")
@click.argument("name", metavar="REPORT", shell_complete=report_names)
@click.argument("figure", shell_complete=figure_names)
@org_option
@click.option("--format", "form", help="json, csv, html, md or xlsx. Without: laid out on a terminal, else json.")
@param_option
def explain(name: str, figure: str, org: str | None, form: str | None, parameters: tuple[str, ...]) -> None:
    """Print the rows that a figure of a report counts, why each counts, and the columns that make its value."""
    from engine.model.declarations.declaration import EXPLAIN

    _print(name, org, form, query_of(parameters, **{EXPLAIN: figure}))


def past(as_of: str | None, revision: str | None = None) -> dict[str, str]:
    """The parameters of a question about the past."""
    return {name: text for name, text in (("asOf", as_of), ("revision", revision)) if text is not None}


def query_of(parameters: tuple[str, ...], **asked: str) -> dict[str, str]:
    """What is asked of a report: what the command itself says, and ``--param``. Usage where that is not KEY=VALUE, or
    says anew what is said already."""
    query = dict(asked)
    for given in parameters:
        key, separator, value = given.partition("=")
        if not separator:
            raise Usage(f"--param must be KEY=VALUE; got {given!r}.")
        if key in query:
            raise Usage(f"{key} is asked for twice, as {query[key]!r} and as {value!r}: leave one of them out.")
        query[key] = value
    return query


def _print(name: str, org: str | None, form: str | None, query: dict[str, str]) -> None:
    print_report(form, lambda text: report_bytes(name, org, text, query))


def report_bytes(name: str, org: str | None, form: str | None, query: dict[str, str]) -> bytes:
    """A report as it is asked for, in a format or its usual one."""
    from engine.model.declarations.as_of import AsOf
    from engine.runtime.artifact_search import find_artifact

    at, query = AsOf.take(query)
    settings = Settings.of_process()
    if at is None and (kept := find_artifact(settings, org, name, query, form, now=now())) is not None:
        return kept
    with (
        open_console_services(settings) as services,
        services.snapshots.open(organization(services, org), now=now(), at=at) as snapshot,
    ):
        return snapshot.bytes(name, query, form).data


@click.command(epilog="Example: hq export site/ --org aurora")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@org_option
@as_of_option
@click.option(
    "--format",
    "further",
    multiple=True,
    type=click.Choice(HEAVY),
    help="Also write these of every report that has them.",
)
@click.option("--framework", metavar="ID", help="A framework instead, as `hq import --framework` takes it.")
@click.option("--as", "form", type=click.Choice(("oscal", "csv")), help="With --framework: its format.")
def export(
    folder: Path | None,
    org: str | None,
    as_of: str | None,
    further: tuple[str, ...],
    framework: str | None,
    form: str | None,
) -> None:
    """Write every report as page, JSON, CSV and Markdown, with an index.html to browse them offline.

    Or a framework as an OSCAL catalog or CSV: into the folder, without one to standard output.
    """
    if framework is not None:
        if further or as_of is not None:
            raise Usage("--framework goes with --as, --org and a folder alone.")
        if form is None:
            raise Usage("Say as what the framework is to be written: --as oscal or --as csv.")
        _export_framework(folder, org, framework, form)
        return
    if form is not None:
        raise Usage("--as is for a framework: name it with --framework.")
    if folder is None:
        raise Usage("Name the folder to write to, or a framework with --framework.")
    from engine.model.declarations.as_of import AsOf
    from engine.reporting.site import write_site
    from engine.runtime.heads.signed_heads import signed_head
    from engine.store.database.database import is_read_only
    from reports import SECTIONS

    at, _ = AsOf.take(past(as_of))
    with open_console_services() as services, Steps() as steps:
        name = organization(services, org)
        head = None if is_read_only(services.store.url) else signed_head(services, name, now=now())
        try:
            with services.snapshots.open(name, now=now(), at=at) as snapshot:
                page = write_site(snapshot, folder, sections=SECTIONS, progress=steps, further=further)
            if head is not None:
                write_whole(folder / "signed_head.txt", head.note.encode())
        except OSError as error:
            raise file_problem(f"Cannot write below {folder}", error) from error
    click.echo(page)


def _export_framework(folder: Path | None, org: str | None, framework: str, form: str) -> None:
    from engine.frameworks.exporting import csv_files, csv_stream, framework_content, oscal_catalog

    with open_console_services() as services:
        name = organization(services, org)
        with services.store.reader() as connection:
            content = framework_content(connection, name, framework)
    if folder is None:
        sys.stdout.buffer.write(oscal_catalog(content) if form == "oscal" else csv_stream(content))
        sys.stdout.flush()
        return
    files = {f"{framework}.json": oscal_catalog(content)} if form == "oscal" else csv_files(content)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in files.items():
            write_whole(folder / file, data)
            click.echo(folder / file)
    except OSError as error:
        raise file_problem(f"Cannot write below {folder}", error) from error
