"""The times of payment providers."""

from datetime import UTC, datetime


def instant(value: object) -> datetime | None:
    """A time with its zone; None for what is none: PayPal's simulator has sent a month 19."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return at.astimezone(UTC) if at is not None and at.tzinfo else None
    except (ValueError, OverflowError):
        return None
