"""Retention and the erasure of persons: the only places that remove rows."""
