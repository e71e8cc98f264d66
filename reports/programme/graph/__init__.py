"""What controls rest on."""
