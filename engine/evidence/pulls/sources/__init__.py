"""Reading sources, a file for each kind, and the table of kinds."""
