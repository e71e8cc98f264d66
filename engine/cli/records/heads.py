"""The commands on signed heads: print them, take what witnesses signed, prove an event, change the key."""

from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.common import now, open_console_services, org_option, organization
from engine.model.errors import Usage
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.durable_files import write_whole
from engine.store import PLATFORM

if TYPE_CHECKING:
    from engine.runtime.heads.signed_heads import SignedHead
    from engine.runtime.services import Services

EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW = click.Path(dir_okay=False, path_type=Path)


@click.command(epilog="Example: hq heads --org aurora > head.txt; hq heads --org aurora --witness cosigned.txt")
@org_option
@click.option("--witness", type=EXISTING, help="Take the cosignatures in this file; print their head.")
@click.option("--old", type=click.IntRange(0), metavar="SIZE", help="Print what to ask a witness that saw SIZE events.")
@click.option("--stamp", type=NEW, help="Write the head's time stamp (RFC 3161) to this file.")
@click.option(
    "--all", "everything", is_flag=True, help="Of the tree over the installation; with --org the proof under it."
)
def heads(org: str | None, witness: Path | None, old: int | None, stamp: Path | None, everything: bool) -> None:
    """Print the newest signed head as a tlog-checkpoint; one is signed where events came since.

    With SVC_TIMESTAMP_URL it is stamped as well. --old prints the body of a tlog-witness request (add-checkpoint): the
    hashes that show that the head continues the one that the witness knows, and the head. --all does the same for the
    tree over the installation; with --org it prints the proof that the organization lies under that head, and that of
    no other.
    """
    from datetime import timedelta

    from engine.delivery.heads import sign_and_stamp
    from engine.runtime.heads.witnesses import record_cosignatures

    given = None if witness is None else _text_of(witness)
    if everything:
        if stamp is not None:
            raise Usage("--stamp is for the head of an organization: the tree over the installation is not stamped.")
        click.echo(_of_installation(org, given, old), nl=False)
        return
    with open_console_services() as services:
        name = _organization(services, org)
        if given is None:
            head = sign_and_stamp(services, name, now=now(), every=timedelta(0)).head
        else:
            head = record_cosignatures(services, name, given)
        asked = "" if old is None else _question(services, head, old)
    if stamp is not None:
        if head.time_stamp is None:
            raise Usage("The head has no time stamp: set SVC_TIMESTAMP_URL to an authority that answers.")
        try:
            write_whole(stamp, head.time_stamp)
        except OSError as error:
            raise file_problem(f"Cannot write {stamp}", error) from error
    click.echo(asked + head.note, nl=False)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Usage(f"{path} cannot be read: {error}.") from error


def _of_installation(org: str | None, given: str | None, old: int | None) -> str:
    """The head of the tree over the installation, a question about it, or the proof of an organization under it."""
    from engine.delivery.heads import sign_installation_for_witness
    from engine.runtime.heads.installation import consistency_path, own_proof
    from engine.runtime.heads.witnesses import record_installation_cosignatures

    if org is not None and (given is not None or old is not None):
        raise Usage("With --all and --org the organization's proof is printed: leave out --witness and --old.")
    with open_console_services() as services:
        if given is not None:
            head = record_installation_cosignatures(services, given)
        else:
            signed = sign_installation_for_witness(services, now=now())
            if signed is None:
                raise Usage("There is no organization yet: nothing is signed.")
            head = signed
        with services.store.reader() as connection:
            if org is not None:
                return own_proof(connection, _organization(services, org)) or ""
            if old is None:
                return head.note
            if old > head.size:
                raise Usage(f"The head has {head.size} commitments; nobody can have seen {old}.")
            return _as_question(old, consistency_path(connection, old, head.size)) + head.note


@click.command(epilog="Example: hq prove hq:812 --org aurora > receipt.txt; python3 -I verify.py receipt.txt")
@click.argument("event_id")
@org_option
def prove(event_id: str, org: str | None) -> None:
    """Print the receipt of an audit event: that it is under a signed head, for anybody to check.

    An event above the last signed head has one signed. The verify.py of any archive checks it.
    """
    from engine.archives.verification.receipts import receipt

    with open_console_services() as services:
        click.echo(receipt(services, _organization(services, org), event_id, now=now()), nl=False)


@click.command(epilog="Example: hq keys; hq keys --rotate")
@org_option
@click.option("--rotate", is_flag=True, help="Make a new signing key; the old one signs it and is given up.")
def keys(org: str | None, rotate: bool) -> None:
    """Print the fingerprints of the signing key and of those before it, and the keys of heads for a witness.

    After --rotate archives and heads of both keys verify: the list of rotations lies beside the key.
    """
    from engine.model.checkpoints import ED25519, origin_of, verifier_key
    from engine.model.commitments import WHOLE
    from engine.runtime.keys.key_rotations import own_keys, rotate_key
    from engine.runtime.keys.signing_keys import fingerprint

    with open_console_services() as services:
        path = services.settings.signing_key_path
        if rotate:
            services.store.must_be_writable()
            made = rotate_key(path, now=now())
            details = {"from": fingerprint(made.old), "to": fingerprint(made.new)}
            services.store.ensure_platform(now())
            services.store.write(
                PLATFORM,
                "console",
                lambda revision: revision.record("signing_key.rotated", object_type="signing_key", details=details),
                now=now(),
            )
        present, *earlier = own_keys(path)
        click.echo(f"signing key {fingerprint(present)}")
        for key in earlier:
            click.echo(f"before that {fingerprint(key)}")
        click.echo(f"of the installation {verifier_key(origin_of(WHOLE), ED25519, present)}")
        if org is not None:
            click.echo(f"of heads {verifier_key(origin_of(_organization(services, org)), ED25519, present)}")


def _question(services: "Services", head: "SignedHead", old: int) -> str:
    from engine.runtime.heads.signed_heads import consistency_proof

    if old > head.size:
        raise Usage(f"The head has {head.size} events; nobody can have seen {old}.")
    proof = consistency_proof(services, head.org_id, old, head.size)
    return _as_question(old, proof)


def _as_question(old: int, proof: list[bytes]) -> str:
    return "".join(f"{line}\n" for line in (f"old {old}", *(b64encode(step).decode() for step in proof), ""))


def _organization(services: "Services", org: str | None) -> str:
    return PLATFORM if org == PLATFORM else organization(services, org)
