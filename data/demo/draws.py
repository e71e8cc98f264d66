"""Chance that is the same each time."""

from random import Random


def draws(name: str) -> Random:
    """The generator of one chapter or story: the name is its seed, so that none disturbs another."""
    return Random(name)  # noqa: S311 - invented records, nothing is kept secret by it
