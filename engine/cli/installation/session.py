"""The command that begins a session, and ends sessions before their time."""

import sys
from collections.abc import Sequence

import click

from engine.cli.common import now, open_console_services
from engine.cli.names import organization_names
from engine.model.errors import Usage
from engine.runtime.settings import Settings
from engine.store.ids import PLATFORM
from engine.store.membership import organizations_of


@click.command(epilog="Example: curl -b svc_session=$(hq session --email owner@aurora.example) …")
@click.option("--email", help="Member to sign in as, or whose sessions end.")
@click.option(
    "--org",
    metavar="ORG",
    help="Organization. May be left out where the member belongs to one only.",
    shell_complete=organization_names,
)
@click.option(
    "--revoke",
    is_flag=False,
    flag_value="",
    metavar="[SESSION]",
    help="End a session: its cookie's value (- reads it from standard input), or its jti with --email. "
    "Without SESSION all of the member's that have begun, in every organization unless --org names one.",
)
@click.option("--link", is_flag=True, help="Print a link to the desk that signs the member in once, for ten minutes.")
def session(email: str | None, org: str | None, revoke: str | None, link: bool) -> None:
    """Print the value of a session cookie, and nothing else; or end sessions before their time.

    With --link, a link to the desk (SVC_DESK_URL) in place of the cookie: its page has a button, which works once.
    """
    settings = Settings.of_process()
    if link and revoke is not None:
        raise Usage("--link begins a session and --revoke ends one: name one of them.")
    given = sys.stdin.read().strip() if revoke == "-" else revoke
    if email is None:
        if not given:
            raise Usage("Name the member with --email.")
        _end_cookie(settings, given)
        return
    email = email.lower()
    mine = _memberships(settings, email, org)
    if len(mine) > 1 and given != "":
        raise Usage(f"{email} is a member of {', '.join(mine)}; name one with --org.")
    if given is None:
        begin = _begin_by_link if link else _begin
        begin(settings, email, mine[0])
    else:
        _end(settings, email, mine, given)


def _memberships(settings: Settings, email: str, org: str | None) -> Sequence[str]:
    """The organizations that are meant: the one that is named, else all that the person belongs to."""
    mine = organizations_of(settings.store_url, email)
    if org is not None and org not in mine:
        raise Usage(f"{email} is not a member of {org!r}.")
    if not mine:
        raise Usage(f"{email} is not a member of any organization here.")
    return mine if org is None else [org]


def _begin(settings: Settings, email: str, org_id: str) -> None:
    from engine.web.admission.sessions import Sessions

    if org_id == PLATFORM and email not in settings.platform_admin_emails:
        click.echo(f"{email} is not in SVC_PLATFORM_ADMIN_EMAILS: /api/admin will refuse this session.", err=True)
    click.echo(Sessions(settings).issue(email, org_id, now=now()))


def _begin_by_link(settings: Settings, email: str, org_id: str) -> None:
    from engine.accounts.sign_in_links import SignInLinks

    links = SignInLinks(settings)
    click.echo(links.address(links.new(email, org_id, now=now())))


def _end_cookie(settings: Settings, token: str) -> None:
    """End the session of a cookie's value, which must be one that is let in."""
    from engine.web.admission.sessions import Sessions

    content = Sessions(settings).read(token, now=now())
    _end(settings, content.email, [content.org_id], content.id)


def _end(settings: Settings, email: str, organizations: Sequence[str], session_id: str) -> None:
    from engine.store.queries.accounts.sessions import end_sessions

    with open_console_services(settings) as services:
        for org_id in organizations:
            services.store.write(
                org_id, "console", lambda revision: end_sessions(revision, email, session_id), now=now()
            )
            what = f"session {session_id}" if session_id else "all sessions that had begun"
            click.echo(f"ended: {what}, of {email} in {org_id}")
