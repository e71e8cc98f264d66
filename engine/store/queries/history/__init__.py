"""Reads of the audit log, of access, and of positions and bundles of a chain."""
