"""Revisions and what they write with: groups, buffers, statements, locks, leases."""
