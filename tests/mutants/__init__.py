"""Changes that the suite must notice: a list by name, and a drawn sample."""
