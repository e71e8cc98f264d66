"""Everything that leaves the house: an outbox in the store, and the channels that empty it.

Who decides to send calls ``enqueue`` inside its revision; the scheduler calls ``drain``. Between the two lies a commit,
so that a decision without a delivery, or a delivery without a decision, cannot happen.

    channels = configured(services.settings, endpoints(connection, org_id))   # what can leave, and why the rest cannot
    with store.revision(org_id, actor, now=now) as revision:
        revision.insert(...)                                                  # what the digest itself moves
        results = enqueue(revision, [Message(...), ...], late=False)          # [{"id", "result", "status", …}, …]
    drain(services, now=now)                                                  # or let the job do it within a minute
"""

from engine.delivery.channels import Channel, Channels, channels_of, endpoints
from engine.delivery.message import Message, content_hash
from engine.delivery.outbox import DrainResult, QueueAnswer, drain, enqueue

__all__ = [
    "Channel",
    "Channels",
    "DrainResult",
    "Message",
    "QueueAnswer",
    "channels_of",
    "content_hash",
    "drain",
    "endpoints",
    "enqueue",
]
