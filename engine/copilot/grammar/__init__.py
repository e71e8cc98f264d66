"""From the words of a question to a query."""
