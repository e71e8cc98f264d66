"""The facts over stored rows, for the tests that follow a mail from one report to the next."""

from tests.reporting.facts.conftest import known, replica

__all__ = ["known", "replica"]
