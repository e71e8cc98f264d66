"""Activity of controls in the period."""
