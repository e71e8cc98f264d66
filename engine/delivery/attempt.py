"""One attempt to send one delivery over its channel."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.delivery import chat, mail, webhook
from engine.delivery.outcome import Outcome
from engine.delivery.outside import Outside
from engine.model.records import DeliveryContentRow, DeliveryRow
from engine.store.queries.sending.deliveries import Endpoint


def send(
    outside: Outside,
    row: DeliveryRow,
    contents: DeliveryContentRow | None,
    endpoints: Mapping[str, Endpoint],
    *,
    now: datetime,
    head: str | None = None,
    beside: Sequence[tuple[DeliveryRow, DeliveryContentRow]] = (),
) -> Outcome:
    """Send and say what came of it; whatever the other side does is an outcome, never an exception.

    ``head``: the signed head that it leaves with, in one line. ``beside``: e-mails that leave as one with it.
    """
    if contents is None:
        return Outcome("failed", "What it was to say has been pruned.")
    if row["channel"] == "email":
        return mail.send(outside, [(row, contents), *beside], head)
    if row["channel"] == "chat":
        return chat.send(outside, row, contents, endpoints.get("chat"), now=now)
    return webhook.send(outside, row, endpoints.get("webhook"), now=now, head=head)
