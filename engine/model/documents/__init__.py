"""What a report says, before anything decides how it looks."""
