"""From alerts, findings and deploy events to incidents."""
