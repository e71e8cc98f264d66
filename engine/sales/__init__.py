"""Enquiries, leads, pilots and their proposals: what the platform's own people work with."""
