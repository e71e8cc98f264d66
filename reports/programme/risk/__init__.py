"""Gaps and risks by where they gather."""
