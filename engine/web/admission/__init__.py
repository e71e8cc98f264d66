"""Who may call a route, how often, and the record of downloads."""
