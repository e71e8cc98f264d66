"""What an operator does to a whole installation: back it up, restore it, check it."""
