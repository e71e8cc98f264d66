"""The glossary: what every figure means, and what it is today."""

from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services, org_option, organization

if TYPE_CHECKING:  # loaded where the command works with them
    from engine.reporting.glossary import GlossaryEntry
    from engine.reporting.snapshot.snapshot import Snapshot

FORMATS = ("text", "json", "csv")


@click.command(epilog="Example: hq figures --org aurora --format csv")
@org_option
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
def figures(org: str | None, form: str) -> None:
    """Print every figure of the reports with its definition and its value today.

    Without an organization, where there is none or more than one, the definitions alone.
    """
    from engine.reporting.glossary import definitions, entries

    with open_console_services() as services:
        snapshots = services.snapshots
        if org is None and len(services.store.organizations()) != 1:
            _print(definitions(snapshots.catalogue), form, None)
            return
        with snapshots.open(organization(services, org), now=now()) as snapshot:
            _print(entries(snapshots.catalogue, snapshot), form, snapshot)


def _print(entries: "list[GlossaryEntry]", form: str, snapshot: "Snapshot | None") -> None:
    match form:
        case "json":
            click.echo(_json(entries, snapshot))
        case "csv":
            click.echo(_csv(entries), nl=False)
        case _:
            click.echo(_text(entries, values=snapshot is not None))


def _rows(entries: "list[GlossaryEntry]") -> list[dict[str, object]]:
    return [
        {
            "figure": entry.figure.id,
            "title": entry.title,
            "value": entry.value,
            "unit": entry.figure.unit,
            "better": entry.figure.better,
            "version": entry.figure.version,
            "definition": entry.definition,
            "fact": entry.figure.fact_name,
            "aggregate": type(entry.figure.aggregate).__name__.lower(),
            "reports": list(entry.reports),
        }
        for entry in entries
    ]


def _json(entries: "list[GlossaryEntry]", snapshot: "Snapshot | None") -> str:
    import msgspec

    from engine.render.plain_values import plain_value

    glossary: dict[str, object] = {"figures": _rows(entries)}
    if snapshot is not None:
        subject = snapshot.subject
        glossary = {
            "organization": {"id": subject.organization.id, "name": subject.organization.name},
            "as_of": subject.as_of,
            "revision": {"seq": subject.revision.seq, "hash": subject.revision.hash},
            "settings_version": subject.settings.version,
            **glossary,
        }
    return msgspec.json.encode(plain_value(glossary, "figures")).decode()


def _csv(entries: "list[GlossaryEntry]") -> str:
    import polars as pl

    from engine.render.plain_values import plain_value, scalar_text
    from engine.render.tables.csv import csv_chunks

    rows = [
        {**row, "value": None if row["value"] is None else scalar_text(plain_value(row["value"], "value"))}
        for row in _rows(entries)
    ]
    return b"".join(csv_chunks([pl.DataFrame(rows, infer_schema_length=None)])).decode()


def _text(entries: "list[GlossaryEntry]", *, values: bool) -> str:
    from engine.render import words
    from engine.render.plain_values import plain_value

    lines = []
    for entry in entries:
        name = entry.figure.id
        lines += [f"{name}: {words.value(name, plain_value(entry.value, name))}" if values else name]
        version = f"; version {entry.figure.version} of its formula" if entry.figure.version > 1 else ""
        lines += [f"    {entry.title}. {entry.definition}", f"    in {', '.join(entry.reports)}{version}", ""]
    return "\n".join(lines)
