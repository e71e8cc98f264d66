"""Health of control families."""
