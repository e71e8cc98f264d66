"""Incidents whose cause is known, to hold the root-cause analysis against."""
