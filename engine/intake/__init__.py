"""What monitors and scanners send, read into typed records: pure functions over parsed JSON."""
