"""The year that the demo organizations lived through."""
