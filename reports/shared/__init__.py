"""What the chapters of reports share."""
