"""The facts over stored rows, for the tests that follow a mail from one report to the next."""

from tests.facts.conftest import facts_with, replica

__all__ = ["facts_with", "replica"]
