"""The facts over stored rows, for the tests that follow a mail from one report to the next."""

from tests.facts.conftest import facts_with, memory, replica  # noqa: F401 - fixtures

__all__ = ["facts_with", "replica"]
