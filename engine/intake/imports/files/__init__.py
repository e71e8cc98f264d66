"""Files of tables in each format, read as sheets of text cells."""
