"""Evidence that others can check."""
