"""Commands that open the other doors, and those that describe them."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

import click

from engine.cli.common import Steps, now, open_console_services
from engine.model.errors import Usage
from engine.runtime.settings import Settings

DESK_HOST, DESK_PORT = "127.0.0.1", 8090
DESK_ADDRESS = f"{DESK_HOST}:{DESK_PORT}"


@click.command(epilog="Example: hq serve --port 8080")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option("--threads", type=click.IntRange(1, 64), help="Threads for all that has no lane; SVC_THREADS without.")
@click.option(
    "--processes",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes that answer, on the same port; about as many as there are cores.",
)
@click.option("--no-scheduler", is_flag=True, help="Leave scheduled work to another process.")
@click.option(
    "--desk",
    "desk_at",
    is_flag=False,
    flag_value=DESK_ADDRESS,
    metavar="[HOST:PORT]",
    help=f"Serve the desk, too: forms and lists to work in; at {DESK_ADDRESS} unless said otherwise.",
)
def serve(host: str, port: int, threads: int | None, processes: int, no_scheduler: bool, desk_at: str | None) -> None:
    """Serve the API and run scheduled work; what takes long is computed in worker processes.

    SIGTERM or Ctrl-C: what runs has ten seconds, what waits is told to come back; once more, and nothing has any.
    """
    from engine.cli.installation.workers import serve_console
    from engine.web.serving.server import listen

    settings = Settings.of_process()
    private = not settings.session_auth
    place = None if desk_at is None else desk_place(desk_at)
    with ExitStack() as sockets:
        listening = sockets.enter_context(listen(host, port, private=private))
        desk = None if place is None else sockets.enter_context(listen(*place, private=private, option="--desk"))
        beside = "" if place is None else f", the desk on http://{place[0]}:{place[1]}"
        serve_console(
            settings,
            listening,
            partial(click.echo, f"Serving on http://{host}:{port}{beside} (Ctrl-C stops)", err=True),
            threads=threads or settings.threads,
            scheduled=not no_scheduler,
            processes=processes,
            desk=desk,
        )


@click.command(epilog="Example: hq desk --port 8090")
@click.option("--host", default=DESK_HOST, show_default=True, help="Address to listen on.")
@click.option("--port", default=DESK_PORT, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
def desk(host: str, port: int) -> None:
    """Serve the desk alone: lists, forms and acts over the records, as pages for a browser.

    `hq session --email ADDRESS --link` prints a link that signs somebody in. `hq serve --desk` has it beside the API.
    """
    from engine.cli.installation.workers import serve_desk
    from engine.web.serving.server import listen

    settings = Settings.of_process()
    with listen(host, port, private=not settings.session_auth) as listening:
        serve_desk(settings, listening, partial(click.echo, f"Desk on http://{host}:{port} (Ctrl-C stops)", err=True))


def desk_place(text: str) -> tuple[str, int]:
    """Host and port of HOST:PORT, or of PORT alone. Usage for anything else."""
    host, colon, port = text.rpartition(":")
    host = host.strip("[]") if colon else DESK_HOST
    if not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise Usage(f"The desk listens on HOST:PORT such as {DESK_ADDRESS}; got {text!r}.")
    return host, int(port)


@click.command(epilog="Example: hq scheduler")
@click.option("--list", "listing", is_flag=True, help="Print what runs when and what ran last, and stop.")
def scheduler(listing: bool) -> None:
    """Run scheduled work alone. Several may run: one of them leads."""
    from engine.cli.installation.workers import warn_of_losses
    from engine.delivery.endpoint_changes import encrypt_secrets
    from engine.delivery.secret_keys import SecretKeys
    from engine.runtime.epoch_watch import watch_epoch
    from engine.store.queries.sending.jobs import last
    from scheduler import JOBS, TASKS, new_scheduler, run_until_stopped

    settings = Settings.of_process()
    if listing:
        with open_console_services(settings) as services, services.store.reader() as connection:
            for job in JOBS:
                click.echo(f"{job.name}\t{job.when.schedule_text(settings)}\t{_last(last(connection, job.name))}")
            for task in TASKS:
                click.echo(f"{task.name}\t{task.when.schedule_text}\t{_last(last(connection, task.name))}")
        return
    with open_console_services(settings) as services, watch_epoch(services.store):
        services.store.must_be_writable()
        warn_of_losses(services.store)
        encrypt_secrets(services.store, SecretKeys(settings.webhook_key_path), now=now())
        click.echo("Scheduled work runs (Ctrl-C stops)", err=True)
        run_until_stopped(new_scheduler(services))


def _last(run: Mapping[str, Any] | None) -> str:  # a row of runs; the store is imported only when a command runs
    """A run of a job in words."""
    if run is None:
        return "never ran"
    began = f"{run['started_at']:%Y-%m-%d %H:%M:%S} UTC"
    if run["finished_at"] is None:
        return f"running since {began}"
    seconds = (run["finished_at"] - run["started_at"]).total_seconds()
    return f"last {began}, {run['outcome']} in {seconds:.1f} s: {run['message']}"


@click.command(epilog="Example: hq migrate; hq migrate --to postgresql+psycopg://hq@db.example/hq")
@click.option("--to", metavar="URL", help="Copy a SQLite store with its chains into this empty PostgreSQL database.")
@click.option("--check", is_flag=True, help="Say which schema the store has and which is expected.")
@click.option("--no-backup", is_flag=True, help="Migrate without a backup: you have one.")
@click.pass_context
def migrate(context: click.Context, to: str | None, check: bool, no_backup: bool) -> None:
    """Bring the operational store to the newest schema; with --to, move it to PostgreSQL.

    Stop the server first: one that still runs is waited for as long as it writes, and writes nothing afterwards. Before
    a store that is not empty is changed, a backup is made in the folder backups of SVC_DATA_DIR. What is copied with
    --to is checked before it counts: rows, heads, chains; where anything fails, nothing is left of it. The SQLite file
    stays as it is. --check changes nothing: exit code 1 where the store has another schema.
    """
    from engine.operations.migration_backup import back_up_before_migrating
    from engine.runtime.heads.second_history import must_not_begin_again
    from engine.runtime.store_move import move_store
    from engine.store.database.epoch import EPOCH
    from engine.store.database.migrations import epoch_at
    from engine.store.database.migrations import migrate as run

    settings = Settings.of_process()
    if check:
        at = epoch_at(settings.store_url)
        click.echo(f"found {at or 'no migration'}, expected {EPOCH}")
        context.exit(0 if at == EPOCH else 1)
    must_not_begin_again(settings)

    def prepare(at: str) -> None:
        if not no_backup:
            with Steps() as steps:
                path = back_up_before_migrating(settings, at, now=now(), progress=steps.count)
            click.echo(f"backup of migration {at}: {path}")

    before, after = run(settings.store_url, prepare=prepare)
    click.echo(f"already at {after}" if before == after else f"migrated from {before or 'nothing'} to {after}")
    if to is None:
        return
    with Steps() as steps:
        copied = move_store(settings.store_url, to, now=now(), progress=steps)
    for table, count in copied.rows.items():
        if count:
            click.echo(f"{table}: {count}")
    for org_id, head in copied.heads.items():
        click.echo(f"{org_id} stands at {head.seq}, {head.hash}: chain and rows hold")
    click.echo("Set SVC_DATABASE_URL to the URL given with --to, on every machine, and start the server again.")


@click.command(epilog="Example: hq routes | grep vendors")
def routes() -> None:
    """Print every route of the interface: method, path, who may call it.

    S: a member with a session, S(owner, admin) in these roles alone. KEY: a session or an API key. ING: an ingest
    token. ASR: an assessor's token. CRON(setting): the secret in that setting. SIG: a signed body. PADM: a platform
    administrator. none: anybody.
    """
    import api

    for route in api.ROUTES:
        click.echo(f"{route.method} {route.path} {route.access.code}")


@click.command(epilog="Example: SVC_THREADS=8 hq config")
def config() -> None:
    """Print the settings in force; secrets show only whether they are set."""
    for name, value, help in Settings.of_process().listing():
        click.echo(f"{name}={value}\t# {help}")
