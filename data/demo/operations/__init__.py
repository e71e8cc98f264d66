"""Services, incidents, findings and automations of the demo organizations."""
