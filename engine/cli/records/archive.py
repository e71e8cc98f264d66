"""The command that checks."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import Steps, open_console_services, organization
from engine.model.errors import Usage
from engine.store import PLATFORM

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.runtime.heads.installation_check import OutsideHead
    from engine.runtime.services import Services

EXAMPLES = "hq verify bundle.zip --key 3f2a9c0d11e4b7a8; hq verify old.zip new.zip; hq verify --all bundle.zip"


@click.command(epilog=f"Example: {EXAMPLES}")
@click.argument("files", metavar="[FILE [OTHER]]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--org", help="Organization whose audit chain is checked.")
@click.option(
    "--all", "everything", is_flag=True, help="Check every organization, the tree over all of them, and the schema."
)
@click.option("--key", metavar="FINGERPRINT", help="Key that must have signed it: 16 or more of its hex digits.")
@click.pass_context
def verify(context: click.Context, files: tuple[Path, ...], org: str | None, everything: bool, key: str | None) -> None:
    """Check an archive (bundle, workbook, pack), a receipt, or the audit chain of an organization.

    With two archives of an organization, also that the history of one continues that of the other, in either order.
    Names the first thing that does not hold, and where; exit code 1 then. Archives and receipts need no store
    and no network. With --all, also organizations, tables, triggers, columns and views that were added or taken away;
    what is here is held against archives that are named with it.
    """
    if (not everything and (len(files) > 2 or bool(files) == (org is not None))) or (everything and org is not None):
        raise Usage("Name either one archive or receipt, two archives, with --org an organization, or --all.")
    if key is not None and (not files or not _fingerprint(key)):
        raise Usage(f"--key takes 16 to 64 hex digits, together with an archive; got {key!r}.")
    if everything:
        _installation(context, files, key)
        return
    if org is not None:
        _chain(context, org)
        return
    from engine.archives.verification.verify import is_receipt

    if len(files) == 1 and is_receipt(files[0]):
        _receipt(context, files[0], key)
    elif len(files) == 1:
        _archive(context, files[0], key)
    else:
        _history(context, files, key)


def _chain(context: click.Context, org: str) -> None:
    with open_console_services() as services:
        holds = _holds(services, org)
    if not holds:
        context.exit(1)


def _holds(services: "Services", org: str) -> bool:
    """Whether all of an organization holds; what does not is printed."""
    from engine.model.errors import Unavailable
    from engine.store.log.stored_forms import undecodable

    try:
        problems = _of_organization(services, org)
    except Unavailable:
        with services.store.reader() as connection:
            text = undecodable(connection, org)
        if text is None:
            raise
        problems = [text]
    for problem in problems:
        click.echo(f"broken: {org}{'' if problem.startswith(' at ') else ': '}{problem}")
    return not problems


def _installation(context: click.Context, files: tuple[Path, ...], key: str | None) -> None:
    from engine.operations.schema.schema_check import fingerprint, is_unreadable, present_schema, schema_problems
    from engine.runtime.heads.installation_check import check_installation_tree

    outside = [head for file in files for head in _heads_in(context, file, key)]
    with open_console_services() as services:
        with services.store.reader() as connection:
            schema, lines = schema_problems(connection), present_schema(connection)
            tree = check_installation_tree(connection, services.settings, outside, services.store.reader)
        for problem in schema:
            click.echo(f"broken: schema: {problem}")
        for problem in tree.problems:
            click.echo(f"broken: installation: {problem}")
        names = [org_id for org_id, _ in services.store.organizations()]
        if services.store.organization_exists(PLATFORM):
            names.append(PLATFORM)
        broken = [name for name in names if not _holds(services, name)] if not is_unreadable(schema) else names
    if schema or tree.problems or broken:
        context.exit(1)
    click.echo(
        f"ok: the installation, {len(names):,} organizations; {tree.commitments:,} commitments lie under "
        f"{tree.heads:,} signed heads"
    )
    click.echo(f"the schema is that of its migration, fingerprint {fingerprint(lines)}")


def _heads_in(context: click.Context, file: Path, key: str | None) -> "Iterator[OutsideHead]":
    """The signed heads that an archive left with, its organization's and that of the installation."""
    from engine.archives.sealing.manifest import HEAD, INSTALLATION
    from engine.archives.verification import verify as script
    from engine.runtime.heads.installation_check import OutsideHead

    _archive(context, file, key)
    archive = script.Archive(file)
    archive.read()
    present = {name for name, _, _ in archive.listed}
    if HEAD in present:
        yield OutsideHead(f"{HEAD} of {file.name}", archive.small(HEAD).decode())
    if INSTALLATION in present:
        yield OutsideHead(f"{INSTALLATION} of {file.name}", archive.small(INSTALLATION).decode().partition("\n\n")[2])


def _of_organization(services: "Services", org: str) -> list[str]:
    """What does not hold of an organization, the first kind of it; where there is nothing, what holds is printed."""
    from engine.archives.verification.seal_check import check_seals
    from engine.runtime.heads.chains import verify_chain
    from engine.runtime.heads.head_check import check_heads
    from engine.store.chain.chain_segments import missing_rows
    from engine.store.log.stored_forms import wrong_form

    with Steps() as steps:
        with services.store.reader() as connection:
            form = wrong_form(connection, org)
            lost = missing_rows(connection, org)
        if form is not None or lost is not None:
            return [str(form or lost)]
        name = org if org == PLATFORM else organization(services, org)
        check = verify_chain(services.store, name, lambda done, total: steps("events", done, total))
        if not check.ok:
            return [f" at event {check.broken_seq}: {check.problem}"]
        with services.store.reader() as connection:
            heads_check = check_heads(connection, services.settings, name, services.store.reader)
        if not heads_check.ok:
            return heads_check.problems
        rows = services.store.verify_rows(name, lambda done, total: steps("revisions", done, total))
        with services.store.reader() as connection:
            seals = check_seals(connection, services.settings, name, lambda done, total: steps("archives", done, total))
    problem = rows.problem or seals.problem
    if problem is not None:
        return [problem]
    span = f"events {check.first_seq} to {check.head_seq}" if check.events else "no events"
    click.echo(f"ok: {check.org_id}, {span} hold, head {check.head_hash}")
    unchecked = "" if heads_check.signatures else "; their signatures were not checked: there is no signing key here"
    click.echo(f"{heads_check.heads:,} heads that were signed or left with something lie on the chain{unchecked}")
    click.echo(f"{rows.rows:,} rows are as {rows.revisions:,} revisions left them")
    click.echo(f"{seals.seals:,} archives are as they were sealed")
    return []


def _history(context: click.Context, files: tuple[Path, ...], key: str | None) -> None:
    """Both archives, and whether they tell one history; they may be signed with keys of which one follows the other."""
    from engine.archives.verification import verify as script

    for file in files:
        _archive(context, file, None)
    try:
        archives = [script.Archive(file) for file in files]
        for archive in archives:
            archive.read()
        text = script.compare(*archives)
    except script.Broken as broken:
        click.echo(f"broken: {broken}")
        context.exit(1)
    except script.Unproven as unproven:
        click.echo(f"unproven: {unproven}")
        context.exit(1)
    if key is not None and not any(archive.key_id.startswith(key.lower()) for archive in archives):
        click.echo(f"broken: archives: neither is signed with the key {key}")
        context.exit(1)
    click.echo(f"ok: {text}")


def _archive(context: click.Context, file: Path, key: str | None) -> None:
    from engine.archives.verification.archive_check import check_archive

    try:
        check = check_archive(file, key_id=key)
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}.") from error
    if check.statement is None or not check.ok:
        click.echo(f"broken: {file.name}: {check.problem}")
        for further in check.problems[1:]:
            click.echo(f"  also: {further}")
        context.exit(1)
        return
    about = check.statement.predicate
    click.echo(
        f"ok: {about.kind} of {about.organization.id}, {about.window.start_on} to {about.window.end_on}, revision "
        f"{about.revision.seq} {about.revision.hash}, {len(check.files)} files hold"
    )
    if about.previous is not None:
        click.echo(f"chained to {about.previous.id}, manifest {about.previous.manifest_sha256}")
    click.echo(f"manifest {check.manifest_sha256}, Merkle root {about.merkle.root}")
    text = "as asked for" if key else "compare it with the one that the organization gave you"
    click.echo(f"signed with the key {about.key_id}: {text}")


def _receipt(context: click.Context, file: Path, key: str | None) -> None:
    """As ``verify.py`` checks it: with the key of the archive that is unpacked beside it, where there is one."""
    from engine.archives.verification import verify as script

    try:
        script.check_receipt(file, file.resolve().parent)
        raw = script.strict_base64(file.name, file.read_text().split("\n")[1].removeprefix("key "))
        key_id = hashlib.sha256(script.DER + raw).hexdigest()
        if key is not None and not key_id.startswith(key.lower()):
            script.fail(file.name, f"is signed with the key {key_id}, not with {key}")
    except script.Broken as broken:
        click.echo(f"broken: {broken}")
        context.exit(1)


def _fingerprint(key: str) -> bool:
    return 16 <= len(key) <= 64 and set(key.lower()) <= set("0123456789abcdef")
