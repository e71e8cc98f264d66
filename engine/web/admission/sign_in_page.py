"""What a browser shows that followed a link of a mail without a session; machines get the error as they always do."""

from html import escape
from string import Template

from engine.model.errors import Unauthorized
from engine.render import TEMPLATES
from engine.web.http import Request, Response

PAGE = Template((TEMPLATES / "sign_in.html").read_text(encoding="utf-8"))  # two words need no engine in every process
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def wants_page(request: Request) -> bool:
    """Whether a person asked for a page: a browser, for a report as HTML."""
    accepted = str(request.headers.get("Accept") or "")
    return request.method == "GET" and "text/html" in accepted and "format=html" in request.raw_query.split("&")


def sign_in_page(request: Request, refusal: Unauthorized) -> Response:
    """The refusal as a page, with what to do."""
    address = request.services.settings.base_url
    page = PAGE.substitute(message=escape(refusal.message), address=escape(address))
    headers = {"Content-Security-Policy": POLICY, **refusal.headers}
    return Response(page.encode(), "text/html; charset=utf-8", refusal.status, headers)
