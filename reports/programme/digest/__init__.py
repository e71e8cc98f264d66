"""The compliance digest."""
