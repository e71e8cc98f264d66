"""The command that describes the interface."""

import click

from engine.runtime.settings import Settings


@click.command(epilog="Example: hq openapi > openapi.json")
def openapi() -> None:
    """Print the interface as an OpenAPI 3.1 document: parameters, bodies, answers, credentials."""
    import msgspec

    import api
    from engine.web.openapi import document
    from reports import CATALOGUE

    described = document(api.CHAPTERS, CATALOGUE, Settings.of_process().base_url)
    click.echo(msgspec.json.format(msgspec.json.encode(described), indent=2).decode())
