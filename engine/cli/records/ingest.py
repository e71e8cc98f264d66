"""Commands about what monitors and scanners sent: what could not be read, and reading it again."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services
from engine.cli.names import organization_names
from engine.cli.on_terminal import printable
from engine.model.errors import NotFound, Usage

if TYPE_CHECKING:
    from engine.model.records import IngestPayloadRow
    from engine.runtime.services import Services

REASON = 300  # characters of a reason in a list
any_org_option = click.option(
    "--org", metavar="ORG", help="Only of this organization; of all without it.", shell_complete=organization_names
)


@click.group()
def ingest() -> None:
    """What monitors and scanners sent: bodies that could not be read, and reading them again."""


@ingest.command("dead-letters", epilog="Example: hq ingest dead-letters --org aurora")
@any_org_option
def dead_letters(org: str | None) -> None:
    """Print the bodies that could not be read, or were applied only in part, the oldest first."""
    from engine.store.queries.operations import payloads

    with open_console_services() as services:
        _check_org(services, org)
        with services.store.reader() as connection:
            dicts = [dict(zip(payloads.LISTED, row, strict=True)) for row in payloads.dead_letters(connection, org)]
    for row in dicts:
        click.echo("\t".join(_cells(row)))
    if not dicts:
        click.echo("No dead letters.", err=True)


def _cells(row: dict[str, object]) -> list[str]:
    reason = textwrap.shorten(str(row["reason"] or ""), REASON, placeholder=" …")
    if row["state"] == "partial":
        reason = f"only {row['applied']:,} of {row['records']:,} records are applied"
    times = f", {row['times']:,} times" if row["times"] != 1 else ""
    route = f"/api/integrations/{row['route']}"
    received = f"{row['received_at']:%Y-%m-%d %H:%M:%S} UTC{times}"
    return [str(row["id"]), str(row["org_id"]), received, route, f"{row['size_bytes']:,} bytes", reason]


@ingest.command(epilog="Example: hq ingest replay --all --org aurora")
@click.argument("identifiers", metavar="ID...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that is listed.")
@any_org_option
def replay(identifiers: Sequence[str], everything: bool, org: str | None) -> None:
    """Read dead letters again, as of when they came; exit code 1 while one of them still cannot be read.

    What can be read is applied and leaves the list; alerts keep their place by the clock of their sender.
    """
    from engine.incidents.alerts.replay import replay as read_again

    if everything == bool(identifiers):
        raise Usage("Name dead letters, or say --all; `hq ingest dead-letters` lists them.")
    failed = False
    with open_console_services() as services:
        _check_org(services, org)
        for identifier in identifiers or _dead_letter_ids(services, org):
            row = _dead_letter(services, identifier, org)
            settings = services.settings
            result = read_again(
                services.store,
                row,
                now=now(),
                most_alerts=settings.ingest_max_alerts,
                most_findings=settings.ingest_max_findings,
                clock_skew=settings.clock_skew_span,
                together=settings.finding_incidents == "high",
            )
            failed = failed or result.problem is not None
            counts = ", ".join(f"{name} {count:,}" for name, count in result.counts.items())
            click.echo(f"{identifier}\t{counts if result.problem is None else f'still unread: {result.problem}'}")
    if failed:
        click.get_current_context().exit(1)


def _dead_letter_ids(services: "Services", org: str | None) -> list[str]:
    from engine.store.queries.operations import payloads

    with services.store.reader() as connection:
        return [row[0] for row in payloads.dead_letters(connection, org)]


def _dead_letter(services: "Services", identifier: str, org: str | None) -> "IngestPayloadRow":
    from engine.store.queries.operations import payloads

    with services.store.reader() as connection:
        row = payloads.dead_letter(connection, identifier, org)
    if row is None:
        raise NotFound(f"There is no dead letter {identifier!r}; `hq ingest dead-letters` lists them.")
    return row


@ingest.command(epilog="Example: hq ingest show pay_0199d3f2c1a49f86d081884c7d65 --org aurora")
@click.argument("identifier", metavar="ID")
@click.option("--org", required=True, metavar="ORG", help="Organization.", shell_complete=organization_names)
def show(identifier: str, org: str) -> None:
    """Print a body as it came, secrets replaced; the timeline of an incident names it."""
    from engine.intake.payloads import unpack_body
    from engine.store.queries.operations.payloads import payload

    with open_console_services() as services:
        _check_org(services, org)
        with services.store.reader() as connection:
            row = payload(connection, org, identifier)
    if row is None:
        raise NotFound(f"There is no body {identifier!r} of {org}; bodies are kept for SVC_INGEST_KEEP_DAYS days.")
    click.echo(printable(unpack_body(row["body"]).decode("utf-8", "backslashreplace")))


def _check_org(services: "Services", org: str | None) -> None:
    if org is not None and not services.store.organization_exists(org):
        raise Usage(f"There is no organization {org!r}.")
