"""The demo organizations and their people."""
