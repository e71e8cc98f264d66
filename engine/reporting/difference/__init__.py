"""What differs between two states of a report, and what did it."""
