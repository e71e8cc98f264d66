"""The command that applies what somebody wrote who wants no more of a mail."""

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services
from engine.model.errors import NotFound, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.runtime.services import Services


@click.command(epilog="Example: hq unsubscribe hqu1.dlv_0199d3f2c1a4.kP3x…; hq unsubscribe - < mail.eml")
@click.argument("tokens", metavar="TOKEN...", nargs=-1, required=True)
def unsubscribe(tokens: tuple[str, ...]) -> None:
    """Switch e-mails off for whoever got them, by the tokens of their mails; - finds them in a mail on standard input.

    Tokens are in the subject of mails to SVC_UNSUBSCRIBE_MAILTO. Where we did not sign one, nothing is changed.
    """
    from engine.delivery.unsubscribe import TOKEN, Unsubscribing

    if tokens == ("-",):
        tokens = tuple(dict.fromkeys(TOKEN.findall("".join(sys.stdin.read().split("=\n")))))
        if not tokens:
            raise Usage("There is no token in what came on standard input.")
    with open_console_services() as services:
        settings = services.settings
        unsubscribing = Unsubscribing(settings.unsubscribe_mailto, settings.signing_key_path)
        found = [unsubscribing.deliveries_of(token) for token in tokens]
        for ids in found:
            for line in _apply(services, ids):
                click.echo(line)


def _apply(services: "Services", ids: "Sequence[str]") -> list[str]:
    """What became of each delivery that a token names."""
    from engine.accounts.preferences import change
    from engine.reporting.index import index
    from engine.store.queries.sending.deliveries import recipients

    preferences = {digest.name: digest.preference for digest in index().digests}
    lines = []
    with services.store.reader() as connection:
        rows = recipients(connection, ids)
    if not rows:
        raise NotFound("None of the deliveries of that token is known here: it was of another installation.")
    for org_id, kind, recipient in rows:
        if kind not in preferences or "@" not in recipient:  # a person who was erased gets nothing
            lines.append(f"{kind} of {org_id}: nothing to switch off")
            continue
        off = partial(change, given={f"{preferences[kind]}_email": False})
        services.store.write(org_id, recipient, off, now=now())
        lines.append(f"{recipient} gets no more {kind} of {org_id} by e-mail")
    return lines
