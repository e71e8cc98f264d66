from tests.facts.conftest import replica

__all__ = ["replica"]
