"""The command that checks."""

import click

from engine.cli.common import opened, organization


@click.command(epilog="Example: hq verify --org aurora")
@click.option("--org", required=True, help="Organization whose audit chain is checked.")
@click.pass_context
def verify(context: click.Context, org: str) -> None:
    """Recompute the audit chain of an organization; exit code 1 when it does not hold."""
    with opened() as services:
        check = services.store.verify(organization(services, org))
    if check.ok:
        span = f"events {check.first_seq} to {check.head_seq}" if check.events else "no events"
        click.echo(f"ok: {check.org_id}, {span} hold, head {check.head_hash}")
        return
    click.echo(f"broken: {check.org_id} at event {check.broken_seq}: {check.problem}")
    context.exit(1)
