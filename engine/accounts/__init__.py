"""Credentials and connections of people and organizations: keys, tokens, assessors, preferences."""
