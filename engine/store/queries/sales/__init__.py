"""Reads of leads, pilots and billing."""
