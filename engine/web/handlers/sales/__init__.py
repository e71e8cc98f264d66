"""Handlers of billing, the contact form, leads and pilots."""
