"""What the coming weeks ask for."""
