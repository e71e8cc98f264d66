"""The change log: every version of every row, and the checks of rows against it."""
