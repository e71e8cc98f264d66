"""What goes into an archive."""
