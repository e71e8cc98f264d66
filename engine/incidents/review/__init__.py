"""Documents about an incident: its file, its evidence, its review."""
