"""Reads of organizations, people, sessions and settings."""
