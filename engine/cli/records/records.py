"""Commands that bring records in."""

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from engine.cli.common import Steps, now, open_console_services, organization
from engine.cli.names import organization_names
from engine.model.errors import Usage

if TYPE_CHECKING:
    from engine.intake.imports import ColumnMapping
    from engine.runtime.services import Services

INPUT = Path("-")
HEAD = 2**16  # bytes by which the format of standard input is known
OBJECTS_BETWEEN_COLLECTIONS = 100_000  # rows of a batch are many, and no cycles


@click.command("import", epilog="Example: hq import exports/ vendors.xlsx --org acme")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--org",
    metavar="ORG",
    help="Organization; a file organizations.csv with its row makes one. May be left out where there is only one.",
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
@click.option(
    "--framework",
    type=click.Path(path_type=Path),
    help="A framework of one's own, or pairs of controls: CSV, XLSX, OSCAL, a CISO Assistant library, FedRAMP's rules.",
)
@click.option("--id", "name", metavar="NAME", help="With --framework: its identifier here, else the name of the file.")
@click.option("--accept", is_flag=True, help="With --framework: a new version takes effect, else it is proposed.")
def import_(
    paths: tuple[Path, ...],
    org: str | None,
    actor: str,
    complete: bool,
    check: bool,
    mapping: Path | None,
    ignore_unknown: bool,
    framework: Path | None,
    name: str | None,
    accept: bool,
) -> None:
    """Import CSV, XLSX, JSON Lines or Parquet files, one per table; `hq tables` describes them.

    A CSV whose first column is `table` has rows of several; - is standard input. A calendar (.ics) is one of absences,
    or of who is on call where its name says so; silences come as `amtool silence query -o json` prints them, tickets
    as Jira, Linear and `gh issue list` export them. Or files of scanners: .nessus, XML and CSV of Qualys, CSV of
    Tenable, SARIF, CycloneDX, JSON of our own.
    Everything is checked first. Either all of it is imported, in one revision, or nothing is.
    """
    if framework is not None:
        if paths or complete or check or mapping or ignore_unknown:
            raise Usage(
                "--framework imports one file or folder by itself, with --id, --accept, --org and --actor alone."
            )
        _import_framework(framework, org, actor, name, accept=accept)
        return
    if name is not None or accept:
        raise Usage("--id and --accept are for a framework: name its file or folder with --framework.")
    if not paths:
        raise Usage("There is nothing to import: name files or folders, or a framework with --framework.")
    from engine.incidents.alerts.finding_files import scanner_files
    from engine.intake.imports import ColumnMapping, read_mapping

    with _with_input(paths) as read:
        files = scanner_files(read)
        if files:
            if check or mapping or ignore_unknown:
                raise Usage("--check, --map and --ignore-unknown are for tables; these are files of scanners.")
            _import_findings(files, org, actor, complete=complete)
            return
        if complete:
            raise Usage("--complete is for files of scanners; these are tables.")
        columns = replace(read_mapping(mapping) if mapping else ColumnMapping(), ignores_unknown=ignore_unknown)
        _import_tables(read, org, actor, columns, check=check)


@contextmanager
def _with_input(paths: tuple[Path, ...]) -> Iterator[tuple[Path, ...]]:
    """The paths with a file in place of ``-`` that holds what is on standard input."""
    if INPUT not in paths:
        yield paths
        return
    if paths.count(INPUT) > 1:
        raise Usage("- stands for standard input, which is read once: name it once.")
    with TemporaryDirectory(prefix="hq-input-") as folder:
        head = sys.stdin.buffer.read(HEAD)
        copy = Path(folder) / f"standard-input{_suffix(head)}"
        with copy.open("wb") as file:
            file.write(head)
            shutil.copyfileobj(sys.stdin.buffer, file)
        if not copy.stat().st_size:
            raise Usage("There is nothing on standard input.")
        yield tuple(copy if path == INPUT else path for path in paths)


def _suffix(head: bytes) -> str:
    """What is on standard input: a calendar or JSON by how it begins, else rows of tables."""
    from engine.intake.imports.files.rotas import is_calendar

    if is_calendar(head):
        return ".ics"
    return ".json" if head.lstrip()[:1] in (b"[", b"{") else ".csv"


def _import_findings(files: Sequence[Path], org: str | None, actor: str, *, complete: bool) -> None:
    from engine.incidents.alerts.finding_files import import_findings

    with open_console_services() as services:
        store, into = services.store, org or organization(services, None)
        files = _import_results(services, files, into, actor)
        together = services.settings.finding_incidents == "high"
        for name, answer in import_findings(
            store, files, org_id=into, actor=actor, now=now(), complete=complete, together=together
        ):
            click.echo(f"{name}: {_summary(answer)}")


def _import_results(services: "Services", files: Sequence[Path], org_id: str, actor: str) -> list[Path]:
    """Write the files that say what a scanner found in order, too; returns those that have findings to import."""
    from engine.desk.wording import count
    from engine.evidence.store import open_evidence
    from engine.incidents.alerts.finding_files import read_bounded
    from engine.intake.tool_results import read_tool_results
    from engine.programme.tool_results import land_tool_results

    read = [(file, data, read_tool_results(data)) for file, data in ((one, read_bounded(one)) for one in files)]
    evidence, rest = open_evidence(services.settings), []
    for file, data, results in read:
        if results is None:
            rest.append(file)
            continue
        landing = land_tool_results(services.store, evidence, org_id, results, file.name, data, actor=actor, now=now())
        if results.has_findings and not landing.is_known:  # the same file again says nothing new of them either
            rest.append(file)
        what = "as before" if landing.is_known and not landing.tests else f"{count(landing.tests, 'test')} of controls"
        unknown = ", ".join(landing.unknown[:20]) + (" and others" if len(landing.unknown) > 20 else "")
        named = f"; {count(len(landing.unknown), 'rule')} without a control: {unknown}" if unknown else ""
        click.echo(f"{file.name}: {landing.tool}, {count(landing.rules, 'rule')}, {what}{named}")
    return rest


def _import_tables(
    paths: Sequence[Path], org: str | None, actor: str, columns: "ColumnMapping", *, check: bool
) -> None:
    from engine.evidence.store import open_evidence
    from engine.incidents.hands.lines import FOLLOWED, follow_lines
    from engine.intake.imports import FollowedLines, import_paths
    from engine.runtime.processes.garbage import rare_collections

    with (
        open_console_services(begin=not check) as services,
        Steps() as steps,
        rare_collections(OBJECTS_BETWEEN_COLLECTIONS),
    ):
        org = org or organization(services, None)
        result = import_paths(
            services.store,
            paths,
            org_id=org,
            actor=actor,
            now=now(),
            progress=steps.count,
            mapping=columns,
            rehearsed=check,
            follow=FollowedLines("incident_timeline", FOLLOWED, follow_lines),
            evidence=open_evidence(services.settings),
        )
    for file, headers in result.ignored.items():
        for header, near in headers.items():
            click.echo(f"{file}: column {header!r} is ignored{f'; nearest in name: {near}' if near else ''}")
    for file, events in result.left_out.items():
        for event in events:
            click.echo(f"hq: {file}: left out {event}", err=True)
    for stranger in result.strangers:
        click.echo(f"hq: {stranger.sentence}", err=True)
    for table, counts in result.tables.items():
        click.echo(f"{table}: {counts.created} new, {counts.updated} changed, {counts.unchanged} as they were")
    if check:
        click.echo(f"All of it holds. Nothing was written: {org} stays at revision {result.before}.")
    elif result.has_changes:
        click.echo(f"{org} moved from revision {result.before} to {result.after}")
    else:
        click.echo(f"{org} stays at revision {result.before}: nothing was new")


def _import_framework(path: Path, org: str | None, actor: str, name: str | None, *, accept: bool) -> None:
    from engine.frameworks.importing import import_framework

    with open_console_services() as services:
        into = organization(services, org)
        done = import_framework(services.store, path, org_id=into, actor=actor, now=now(), name=name, accept=accept)
    for line in done.lines:
        click.echo(line)
    if done.after is None:
        click.echo(f"{into} stays at revision {done.before}: nothing was new")
    else:
        click.echo(f"{into} moved from revision {done.before} to {done.after}")


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
