"""What changes of requirements would do."""
