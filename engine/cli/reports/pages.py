"""Commands for a person at a terminal: which reports there are, and the page of one in a browser."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import Steps, now, open_console_services, org_option, organization
from engine.cli.names import report_names
from engine.model.declarations.declaration import find_report
from engine.model.file_errors import file_problem

if TYPE_CHECKING:
    from engine.model.every_organization import OrganizationsRun
    from engine.reporting.batch.report_batch import BuildResult, ReportBatch
    from engine.reporting.snapshot.snapshot import Snapshot

SITES = "site"  # in SVC_DATA_DIR, a folder for each organization
STAND = ".stand"  # beside the pages: of which records, which day and which program they are


@click.command(epilog="Example: hq reports --format json")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def reports(form: str) -> None:
    """List the reports by chapter, each with what it answers."""
    from engine.reporting.index import index

    catalogue, sections = index().catalogue, index().sections
    if form == "json":
        import msgspec

        listed = [
            {
                "name": name,
                "title": catalogue[name].title,
                "section": title,
                "answers": catalogue[name].description,
                "formats": catalogue[name].formats,
                "parameters": [each.name for each in catalogue[name].parameters],
            }
            for title, names in sections.items()
            for name in names
        ]
        click.echo(msgspec.json.encode(listed).decode())
        return
    width = max(map(len, catalogue))
    for number, (title, names) in enumerate(sections.items()):
        click.echo(("\n" if number else "") + click.style(title, bold=True))
        for name in names:
            click.echo(f"  {name:{width}}  {catalogue[name].description}")


@click.command("open", epilog="Example: hq open posture-score --org aurora")
@click.argument("name", required=False, shell_complete=report_names)
@org_option
def open_(name: str | None, org: str | None) -> None:
    """Open the page of a report in a browser, without a name the front page, and print where it is.

    The pages are those of `hq export`, kept below SVC_DATA_DIR and written anew once the records or the day moved.
    """
    from engine.render import download_name
    from engine.reporting.index import index

    if name is not None:
        find_report(index().catalogue, name)
    with open_console_services() as services, Steps() as steps:
        org_id = organization(services, org)
        folder = services.settings.data_dir / SITES / org_id
        try:
            with services.snapshots.open(org_id, now=now()) as snapshot:
                front = current_site(snapshot, folder, steps)
                page = front if name is None else folder / download_name(org_id, name, snapshot.as_of, "html")
        except OSError as error:
            raise file_problem(f"Cannot write below {folder}", error) from error
    click.echo(page.absolute())
    if _has_display():
        import webbrowser

        webbrowser.open(page.absolute().as_uri())


def current_site(snapshot: "Snapshot", folder: Path, progress: Steps | None) -> Path:
    """The front page of the organization's pages below ``folder``, which are written unless they are there. OSError."""
    from engine.reporting.artifacts.artifact_names import code_fingerprint
    from engine.reporting.site import INDEX, write_site
    from reports import SECTIONS

    subject = snapshot.subject
    stand = f"{subject.revision.seq} {subject.revision.hash} {subject.as_of} {code_fingerprint()}\n"
    written = folder / STAND
    if not (written.is_file() and written.read_text(encoding="utf-8") == stand and (folder / INDEX).is_file()):
        write_site(snapshot, folder, sections=SECTIONS, progress=progress)
        written.write_text(stand, encoding="utf-8")
    return folder / INDEX


def build_with_site(batch: "ReportBatch", org_id: str, folder: Path) -> "OrganizationsRun[BuildResult]":
    """Build the reports of an organization and write its pages, as ``current_site``, in whatever process. OSError."""
    from engine.reporting.batch.chunk import batch_snapshots, build_chunk

    went = build_chunk(batch, (org_id,))
    if not went.failures:
        with batch_snapshots(batch) as snapshots, snapshots.open(org_id, now=batch.now) as snapshot:
            current_site(snapshot, folder, None)
    return went


def _has_display() -> bool:
    """Whether a browser could show itself: a text browser in the terminal is not what was asked for."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
