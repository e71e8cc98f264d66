"""Worker processes, their supervisor and their signals."""
