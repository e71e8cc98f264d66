"""Signed heads, their witnesses and their check."""
