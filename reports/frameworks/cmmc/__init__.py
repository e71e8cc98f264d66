"""CMMC Level 2."""
