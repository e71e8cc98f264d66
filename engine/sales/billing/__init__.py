"""What is sold, what was bought, and what the payment providers say about it."""
