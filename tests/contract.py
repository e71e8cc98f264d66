"""What the route table has: the routes of reports by the report that they answer with. Not every report has one."""

import api
from engine.web.handlers.reports import ReportHandler

REPORT_ROUTES = {route.handler.report: route.path for route in api.ROUTES if isinstance(route.handler, ReportHandler)}
