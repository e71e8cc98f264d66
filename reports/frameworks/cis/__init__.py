"""CIS Controls."""
