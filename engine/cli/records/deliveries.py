"""Commands about what leaves the house: the ledger of deliveries, and where they go."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.model.errors import NotFound, Usage
from engine.model.vocabulary import DELIVERY_STATUSES
from engine.store import PLATFORM

if TYPE_CHECKING:
    from engine.runtime.services import Services


@click.command(epilog="Example: hq deliveries --org aurora --status failed")
@org_option
@click.option("--status", type=click.Choice(DELIVERY_STATUSES), help="Only those in this state.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="How many, newest first.")
@click.option("--resend", metavar="ID", help="Queue a failed or skipped delivery again instead.")
def deliveries(org: str | None, status: str | None, limit: int, resend: str | None) -> None:
    """Print what was sent, what waits, and what failed and why; exit code 1 when any of it failed."""
    from engine.store.queries.sending import deliveries as queue

    with open_console_services() as services:
        org_id = _sender(services, org)
        if resend is not None:
            click.echo(_resent(services, org_id, resend))
            return
        with services.store.reader() as connection:
            rows = queue.list_deliveries(connection, org_id, status, limit)
    for row in rows:
        click.echo(_line(row))
    if not rows:
        click.echo("No deliveries." if status is None else f"No deliveries that are {status}.", err=True)
    if any(row["status"] == "failed" for row in rows):
        click.get_current_context().exit(1)


def _sender(services: "Services", org: str | None) -> str:
    """The organization that sends: the platform's own sends letters too."""
    return PLATFORM if org == PLATFORM and services.store.organization_exists(PLATFORM) else organization(services, org)


def _resent(services: "Services", org_id: str, delivery_id: str) -> str:
    from engine.store.queries.sending.deliveries import resend

    before = services.store.write(org_id, "console", lambda revision: resend(revision, delivery_id), now=now())
    if before is None:
        raise NotFound(f"There is no delivery {delivery_id!r}.")
    if before not in ("failed", "skipped"):
        raise Usage(f"The delivery {delivery_id} is {before}; only one that failed or was skipped can be sent again.")
    return f"{delivery_id} is queued again"


def _line(row: Mapping[str, Any]) -> str:  # a row as the query joins it
    at = row["sent_at"] or row["next_attempt_at"] or row["created_at"]
    when = {"sent": "sent", "pending": "next attempt"}.get(row["status"], "queued")
    text = f"{row['attempts']} attempts, {when} {at:%Y-%m-%d %H:%M} UTC"
    parts = [row["id"], row["status"], row["kind"], row["period"], row["channel"], row["recipient"], text]
    return "\t".join([*parts, row["last_error"]] if row["last_error"] else parts)


@click.command(epilog="Example: hq endpoints --org aurora --webhook https://hooks.example.com/hq")
@org_option
@click.option("--webhook", metavar="URL", help="Set the webhook; prints its signing secret, once.")
@click.option("--rotate", is_flag=True, help="Make a new signing secret; the one before signs too until the next.")
@click.option("--new-key", is_flag=True, help="Encrypt the webhooks' secrets of all organizations with a new key.")
@click.option("--chat", metavar="CHANNEL", help="Set the chat channel, such as #compliance.")
@click.option("--remove", type=click.Choice(("webhook", "chat")), help="Forget the webhook or the chat channel.")
def endpoints(
    org: str | None, webhook: str | None, rotate: bool, new_key: bool, chat: str | None, remove: str | None
) -> None:
    """Print over which channels deliveries of an organization leave, after setting where they go."""
    from engine.delivery import channels_of
    from engine.delivery.endpoint_changes import (
        encrypt_secrets,
        forget,
        renew_key,
        rotate_secret,
        set_chat,
        set_webhook,
    )
    from engine.delivery.secret_keys import SecretKeys
    from engine.store.queries.sending.deliveries import endpoints as known

    with open_console_services() as services:
        org_id = organization(services, org)
        keys = SecretKeys(services.settings.webhook_key_path)
        if new_key:
            click.echo(f"a new key encrypts the secrets of {renew_key(services.store, keys, now=now())} webhooks")
        else:
            encrypt_secrets(services.store, keys, now=now())

        def write(change: Any, *given: Any) -> Any:  # the store is imported only when a command runs
            return services.store.write(org_id, "console", lambda revision: change(revision, *given), now=now())

        if remove:
            write(forget, remove)
        if chat is not None:
            write(set_chat, chat)
        secret = (
            write(set_webhook, keys, webhook) if webhook is not None else write(rotate_secret, keys) if rotate else None
        )
        with services.store.reader() as connection:
            channels = channels_of(services.settings, known(connection, org_id))
    for channel in channels.as_dicts():
        click.echo(f"{channel['name']}\t{'leaves' if channel['leaves'] else 'stays'}\t{channel['reason']}")
    if secret:
        click.echo(f"signing secret, shown this once:\t{secret}")
