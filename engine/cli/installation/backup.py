"""The commands on a whole installation: back it up, restore it, check it."""

import json
from pathlib import Path

import click

from engine.cli.common import Steps, now
from engine.model.errors import Usage
from engine.runtime.settings import Settings

passphrase_option = click.option(
    "--passphrase-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File whose content, but for the end of its line, is the passphrase.",
)
NEW = click.Path(dir_okay=False, path_type=Path)


@click.command(epilog="Example: hq backup /backups/hq-2026-11-20.zip.age --passphrase-file /etc/hq/passphrase")
@click.argument("file", type=NEW)
@passphrase_option
@click.option("--without-keys", is_flag=True, help="Leave out the private keys; you keep them elsewhere.")
@click.pass_context
def backup(context: click.Context, file: Path, passphrase_file: Path | None, without_keys: bool) -> None:
    """Back the whole installation up into one new file, while it runs: tables, bundles, signed heads, keys, settings.

    Whatever was acknowledged before the command began is in it. Settings that are secrets are not. The file is a ZIP
    archive; with a passphrase it is encrypted in the format of age. Exit code 1 where an archive was lost or changed
    before: what there is, is in the backup all the same.
    """
    from engine.operations.backup import write_backup

    passphrase = _passphrase(passphrase_file)
    with Steps() as steps:
        made = write_backup(
            Settings.of_process(),
            file,
            now=now(),
            passphrase=passphrase,
            with_keys=not without_keys,
            progress=steps.count,
        )
    for problem in made.lacking.values():
        click.echo(f"lacking: {problem}")
    click.echo(
        f"backed up: {made.rows:,} rows of {len(made.heads)} organizations, {made.archives} archives, "
        f"{_files(made.evidence)}{made.keys} keys; {file}, {file.stat().st_size:,} bytes"
    )
    if made.keys and passphrase is None:
        click.echo(
            "It holds private keys and is not encrypted: keep it where nobody else reads, or use --passphrase-file.",
            err=True,
        )
    context.exit(1 if made.lacking else 0)


@click.command(epilog="Example: SVC_DATA_DIR=/srv/hq hq restore /backups/hq-2026-11-20.zip.age --passphrase-file FILE")
@click.argument("file", type=NEW)
@passphrase_option
@click.option("--check", "check_only", is_flag=True, help="Restore into a folder that is removed again.")
def restore(file: Path, passphrase_file: Path | None, check_only: bool) -> None:
    """Restore a backup into SVC_DATA_DIR, which must be empty or absent, and SVC_DATABASE_URL where that is set.

    Checks every digest, chain, row, head and archive first, and says what is not as it was. A backup that does not hold
    is refused with exit code 1, and nothing is left of it.
    """
    from engine.operations.restore import restore_backup

    with Steps() as steps:
        restoration = restore_backup(
            Settings.of_process(),
            file,
            now=now(),
            passphrase=_passphrase(passphrase_file),
            check_only=check_only,
            progress=steps,
        )
    for sentence in restoration.missing:
        click.echo(f"missing: {sentence}")
    done = "the backup holds" if check_only else "restored"
    click.echo(
        f"{done}: {restoration.rows:,} rows of {restoration.organizations} organizations and "
        f"{restoration.archives} archives, {_files(restoration.evidence)}as of {restoration.made_at}"
    )


def _files(count: int) -> str:
    """What there is of evidence, if anything."""
    return f"{count} files of evidence, " if count else ""


@click.command(epilog="Example: hq check && echo all is well")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array: check and sentence of each finding.")
@click.pass_context
def check(context: click.Context, as_json: bool) -> None:
    """Look for everything that can be wrong with this installation; one sentence each, and exit code 1.

    The database, every chain, row, head and archive, permissions, the clock, space, keys that nobody uses, and the mail
    server and the Redis where they are configured. Nothing is changed or sent.
    """
    from engine.operations.check import check_installation

    with Steps() as steps:
        findings = check_installation(Settings.of_process(), now=now(), progress=steps)
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings], indent=1))
    else:
        for finding in findings:
            click.echo(f"{finding.check}: {finding.sentence}")
        if not findings:
            click.echo("ok: nothing was found")
    context.exit(1 if findings else 0)


def _passphrase(file: Path | None) -> bytes | None:
    if file is None:
        return None
    try:
        passphrase = file.read_bytes().rstrip(b"\r\n")
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}.") from error
    if not passphrase:
        raise Usage(f"{file} must hold a passphrase; it is empty.")
    return passphrase
