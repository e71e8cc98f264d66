"""Duties that one collection of evidence serves."""
