"""Signing in: the page that says how, and the link whose GET shows a button and whose POST is spent."""

from engine.accounts.sign_in_links import SignInLinks
from engine.desk.pages import page
from engine.desk.visits import Reply, Visit
from engine.model.errors import Conflict, Forbidden, Unauthorized, Usage
from engine.store.queries.accounts.sessions import end_sessions
from engine.web.admission.access import session_token
from engine.web.admission.sessions import COOKIE, LIFE


def sign_in_page(visit: Visit) -> Reply:
    """How one signs in; with a link, a button that does it."""
    token = visit.query.get("link", "")
    return _page(visit, token) if token else how_to_sign_in(visit, "Sign in to use the desk.", status=200)


def spend_link(visit: Visit) -> Reply:
    """The button was pressed: a session begins, and the link is good no more."""
    _must_be_own_page(visit)
    links = SignInLinks(visit.services.settings)
    try:
        link = links.spend(visit.services.store, visit.form.get("link", ""), now=visit.now)
    except (Unauthorized, Conflict, Usage) as refusal:
        return how_to_sign_in(visit, refusal.message, status=refusal.status)
    session = visit.gate.sessions.issue(link.email, link.org_id, now=visit.now)
    secure = "; Secure" if visit.services.settings.desk_url.startswith("https://") else ""
    cookie = f"{COOKIE}={session}; Path=/; HttpOnly; SameSite=Lax; Max-Age={int(LIFE.total_seconds())}{secure}"
    to = link.to if link.to.startswith("/") and not link.to.startswith("//") else "/"
    return Reply(status=303, to=to, headers=[("Set-Cookie", cookie)])


def sign_out(visit: Visit) -> Reply:
    """The session is ended, wherever its cookie was copied to, and this browser's cookie is gone."""
    token = session_token(visit.request)
    if token is not None and visit.services.settings.session_auth:
        session = visit.gate.sessions.read(token, now=visit.now)
        with visit.services.store.revision(session.org_id, visit.caller.actor, now=visit.now) as revision:
            end_sessions(revision, session.email, session.id)
    cookie = f"{COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"
    return Reply(status=303, to="/sign-in", headers=[("Set-Cookie", cookie)])


def how_to_sign_in(visit: Visit, message: str, *, status: int) -> Reply:
    """What to do without a session."""
    content = page(
        "sign_in_page.html", message=message, from_key_set=not SignInLinks(visit.services.settings).are_possible
    )
    return Reply(content, status)


def _page(visit: Visit, token: str) -> Reply:
    try:
        link = SignInLinks(visit.services.settings).usable(visit.services.store, token, now=visit.now)
    except (Unauthorized, Conflict, Usage) as refusal:
        return how_to_sign_in(visit, refusal.message, status=refusal.status)
    return Reply(page("sign_in_button.html", email=link.email, org_id=link.org_id, link=token))


def _must_be_own_page(visit: Visit) -> None:
    """Forbidden for a form of another site: somebody could be signed in as somebody else without knowing."""
    headers = visit.request.headers
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    host = headers.get("host", "")
    if site not in (None, "same-origin", "none") or (origin is not None and origin.partition("://")[2] != host):
        raise Forbidden("A page of another site may not sign you in.", word="cross_origin")
