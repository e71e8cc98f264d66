"""Pending duties by kind, month, framework and owner."""
