"""Alerts of every known monitor, from one parsed JSON body to a list of ``Alert``."""

from engine.intake.alerts.alert import Alert, severity_after
from engine.intake.alerts.formats import FORMATS, MOST, read_alerts

__all__ = ["FORMATS", "MOST", "Alert", "read_alerts", "severity_after"]
