"""Alerts of every known monitor, from one parsed JSON body to a list of ``Alert``."""

from engine.intake.alerts.alert import Alert, severity_after
from engine.intake.alerts.formats import FORMATS, MOST, AlertReading, body_of_refused, read_alerts, read_batch

__all__ = ["FORMATS", "MOST", "Alert", "AlertReading", "body_of_refused", "read_alerts", "read_batch", "severity_after"]
