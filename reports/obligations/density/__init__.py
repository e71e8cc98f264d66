"""Weeks that hold too much."""
