"""A process: its settings, its services, its jobs."""
