"""Weeks of key figures and the drift of policies."""
