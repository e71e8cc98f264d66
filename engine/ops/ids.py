"""Identifiers of rows that we make: opaque, unguessable, with a prefix that says what they name."""

import secrets


def new_id(prefix: str) -> str:
    """Such as ``inc_9f86d081884c7d65``."""
    return f"{prefix}_{secrets.token_hex(8)}"
