"""E-mails to leads: prepared for somebody to send, or put into the outbox where a mail server is configured."""

from engine.delivery import Message, channels_of, content_hash, enqueue
from engine.model.vocabulary import Json
from engine.runtime.settings import Settings
from engine.sales.history import note
from engine.sales.leads import check_reachable, note_response
from engine.sales.templates import prepare_email
from engine.store import Revision
from engine.store.rows import one
from engine.store.schema.commerce import leads

KIND = "lead-email"


def write(
    revision: Revision, lead_id: str, template: str, words: str | None, settings: Settings, *, send: bool
) -> dict[str, object]:
    """The e-mail of a template to a lead; ``status`` is ``prepared`` or ``queued``, ``reason`` says why.

    The same template goes to a lead once a day. Conflict for a lead that was taken for spam.
    """
    lead = one(revision.connection, leads, revision.org_id, id=lead_id)
    check_reachable(lead)
    letter = prepare_email(template, lead, settings.brand, words)
    channel = channels_of(settings, {}).email
    if not send or not channel.leaves:
        told = {"template": template}
        note(revision, "lead", lead_id, "lead.email.prepared", told, chained=told)
        reason = channel.reason if send else "It was to be prepared only; send true sends it."
        return {"status": "prepared", "template": template, **letter, "delivery": None, "reason": reason}
    delivery = _queue_state(revision, lead_id, template, letter)
    if delivery["result"] == "queued":
        queued = {"template": template, "delivery_id": delivery["id"]}
        note(revision, "lead", lead_id, "lead.email.queued", queued, chained=queued)
        note_response(revision, lead)
    return {"status": "queued", "template": template, **letter, "delivery": delivery, "reason": channel.reason}


def _queue_state(revision: Revision, lead_id: str, template: str, letter: dict[str, str]) -> dict[str, object]:
    period = f"{lead_id}:{template}:{revision.now.date().isoformat()}"
    payload: dict[str, Json] = {"lead_id": lead_id, "template": template}
    digest = content_hash({**payload, **letter})
    message = Message(KIND, period, "email", letter["to"], digest, letter["subject"], payload, letter["body"])
    (delivery,) = enqueue(revision, [message])
    return {name: delivery[name] for name in ("id", "status", "result")}
