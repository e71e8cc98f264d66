"""Chat messages to a Slack-compatible service: blocks with a plain text fallback, by incoming webhook or bot token."""

import http.client
import re
from datetime import datetime

import msgspec

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.backoff import retry_after
from engine.delivery.outcome import SENT, Outcome
from engine.delivery.outside import Outside
from engine.delivery.post import PostAnswer, post
from engine.model.records import DeliveryContentRow, DeliveryRow
from engine.store.queries.sending.deliveries import Endpoint
from engine.store.types import canonical_json

MOST_TEXT = 40_000
MOST_BLOCKS = 50
# what another attempt with the same message cannot mend
HOPELESS = {
    "invalid_payload",
    "invalid_blocks",
    "invalid_blocks_format",
    "no_text",
    "msg_too_long",
    "msg_blocks_too_long",
}
# what is wrong with our access, not with the message
ACCESS = {
    "invalid_auth",
    "not_authed",
    "account_inactive",
    "token_revoked",
    "token_expired",
    "no_active_hooks",
    "no_service",
}


def escape(text: str) -> str:
    """Text in which nothing can call out people or channels."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def send(
    outside: Outside, row: DeliveryRow, contents: DeliveryContentRow, endpoint: Endpoint | None, *, now: datetime
) -> Outcome:
    """Post to the channel that the organization has named; what was meant for an earlier one is dropped.

    ``text`` is escaped here; blocks are the sender's own and go as they are.
    """
    if endpoint is None or endpoint.address != row["recipient"]:
        return Outcome("skipped", "The organization has named another chat channel since.")
    if endpoint.disabled:
        return Outcome("skipped", "The organization's chat channel is switched off.")
    said: dict[str, object] = {"text": escape(contents["body_text"])[:MOST_TEXT]}
    if contents["blocks"]:
        said["blocks"] = contents["blocks"][:MOST_BLOCKS]
    headers = {"Content-Type": "application/json; charset=utf-8", "Idempotency-Key": row["id"]}
    url = outside.chat_webhook
    if outside.chat_token:
        url = f"{outside.chat_api}/chat.postMessage"
        headers["Authorization"] = f"Bearer {outside.chat_token}"
        said = {"channel": endpoint.address, "unfurl_links": False, **said}
    try:
        answer = post(outside, WebhookTarget.any(url), headers, canonical_json(said).encode(), public=False)
    except TimeoutError:
        return Outcome("retry", "The chat service did not answer in time.", channel_down=True)
    except (AddressRefusal, OSError, http.client.HTTPException) as error:
        return Outcome("retry", f"The chat service could not be reached ({type(error).__name__}).", channel_down=True)
    return _outcome(answer, now)


def _outcome(answer: PostAnswer, now: datetime) -> Outcome:
    """An API answers 200 with ``ok`` false and an error word, a webhook with the word as text under another status."""
    if answer.status == 429:
        wait = retry_after(answer.headers.get("retry-after"), now)
        return Outcome("retry", "The chat service answered 429: too many messages.", retry_after=wait)
    word = _word(answer)
    if word == "ok":
        return SENT
    text = f"The chat service answered {answer.status}{f' {word}' if word else ''}."
    if word in HOPELESS:
        return Outcome("failed", text)
    if word == "ratelimited":
        return Outcome("retry", text, retry_after=retry_after(answer.headers.get("retry-after"), now))
    return Outcome("retry", text, channel_down=word in ACCESS or answer.status >= 500)


def _word(answer: PostAnswer) -> str:
    """``ok``, else the service's error word when it is one; never other text of theirs."""
    text = answer.body.decode("utf-8", "replace").strip()
    if text.startswith("{"):
        try:
            document = msgspec.json.decode(answer.body, type=dict[str, object])
        except msgspec.DecodeError:
            return ""
        if document.get("ok") is True and answer.status == 200:
            return "ok"
        text = str(document.get("error", ""))
    elif 200 <= answer.status < 300:
        return "ok"
    return text if re.fullmatch(r"[a-z_]{1,60}", text) and text != "ok" else ""
