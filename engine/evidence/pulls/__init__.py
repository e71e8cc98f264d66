"""Pulls: declared sources are read, checks run over their rows, and what they answer is a test with its rows."""
