"""Cells and columns as people write them, turned into values."""
