"""SOC 2 Type II."""
