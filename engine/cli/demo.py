"""The command that shows it all."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import click

from engine.cli.common import Steps, now, open_console_services
from engine.runtime.settings import Settings
from engine.store import PLATFORM

if TYPE_CHECKING:
    from engine.intake.imports.days import DayRows

ADMINS = "SVC_PLATFORM_ADMIN_EMAILS"


@click.command(epilog="Example: hq demo --port 8080")
@click.option("--no-serve", is_flag=True, help="Stop after building.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
def demo(no_serve: bool, host: str, port: int) -> None:
    """Fill an empty store with four organizations and the platform's own, build every report, and serve them."""
    from data.demo import DEMO_ORGANIZATIONS
    from data.demo.platform import PLATFORM_ADMIN, fill_platform
    from data.demo.replay import ends_early, replay
    from engine.cli.workers import serve_console
    from engine.reporting import batch
    from engine.reporting.chunk_runs import in_processes
    from engine.reporting.site import write_site
    from engine.store.row_log import salts_from
    from engine.web.serving.server import listen
    from engine.web.sessions import Sessions
    from reports import SECTIONS

    settings = _settings(PLATFORM_ADMIN)
    listening = None if no_serve else listen(host, port, private=not settings.session_auth)
    with open_console_services(settings) as services:
        known = {org_id for org_id, _ in services.store.organizations()}
        for org_id in sorted(known & set(DEMO_ORGANIZATIONS)):
            ended = ends_early(services.store, org_id)
            if ended is not None:
                again = f"remove {settings.data_dir} and run it again"
                click.echo(f"The past of {org_id} ends on {ended}, as hq demo was interrupted: {again}.", err=True)
        with Steps() as steps, salts_from(b"demo"):
            missing = [org_id for org_id in DEMO_ORGANIZATIONS if org_id not in known]
            steps("demo organizations", 0, len(missing))
            for number, (org_id, tables) in enumerate(_told(missing, now()), start=1):
                replay(services, org_id, tables, now=now())
                steps("demo organizations", number, len(missing))
            fill_platform(services.store, settings, now())
            site = settings.data_dir / "site"
            jobs = os.cpu_count() or 1
            went = batch.build(
                services.store,
                services.batch(now()),
                DEMO_ORGANIZATIONS,
                in_processes(jobs),
                shares=jobs,
                progress=steps,
            )
            pages = []
            for org_id in DEMO_ORGANIZATIONS:
                with services.snapshots.open(org_id, now=now()) as snapshot:
                    pages.append(write_site(snapshot, site / org_id, sections=SECTIONS, progress=steps))
        artifacts = sum(result.made + result.kept for result in went.results.values())
        click.echo(went.message(f"{artifacts} reports of {len(went.results)} organizations are ready."))
        click.echo(f"Browse them without a server: {pages[0]}")
        sessions, address = Sessions(settings), f"http://{host}:{port}/api"
        cookie = sessions.issue("owner@aurora.example", "aurora", now=now())
        click.echo(f"\nSign in as owner@aurora.example with the cookie\n  svc_session={cookie}\n\nTry:")
        for path in ("posture-score", "executive-summary?format=md", "gap-remediations?format=csv"):
            click.echo(f"  curl -b svc_session={cookie} '{address}/governance/compliance/{path}'")
        others = ", ".join(f"owner@{org_id}.example" for org_id in DEMO_ORGANIZATIONS if org_id != "aurora")
        click.echo(f"`hq session --email ADDRESS` prints the cookie of {others} (dune is in its first month).")
        if services.store.role(PLATFORM, PLATFORM_ADMIN):
            cookie = sessions.issue(PLATFORM_ADMIN, PLATFORM, now=now())
            click.echo(_administration(settings, PLATFORM_ADMIN, cookie, address))
    if listening is not None:
        serve_console(settings, listening, f"http://{host}:{port}", threads=settings.threads, scheduled=True)


def _told(org_ids: Sequence[str], moment: datetime) -> "Iterator[tuple[str, dict[str, DayRows]]]":
    """Each demo organization with its tables from day to day; the others are told while one is stored."""
    from concurrent.futures import as_completed

    from data.demo import generate_days
    from data.demo.organizations import PROFILES
    from engine.model.days import local_day
    from engine.reporting.process_pool import process_pool

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


def _administration(settings: Settings, admin: str, cookie: str, address: str) -> str:
    """How to sign in as the platform's administrator, or what is missing for it."""
    if admin not in settings.platform_admin_emails:
        return f"\n{admin} may see leads and pilots once {ADMINS} names that address too."
    return (
        f"\nLeads and pilots: sign in as {admin} with the cookie\n  svc_session={cookie}\n\nTry:\n"
        f"  curl -b svc_session={cookie} '{address}/admin/dashboard'\n"
        f"`hq serve` lets that address in only with\n  {ADMINS}={','.join(settings.platform_admin_emails)}"
    )
