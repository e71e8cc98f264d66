"""Checks of archives: their bytes, their chain, the differences of two."""
