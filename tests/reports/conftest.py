"""Facts over drawn rows, as the tests of the facts have them."""

from tests.facts.conftest import facts_with, replica

__all__ = ["facts_with", "replica"]
