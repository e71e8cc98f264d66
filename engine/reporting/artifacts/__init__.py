"""Rendered reports as files that are named by what they were computed from."""
