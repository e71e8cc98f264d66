"""Answers of the chapter Health."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from engine.web.answers.shape import Shape


class Liveness(Shape):
    ok: bool
    service: Annotated[str, Meta(examples=["hq-console"])]
    uptime_s: Annotated[int, Meta(ge=0, examples=[86_400])]


class DatabaseReadiness(Shape):
    """``migration`` is the one that the store is at, ``expected`` the newest that this version knows."""

    ok: bool
    database: Annotated[str, Meta(examples=["sqlite", "postgresql"])]
    migration: Annotated[str, Meta(examples=["0025"])]
    expected: Annotated[str, Meta(examples=["0025"])]


class ConnectorProbe(Shape):
    """Whatever is answered means reachable; ``status`` is that of the answer."""

    configured: bool
    reachable: bool
    status: int | None
    latency_ms: int | None


class ConnectorStatus(Shape):
    checked_at: datetime
    reasoning: ConnectorProbe
    robot: ConnectorProbe
