"""Families: incidents of one cause, proposed by the console and confirmed by a person."""
