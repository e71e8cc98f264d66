"""The door of the gateway's root."""

import click

from engine.runtime.processes.stop_signals import StopSignals
from engine.runtime.settings import Settings

THREADS = 4


@click.command(epilog="Example: hq gateway --port 8090")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8090, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
def gateway(host: str, port: int) -> None:
    """Serve the descriptor at the root of the central gateway; no store is opened."""
    from engine.web.gateway import gateway as application
    from engine.web.serving.running import run
    from engine.web.serving.server import serve_simply

    server = serve_simply(application(Settings.of_process()), host, port, THREADS)
    click.echo(f"Gateway on http://{host}:{port} (Ctrl-C stops)", err=True)
    with StopSignals() as signals:
        run(server, signals)
