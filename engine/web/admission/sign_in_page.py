"""What a browser shows in place of an error: a page, with what to do; machines get the error as they always do."""

from collections.abc import Mapping
from html import escape
from string import Template

from engine.model.errors import Problem, Unauthorized
from engine.render import TEMPLATES
from engine.runtime.settings import Settings
from engine.web.http import Request, Response
from engine.web.negotiation import preferred_format

SIGN_IN = Template(
    (TEMPLATES / "sign_in.html").read_text(encoding="utf-8")
)  # few words need no engine in every process
ERROR = Template((TEMPLATES / "error.html").read_text(encoding="utf-8"))
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
HOME = "/api/governance/compliance/program?format=html"
TITLES = {403: "This is not for your role", 404: "There is no such page"}


def wants_page(request: Request) -> bool:
    """Whether a person asked for a page: at a browser, or for a report as HTML."""
    accepted = str(request.headers.get("Accept") or "")
    as_page = "format=html" in request.raw_query.split("&") and "text/html" in accepted
    return request.method == "GET" and (as_page or _is_browser(accepted))


def browses(headers: Mapping[str, str], method: str) -> bool:
    """Whether a browser asks, of a request that no route answers."""
    return method in ("GET", "HEAD") and _is_browser(str(headers.get("accept") or ""))


def _is_browser(accepted: str) -> bool:
    """Browsers name XHTML beside HTML, before all else; a program that wants HTML names that alone."""
    return "application/xhtml+xml" in accepted and preferred_format(accepted, ("json", "html")) == "html"


def sign_in_page(request: Request, refusal: Unauthorized) -> Response:
    """The refusal as a page, with what to do."""
    settings = request.services.settings
    page = SIGN_IN.substitute(
        message=escape(refusal.message), address=escape(settings.base_url), further=_how(settings)
    )  # fmt: skip
    headers = {"Content-Security-Policy": POLICY, **refusal.headers}
    return Response(page.encode(), "text/html; charset=utf-8", refusal.status, headers)


def missing_page(settings: Settings, path: str, problem: Problem) -> Response:
    """What a browser sees at a path that no route answers: where it is, how to sign in, and where the pages are."""
    is_home = path in ("", "/")
    title = "Compliance reports" if is_home else TITLES[404]
    message = "This address has no page of its own; reports and records have." if is_home else problem.message
    further = f'<p><a href="{escape(HOME)}">The program report</a>, once you are signed in.</p>\n{_how(settings)}'
    page = ERROR.substitute(
        title=escape(title), message=escape(message), crumbs=_crumbs(path), further=further
    )  # fmt: skip
    return Response(page.encode(), "text/html; charset=utf-8", problem.status, {"Content-Security-Policy": POLICY})


def _crumbs(path: str) -> str:
    """Home, and what of the path stands below it."""
    parts = [escape(part[:80]) for part in path.split("/") if part]
    return " › ".join(['<a href="/">Home</a>', *parts[-3:]])


def _how(settings: Settings) -> str:
    """How one signs in."""
    if settings.session_jwks_file is not None:
        return "<p>Sessions come from your identity provider: sign in there, then come back.</p>"
    desk = f' to the <a href="{escape(settings.desk_url)}">desk</a>' if settings.desk_url else " to the desk"
    return (
        "<p>Sign in by a link: that of a mail that went to you, or the one that whoever runs the console prints with"
        f"</p>\n<pre>hq session --email you@example.com --link</pre>\n<p>It signs you in{desk}, and here with it.</p>"
    )
