"""From a query to sentences with citations."""
