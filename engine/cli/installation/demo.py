"""The command that shows it all."""

import os
import shlex
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services
from engine.cli.installation.doors import DESK_ADDRESS, desk_place
from engine.cli.one_bar import OneBar
from engine.cli.reports.pages import SITES, write_sites
from engine.model.errors import Usage
from engine.runtime.settings import Settings
from engine.store import PLATFORM

if TYPE_CHECKING:
    from engine.intake.imports.days import DayRows
    from engine.runtime.services import Services

COLLECTING = "aurora"  # the demo organization whose checks collect evidence
ADMINS = "SVC_PLATFORM_ADMIN_EMAILS"


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
    from data.demo.replay import ends_early, replay
    from engine.cli.installation.workers import serve_console
    from engine.reporting.batch import batch
    from engine.reporting.batch.chunk_runs import in_processes
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
        with OneBar(_seconds(DEMO_ORGANIZATIONS)) as steps, salts_from(b"demo"):
            missing = [org_id for org_id in DEMO_ORGANIZATIONS if org_id not in known]
            steps("demo organizations", 0, len(missing))
            for number, (org_id, tables) in enumerate(_demo_days(missing, now()), start=1):
                replay(services, org_id, tables, now=now())
                steps("demo organizations", number, len(missing))
            fill_platform(services.store, settings, now())
            _collect(services)
            jobs = os.cpu_count() or 1
            together = services.batch(now())
            went = batch.build(
                services.store, together, DEMO_ORGANIZATIONS, in_processes(jobs), shares=jobs, progress=steps
            )
            folders = {org_id: settings.data_dir / SITES / org_id for org_id in DEMO_ORGANIZATIONS}
            write_sites(together, folders, steps)
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


def _seconds(org_ids: Sequence[str]) -> dict[str, float]:
    """How long the parts of the demo take on a small machine: what counts is how they compare."""
    return {"demo organizations": 30.0, "organizations": 25.0, **{f"export {org_id}": 5.0 for org_id in org_ids}}


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


def _demo_days(org_ids: Sequence[str], moment: datetime) -> "Iterator[tuple[str, dict[str, DayRows]]]":
    """Each demo organization with its tables from day to day; the others are told while one is stored."""
    from concurrent.futures import as_completed

    from data.demo import generate_days
    from data.demo.cast.organizations import PROFILES
    from engine.model.days import local_day
    from engine.reporting.batch.process_pool import process_pool

    if not org_ids:
        return
    with process_pool(min(len(org_ids), os.cpu_count() or 1)) as pool:
        futures = {
            pool.submit(generate_days, org_id, local_day(moment, PROFILES[org_id].time_zone)): org_id
            for org_id in org_ids
        }
        for future in as_completed(futures):
            yield futures[future], future.result()


def _settings(admin: str) -> Settings:
    """Those of the environment. Where it names no platform administrator, the demo has one: nobody has in real life."""
    settings = Settings.of_process()
    return settings if settings.platform_admin_emails else replace(settings, platform_admin_emails=(admin,))
