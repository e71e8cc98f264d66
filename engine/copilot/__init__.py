"""The copilot: a language model where one is configured, and an answer computed from the reports where none answers."""
