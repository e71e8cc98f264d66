"""The command that shows it all."""

import os
import shlex
import socket
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import Steps, now, open_console_services
from engine.cli.installation.doors import DESK_ADDRESS, desk_place
from engine.cli.one_bar import OneBar
from engine.cli.reports.pages import SITES, build_with_site
from engine.model.errors import Usage
from engine.runtime.settings import Settings
from engine.store import PLATFORM

if TYPE_CHECKING:
    from engine.model.every_organization import OrganizationsRun
    from engine.reporting.batch.report_batch import BuildResult
    from engine.runtime.services import Services
    from engine.store import Store

COLLECTING = "aurora"  # the demo organization whose checks collect evidence
ADMINS = "SVC_PLATFORM_ADMIN_EMAILS"
WRITTEN, BUILT = "organizations written", "organizations built"
_SECONDS = {WRITTEN: 40.0, BUILT: 15.0}  # what the first takes, and what is left then of the second


@click.command(epilog="Example: hq demo --port 8080")
@click.option("--no-serve", is_flag=True, help="Stop after building.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option(
    "--desk", "desk_at", default=DESK_ADDRESS, show_default=True, metavar="HOST:PORT", help="Where the desk is."
)
def demo(no_serve: bool, host: str, port: int, desk_at: str) -> None:
    """Fill an empty store with four organizations and the platform's own, build every report, and serve them.

    The desk is on, too: the link that is printed signs you in as the owner of aurora.
    """
    from data.demo import DEMO_ORGANIZATIONS
    from data.demo.cast.platform import PLATFORM_ADMIN, fill_platform
    from data.demo.replay import ends_early
    from engine.cli.installation.workers import serve_console
    from engine.reporting.site import INDEX
    from engine.store.log.row_log import salts_from
    from engine.web.serving.server import listen

    settings = _settings(PLATFORM_ADMIN)
    private, place = not settings.session_auth, desk_place(desk_at or DESK_ADDRESS)
    listening = None if no_serve else listen(host, port, private=private)
    desk = None if no_serve else _desk_socket(place, private, must=desk_at is not None)
    with open_console_services(settings, begin=True) as services:
        known = {org_id for org_id, _ in services.store.organizations()}
        for org_id in sorted(known & set(DEMO_ORGANIZATIONS)):
            ended = ends_early(services.store, org_id)
            if ended is not None:
                again = f"remove {settings.data_dir} and run it again"
                click.echo(f"The past of {org_id} ends on {ended}, as hq demo was interrupted: {again}.", err=True)
        folders = {org_id: settings.data_dir / SITES / org_id for org_id in DEMO_ORGANIZATIONS}
        with OneBar(_SECONDS) as steps, salts_from(b"demo"):
            fill_platform(services.store, settings, now())
            went = _fill(services, folders, known, steps)
        artifacts = sum(result.made + result.kept for result in went.results.values())
        click.echo(went.message(f"{artifacts} reports of {len(went.results)} organizations are ready."))
        others = ", ".join(f"owner@{org_id}.example" for org_id in DEMO_ORGANIZATIONS if org_id != "aurora")
        click.echo(f"`hq session --email ADDRESS` signs in as others: {others} (dune is in its first month).")
        administrator = bool(services.store.role(PLATFORM, PLATFORM_ADMIN))
        if administrator and PLATFORM_ADMIN not in settings.platform_admin_emails:
            click.echo(f"{PLATFORM_ADMIN} may see leads and pilots once {ADMINS} names that address too.")
        owner, admin = (settings.data_dir / f"demo-{role}.cookies" for role in ("owner", "admin"))
        _write_cookie(settings, owner, "owner@aurora.example", "aurora", host)
        if administrator:
            _write_cookie(settings, admin, PLATFORM_ADMIN, PLATFORM, host)

    def print_how() -> None:
        serves = "Ctrl-C" if listening is not None else f"nothing runs; `hq demo --port {port}` serves it until Ctrl-C"
        click.echo(f"\nopen     {(folders[DEMO_ORGANIZATIONS[0]] / INDEX).absolute().as_uri()}")
        address = f"http://{host}:{port}/api/governance/compliance/posture-score"
        further = f"   (leads and pilots: {_quote(admin)})" if administrator else ""
        if desk is not None:
            click.echo(f"desk     {_desk_link(settings, place)}")
        click.echo(f"sign in  curl -b {_quote(owner)} '{address}'{further}")
        click.echo(f"stop     {serves}")

    if listening is None:
        print_how()
    else:
        serve_console(settings, listening, print_how, threads=settings.threads, scheduled=True, desk=desk)


def _fill(
    services: "Services", folders: Mapping[str, Path], known: Collection[str], progress: Steps
) -> "OrganizationsRun[BuildResult]":
    """Write the organizations that are not known and make the reports and pages of all.

    While one is written, processes beside this one tell the past of others, and build those that are written.
    """
    from concurrent.futures import Future, as_completed

    from data.demo import generate_days
    from data.demo.cast.organizations import PROFILES
    from data.demo.operations import senders
    from data.demo.replay import replay
    from engine.model.days import local_day
    from engine.model.every_organization import OrganizationsRun
    from engine.reporting.batch.process_pool import process_pool

    moment = now()
    missing = [org_id for org_id in folders if org_id not in known]
    with process_pool(min(len(folders), os.cpu_count() or 1)) as pool:
        told = {
            pool.submit(generate_days, org_id, local_day(moment, PROFILES[org_id].time_zone)): org_id
            for org_id in missing
        }
        built: list[Future[OrganizationsRun[BuildResult]]] = []

        def build(org_id: str) -> None:
            if org_id == COLLECTING:
                _collect(services)
            built.append(pool.submit(build_with_site, services.batch(now()), org_id, folders[org_id]))

        progress(WRITTEN, 0, len(missing))
        for org_id in folders:
            if org_id in known:
                build(org_id)
        for number, future in enumerate(as_completed(told), start=1):
            replay(services, told[future], future.result(), now=now())
            if told[future] == senders.ORG:
                _issue_tokens(services.store)
            progress(WRITTEN, number, len(missing))
            build(told[future])
        runs = []
        for number, done in enumerate(as_completed(built), start=1):
            runs.append(done.result())
            progress(BUILT, number, len(folders))
    results = {org_id: result for went in runs for org_id, result in went.results.items()}
    return OrganizationsRun(results, [failure for went in runs for failure in went.failures])


def _issue_tokens(store: "Store") -> None:
    """The ingest tokens of the demo's senders, with secrets that nobody has: whoever reads of one may revoke it."""
    from data.demo.operations.senders import ORG, OWNER, PROBES, PROMETHEUS
    from engine.accounts.tokens import INGEST, issue

    with store.revision(ORG, OWNER, now=now()) as revision:
        for label, _ in (PROMETHEUS, PROBES):
            issue(revision, INGEST, label, basic_auth=False)


def _collect(services: "Services") -> None:
    """Write the sources that the demo collects from, pull their checks into the first organization, and prove them."""
    from data.demo.sources import COMMANDS, write_sources
    from engine.evidence.pulls.pull_file import read_pull_file
    from engine.evidence.pulls.sources.reading import SourceProblem
    from engine.model.days import local_day
    from engine.operations.pulls import prove_checks, run_pull
    from engine.store.queries.accounts.organizations import time_zone

    moment = now()
    with services.store.reader() as connection:
        today = local_day(moment, time_zone(connection, COLLECTING))
    folder = services.settings.data_dir / "demo" / "sources"
    try:
        file = read_pull_file(write_sources(folder, today))
    except SourceProblem as problem:
        click.echo(f"The demo collects nothing: {problem.message}", err=True)
        return
    allowed = replace(services.settings, pull_commands=(*services.settings.pull_commands, *COMMANDS))
    collecting = replace(services, settings=allowed)
    for _ in run_pull(collecting, COLLECTING, file, file.checks, now=moment):
        pass
    for _ in prove_checks(collecting, COLLECTING, None, None, now=moment):
        pass


def _quote(file: Path) -> str:
    return shlex.quote(os.path.relpath(file))


def _desk_socket(place: tuple[str, int], private: bool, *, must: bool) -> socket.socket | None:
    """Where the desk listens. Usage where it cannot; None, with a word about it, where nobody named the place."""
    from engine.web.serving.server import listen

    try:
        return listen(*place, private=private, option="--desk")
    except Usage as refusal:
        if must:
            raise
        click.echo(f"The desk is off: {refusal.message}", err=True)
        return None


def _desk_link(settings: Settings, place: tuple[str, int]) -> str:
    """A link to the desk that signs in the owner of aurora, once; where somebody else signs people in, the desk."""
    from engine.accounts.sign_in_links import MAIL_LIFE, SignInLinks

    at = replace(settings, desk_url=settings.desk_url or f"http://{place[0]}:{place[1]}")
    links = SignInLinks(at)
    if not links.are_possible or not settings.session_auth:
        return at.desk_url
    return links.address(links.new("owner@aurora.example", "aurora", now=now(), life=MAIL_LIFE))


def _write_cookie(settings: Settings, file: Path, email: str, org_id: str, host: str) -> None:
    """A session in a file for the option -b of curl, which nobody else may read."""
    from engine.runtime.keys.private_files import write_over
    from engine.web.admission.sessions import COOKIE, LIFE, Sessions

    moment = now()
    token = Sessions(settings).issue(email, org_id, now=moment)
    ends = int((moment + LIFE).timestamp())
    line = "\t".join((f"#HttpOnly_{host}", "FALSE", "/", "FALSE", str(ends), COOKIE, token))
    write_over(file, f"# Netscape HTTP Cookie File: {email}\n{line}\n".encode())


def _settings(admin: str) -> Settings:
    """Those of the environment. Where it names no platform administrator, the demo has one: nobody has in real life."""
    settings = Settings.of_process()
    return settings if settings.platform_admin_emails else replace(settings, platform_admin_emails=(admin,))
