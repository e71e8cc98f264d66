"""Reads of what leaves the house: outbox, digests and jobs."""
