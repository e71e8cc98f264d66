"""Handlers of archives, audit exports, assessors and evidence links."""
