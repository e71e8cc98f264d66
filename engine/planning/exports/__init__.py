"""A plan for others: rows of the import, tickets, one row for each organization."""
