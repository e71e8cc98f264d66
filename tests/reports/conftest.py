"""Facts over drawn rows, as the tests of the facts have them."""

from tests.reporting.facts.conftest import known, replica

__all__ = ["known", "replica"]
