"""Reads of incidents, services, alerts, automations and vendors."""
