"""Digests and gathered digests as mails."""
