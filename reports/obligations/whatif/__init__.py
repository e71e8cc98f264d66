"""Scenarios of shifted duties."""
