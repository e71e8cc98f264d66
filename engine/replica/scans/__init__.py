"""What facts read from the replica: one query for each scan, by name."""
