"""Answers of the routes that deliver digests."""

from datetime import date, datetime

from msgspec import UNSET, UnsetType

from engine.model.declarations.digest import ChainStep
from engine.model.vocabulary import Channel, DeliveryStatus
from engine.web.answers.shape import Shape


class DeliveryAnswer(Shape, kw_only=True):
    """A delivery in the outbox; ``result`` says what this very request made of it."""

    id: str
    kind: str | UnsetType = UNSET
    period: str | UnsetType = UNSET
    channel: Channel
    recipient: str
    status: DeliveryStatus
    result: str | UnsetType = UNSET


class ChannelAnswer(Shape):
    """Whether anything would leave over a channel, why, and to whom."""

    name: Channel
    leaves: bool
    reason: str | None
    recipients: list[str]


class DigestRun(Shape):
    """What came of one digest of one organization."""

    org_id: str
    digest: str
    period: str
    outcome: str
    late: bool
    content_hash: str | None
    headline: str | None
    held_until: datetime | None
    deliveries: list[DeliveryAnswer]
    channels: list[ChannelAnswer]


class DigestRuns(Shape):
    """One run for each organization that wants the digest."""

    digest: str
    runs: list[DigestRun]


class StaffingChainRun(Shape):
    chain: str
    run_id: str
    org_id: str
    day: date
    outcome: str
    steps: list[ChainStep]


class StaffingChainRuns(Shape):
    chain: str
    runs: list[StaffingChainRun]
