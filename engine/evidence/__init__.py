"""Bytes of evidence: where they are held, by their SHA-256, and the rows that name them."""
