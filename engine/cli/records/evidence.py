"""The commands on evidence: hold files, list and show items, give their bytes back, check them."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.cli.on_terminal import printable
from engine.model.errors import NotFound, Usage
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.durable_files import file_in_place

if TYPE_CHECKING:
    from engine.evidence.byte_check import EvidenceCheck
    from engine.model.records import EvidenceItemRow
    from engine.runtime.services import Services


@click.group()
def evidence() -> None:
    """Hold evidence: files by their SHA-256, linked to controls, checked every night, in every archive."""


@evidence.command(epilog="Example: hq evidence add exports/leavers.csv --control soc2:CC6.2 --source directory")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option(
    "--control",
    "controls",
    multiple=True,
    required=True,
    metavar="FRAMEWORK:CONTROL",
    help="Control that it supports, such as soc2:CC6.2; several times for several.",
)
@click.option("--request", metavar="ID", help="Evidence request that it answers.")
@click.option("--title", help="What it is; the name of the file without.")
@click.option("--captured-at", metavar="WHEN", help="Day or moment (ISO 8601) when it was captured; now without.")
@click.option("--source", help="System that it comes from.")
@click.option("--owner", metavar="EMAIL", help="Who answers for it.")
@click.option("--about", metavar="EMAIL", help="Whom it is about: erasing them removes the bytes. The owner without.")
@click.option("--actor", default="console", show_default=True, help="Who is named in the audit log.")
@org_option
def add(
    files: tuple[Path, ...],
    controls: tuple[str, ...],
    request: str | None,
    title: str | None,
    captured_at: str | None,
    source: str | None,
    owner: str | None,
    about: str | None,
    actor: str,
    org: str | None,
) -> None:
    """Hold the bytes of files as evidence of controls: all of them, in one revision, or none.

    Prints the identifier of each item, its SHA-256 and its size. A file is a regular one: no link, no device.
    """
    from engine.evidence.incoming import open_file
    from engine.evidence.items import EvidenceFile, add_files
    from engine.evidence.store import open_evidence

    if title is not None and len(files) > 1:
        raise Usage(f"--title names one file, and there are {len(files)}: add them one by one.")
    with open_console_services() as services:
        org_id, at, store = organization(services, org), now(), open_evidence(services.settings)
        named = _controls(services, org_id, controls)
        values = {
            "request_id": request,
            "source": source,
            "owner": _address("--owner", owner),
            "about": _address("--about", about),
            "captured_at": _moment(captured_at, services.store.time_zone(org_id), at) if captured_at else at,
        }
        given = [EvidenceFile(path.name, open_file(path, store.most), title or path.name, values) for path in files]
        items = add_files(services.store, store, org_id, given, named, actor=actor, now=at)
    for item in items:
        click.echo(f"{item['id']}\t{item['held_sha256']}\t{item['held_bytes']} bytes\t{printable(item['title'])}")


@evidence.command("list", epilog="Example: hq evidence list --org aurora --control soc2:CC6.2")
@click.option("--control", metavar="FRAMEWORK:CONTROL", help="Those of one control.")
@org_option
def list_(control: str | None, org: str | None) -> None:
    """List evidence items: identifier, held, told or why not, when captured, controls, title."""
    from engine.model.days import local_day

    with open_console_services() as services:
        org_id = organization(services, org)
        wanted = _controls(services, org_id, [control])[0] if control else None
        rows, links = _rows(services, org_id)
        zone = services.store.time_zone(org_id)
    for row in sorted(rows.values(), key=lambda row: (row["captured_at"], row["id"])):
        linked = links.get(row["id"], [])
        if wanted is None or wanted in linked:
            controls = "; ".join(f"{framework}:{identifier}" for framework, identifier in linked)
            day = local_day(row["captured_at"], zone)
            click.echo(f"{row['id']}\t{_state(row)}\t{day}\t{controls}\t{printable(row['title'])}")


@evidence.command(epilog="Example: hq evidence show evi_0199d3f2c1a49f86d081884c7d65 --org aurora")
@click.argument("identifier", metavar="ID")
@org_option
def show(identifier: str, org: str | None) -> None:
    """Print all that is known of an evidence item."""
    with open_console_services() as services:
        org_id = organization(services, org)
        rows, links = _rows(services, org_id)
    row = rows.get(identifier)
    if row is None:
        raise NotFound(f"There is no evidence item {identifier!r} of {org_id}; `hq evidence list` lists them.")
    for line in _lines(row, links.get(identifier, [])):
        click.echo(line)


@evidence.command(epilog="Example: hq evidence get evi_0199d3f2c1a49f86d081884c7d65 --out leavers.csv")
@click.argument("identifier", metavar="ID")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help="Write them to a file.")
@org_option
def get(identifier: str, out: Path | None, org: str | None) -> None:
    """Print the bytes that an item holds, once they are checked against their SHA-256."""
    from engine.evidence.items import item_bytes
    from engine.evidence.store import open_evidence

    with (
        open_console_services() as services,
        item_bytes(services.store, open_evidence(services.settings), organization(services, org), identifier) as file,
    ):
        if out is None:
            while piece := file.read(1 << 20):
                sys.stdout.buffer.write(piece)
            sys.stdout.flush()
            return
        try:
            _write(out, file)
        except OSError as error:
            raise file_problem(f"Cannot write {out}", error) from error


@evidence.command(epilog="Example: hq evidence check --org aurora")
@org_option
def check(org: str | None) -> None:
    """Read every byte that is held, and note what was found where it changed. Exit code 1 where one is not whole."""
    from engine.evidence.byte_check import check_items
    from engine.evidence.store import open_evidence

    with open_console_services() as services:
        org_id = organization(services, org)
        found = check_items(services.store, open_evidence(services.settings), org_id, now=now())
    for line in _check_lines(org_id, found):
        click.echo(line)
    if found.not_whole():
        click.get_current_context().exit(1)


def _check_lines(org_id: str, found: "EvidenceCheck") -> Iterator[str]:
    for row in found.not_whole():
        yield f"{row['id']}\t{found.states[row['id']]}\t{row['held_sha256']}\t{printable(row['title'])}"
    whole = len(found.items) - len(found.not_whole())
    yield f"{org_id}: {whole} of {len(found.items)} held items are whole, {found.changes} otherwise than before"
    if found.swept.files:
        yield f"{found.swept.files} files ({found.swept.size:,} bytes) that no item named were swept"
    if found.unnamed.files:
        yield f"{found.unnamed.files} files ({found.unnamed.size:,} bytes) are named by no item: swept after a day"


def _rows(services: "Services", org_id: str) -> "tuple[dict[str, EvidenceItemRow], dict[str, list[tuple[str, str]]]]":
    from engine.store.rows import many
    from engine.store.schema.controls import evidence_items, evidence_links

    with services.store.reader() as connection:
        rows = {row["id"]: row for row in many(connection, evidence_items, org_id)}
        links: dict[str, list[tuple[str, str]]] = {}
        for link in many(connection, evidence_links, org_id):
            links.setdefault(link["evidence_id"], []).append((link["framework"], link["control_id"]))
    return rows, links


def _state(row: "EvidenceItemRow") -> str:
    """held, told, or what came of bytes that were held."""
    if row["removed"]:
        return f"told ({row['removed']})"
    if row["held_sha256"] is None:
        return "told"
    return "held" if row["held_state"] == "whole" else f"{row['held_state']}: no evidence"


def _lines(row: "EvidenceItemRow", controls: list[tuple[str, str]]) -> Iterator[str]:
    yield f"id: {row['id']}"
    yield f"state: {_state(row)}"
    names = ("title", "source", "owner", "about", "captured_at", "location", "request_id", "file", "media_type")
    told = ("sha256", "held_sha256", "held_bytes", "held_state", "checked_at", "removed", "removed_at")
    shown: dict[str, object] = {**row}
    for name in (*names, *told, "run_id", "part"):
        value = shown[name]
        if value is not None:
            text = f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else str(value)
            yield f"{name}: {printable(text)}"
    for framework, control in controls:
        yield f"control: {framework}:{control}"


def _controls(services: "Services", org_id: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Frameworks and controls, those of the organization's own included. Usage for others."""
    from engine.intake.imports.values.controls import with_own_controls
    from engine.store.queries.own_frameworks import own_control_ids

    with services.store.reader() as connection, with_own_controls(own_control_ids(connection, org_id)):
        return [_control(text) for text in texts]


def _control(text: str) -> tuple[str, str]:
    """Framework and control as the catalogue has them. Usage for others."""
    from engine.intake.imports.values import controls

    name, separator, identifier = text.partition(":")
    if not separator:
        raise Usage(f"--control must be FRAMEWORK:CONTROL such as soc2:CC6.2; got {text!r}.")
    framework = controls.framework(name)
    if framework is None:
        raise Usage(f"--control: there is no framework {name!r}; got {text!r}.")
    control = controls.control(framework, identifier.strip())
    if control is None:
        raise Usage(f"--control must name {controls.expected_control(framework, identifier)}; got {text!r}.")
    return framework, control


def _moment(text: str, zone: str, at: datetime) -> datetime:
    """A day is its first moment in the organization's time zone; a moment without an offset is one of that zone."""
    from zoneinfo import ZoneInfo

    from engine.model.days import midnight

    try:
        if len(text) == len("2026-11-20"):
            moment = midnight(date.fromisoformat(text), zone)
        else:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))
    except (ValueError, OverflowError) as error:
        raise Usage(f"--captured-at must be a day or a moment such as 2026-11-20T08:30Z; got {text!r}.") from error
    if moment > at:
        raise Usage(f"--captured-at must not be in the future; got {text!r}.")
    return moment


def _address(option: str, text: str | None) -> str | None:
    if text is None:
        return None
    email = text.strip().lower()
    if not email.partition("@")[0] or not email.partition("@")[2] or " " in email:
        raise Usage(f"{option} must be an e-mail address; got {text!r}.")
    return email


def _write(path: Path, source: BinaryIO) -> None:
    """Whole or not at all."""
    with file_in_place(path) as target:
        shutil.copyfileobj(source, target, 1 << 20)
