"""Signing keys and files that only their account may read."""
