"""Commands that bring records in, take them out and check them."""
