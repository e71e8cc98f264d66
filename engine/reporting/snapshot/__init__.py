"""One organization at one revision on one of its days."""
