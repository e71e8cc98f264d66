"""Commands that bring records in."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from engine.cli.common import Steps, now, open_console_services
from engine.cli.names import organization_names
from engine.model.errors import Usage

OBJECTS_BETWEEN_COLLECTIONS = 100_000  # rows of a batch are many, and no cycles


@click.command("import", epilog="Example: hq import exports/ vendors.xlsx --org acme")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--org",
    required=True,
    metavar="ORG",
    help="Organization; a file organizations.csv with its row makes a new one.",
    shell_complete=organization_names,
)
@click.option("--actor", default="import", show_default=True, help="Who is named in the audit log.")
@click.option("--complete", is_flag=True, help="Scanners' files are complete scans: what their hosts lack is fixed.")
@click.option("--check", is_flag=True, help="Check everything, say what would be written, and write nothing.")
@click.option(
    "--map",
    "mapping",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TOML or CSV that says what the headers of these files mean; docs/reference/imports.md has an example.",
)
@click.option("--ignore-unknown", is_flag=True, help="Leave columns out that are not known, and list them.")
def import_(
    paths: tuple[Path, ...],
    org: str,
    actor: str,
    complete: bool,
    check: bool,
    mapping: Path | None,
    ignore_unknown: bool,
) -> None:
    """Import CSV, XLSX, JSON Lines or Parquet files, one per table; `hq tables` describes them.

    Or files of scanners: .nessus, XML and CSV of Qualys, CSV of Tenable, SARIF, CycloneDX, JSON of our own.
    Everything is checked first. Either all of it is imported, in one revision, or nothing is.
    """
    from engine.incidents.finding_files import import_findings, scanner_files
    from engine.intake.imports import ColumnMapping, import_paths, read_mapping
    from engine.runtime.garbage import rare_collections

    files = scanner_files(paths)
    if files:
        if check or mapping or ignore_unknown:
            raise Usage("--check, --map and --ignore-unknown are for tables; these are files of scanners.")
        with open_console_services() as services:
            store = services.store
            for name, answer in import_findings(store, files, org_id=org, actor=actor, now=now(), complete=complete):
                click.echo(f"{name}: {_summary(answer)}")
        return
    if complete:
        raise Usage("--complete is for files of scanners; these are tables.")
    columns = replace(read_mapping(mapping) if mapping else ColumnMapping(), ignores_unknown=ignore_unknown)
    with open_console_services() as services, Steps() as steps, rare_collections(OBJECTS_BETWEEN_COLLECTIONS):
        result = import_paths(
            services.store, paths, org_id=org, actor=actor, now=now(), progress=steps.count,
            mapping=columns, rehearsed=check,
        )  # fmt: skip
    for file, headers in result.ignored.items():
        for header, near in headers.items():
            click.echo(f"{file}: column {header!r} is ignored{f'; nearest in name: {near}' if near else ''}")
    for table, counts in result.tables.items():
        click.echo(f"{table}: {counts.created} new, {counts.updated} changed, {counts.unchanged} as they were")
    if check:
        click.echo(f"All of it holds. Nothing was written: {org} stays at revision {result.before}.")
    elif result.changed:
        click.echo(f"{org} moved from revision {result.before} to {result.after}")
    else:
        click.echo(f"{org} stays at revision {result.before}: nothing was new")


def _summary(answer: Mapping[str, object]) -> str:
    """What became of a scanner's file, without what did not happen."""
    words = {
        "created": "new",
        "updated": "changed",
        "reopened": "came back",
        "fixed": "fixed",
        "unchanged": "as they were",
        "closed_as_missing": "gone",
        "incidents_opened": "incidents opened",
        "checks": "checks of the scanner's catalogue",
    }
    told = [f"{answer[name]} {word}" for name, word in words.items() if answer[name]]
    return f"{answer['source']}, {answer['received']} findings: {', '.join(told)}"


@click.command(epilog="Example: hq tables > tables.md")
def tables() -> None:
    """Print the tables and columns that `hq import` knows, as Markdown."""
    from engine.intake.imports import describe_tables

    click.echo(describe_tables(), nl=False)
