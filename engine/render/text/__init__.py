"""JSON, OSCAL and Markdown."""
