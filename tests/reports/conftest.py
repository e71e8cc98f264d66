"""Facts over drawn rows, as the tests of the facts have them."""

from tests.facts.conftest import facts_with, memory, replica  # noqa: F401 - fixtures

__all__ = ["facts_with", "replica"]
