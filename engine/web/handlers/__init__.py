"""What answers a route: a file for each chapter of the interface."""
