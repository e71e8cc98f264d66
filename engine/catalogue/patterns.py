"""Patterns of rules: a name, or the beginning of names and ``*``."""


def fits(pattern: str, name: str) -> bool:
    """``access.*`` fits every name that begins with ``access.``; without a ``*`` at its end only the same name fits."""
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
