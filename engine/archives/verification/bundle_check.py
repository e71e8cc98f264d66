"""Whether a bundle still is what was sealed: its archive, its row, its audit event, its place in the chain."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from engine.archives.errors import disk
from engine.archives.sealing import bundles, manifest
from engine.archives.verification import archive_check
from engine.archives.verification.seal_check import log_problems
from engine.model import merkle
from engine.model.errors import Problem, Unavailable
from engine.model.records import BundleRow
from engine.reporting.artifacts.durable_files import file_sum
from engine.runtime.services import Services

Finding = tuple[str, str]


def sound_archive(services: Services, row: BundleRow) -> Path:
    """The file of a bundle, whose bytes are those that were sealed; Unavailable where they are not."""
    path = bundles.archive(services, row)
    with disk("The archive"):
        if file_sum(path) == row["archive_sha256"]:
            return path
    raise Unavailable(
        f"The archive of the bundle {row['id']} is not what was sealed: its SHA-256 is another one. Restore it from a "
        "backup.",
        word="archive_damaged",
    )


def verify_bundle(services: Services, row: BundleRow, before: BundleRow | None, *, now: datetime) -> dict[str, object]:
    """The verification of a bundle with every part, and its manifest."""
    try:
        path = bundles.archive(services, row)
        check = archive_check.check_archive(path, key_id=row["key_id"])
    except Problem as problem:
        return _answer(None, [("archive", problem.message)], now)
    except OSError as error:
        return _answer(None, [("archive", f"cannot be read: {error.strerror}")], now)
    problems = [(one.where, one.problem) for one in check.problems]
    if file_sum(path) != row["archive_sha256"]:
        problems.append(("archive", "is not the file that was sealed: its SHA-256 is another one"))
    if check.statement is not None:
        problems += _against_row(check.statement.predicate, check.manifest_sha256, row)
        problems += _against_chain(check.statement.predicate, before)
    problems += _against_log(services, row)
    return _answer(check, problems, now)


def _against_row(predicate: manifest.Predicate, digest: str | None, row: BundleRow) -> Iterator[Finding]:
    """The archive is that of this bundle and not of another one."""
    for what, found, expected in (
        ("organization", predicate.organization.id, row["org_id"]),
        ("SHA-256", digest, row["manifest_sha256"]),
        ("Merkle root", predicate.merkle.root, row["merkle_root"]),
        ("revision", (predicate.revision.seq, predicate.revision.hash), (row["sealed_seq"], row["sealed_hash"])),
    ):
        if found != expected:
            yield manifest.MANIFEST, f"is that of another bundle: expected the {what} {expected}, found {found}"
            return


def _against_chain(predicate: manifest.Predicate, before: BundleRow | None) -> Iterator[Finding]:
    """The bundle names the one before as it is on record."""
    stated = predicate.previous
    expected = None if before is None else (before["id"], before["manifest_sha256"], before["merkle_root"])
    found = None if stated is None else (stated.id, stated.manifest_sha256, stated.merkle_root)
    if found != expected:
        yield "chain", f"the bundle before is {_link_text(expected)}, the manifest names {_link_text(found)}"


def _link_text(link: tuple[str, str | None, str | None] | None) -> str:
    return "none" if link is None else f"{link[0]} with the manifest {link[1]}"


def _against_log(services: Services, row: BundleRow) -> Iterator[Finding]:
    with services.store.reader() as connection:
        yield from [("audit log", problem) for problem in log_problems(connection, row)]


def _answer(check: archive_check.ArchiveCheck | None, problems: list[Finding], now: datetime) -> dict[str, object]:
    """The answer of the route: a word for each part, ``problem`` names the first broken thing."""
    wrong = {where for where, _ in problems}
    statement = check.statement if check else None
    return {
        "manifest": statement,
        "verification": {
            "ok": not problems,
            "problem": f"{problems[0][0]}: {problems[0][1]}" if problems else None,
            "problems": [{"where": where, "problem": problem} for where, problem in problems],
            "verified_at": now,
            "verifier_version": archive_check.VERSION,
            "archive_ok": "archive" not in wrong,
            "signature_ok": bool(check and check.signature_ok),
            "merkle_root_ok": bool(check and check.root_ok),
            "sums_ok": bool(check and check.sums_ok),
            "audit_chain_ok": check.chain_ok if check else None,
            "signed_head_ok": check.head_ok if check else None,
            "chain_link_ok": statement is not None and "chain" not in wrong,
            "audit_log_ok": "audit log" not in wrong,
            "files": _files(check),
        },
    }


def _files(check: archive_check.ArchiveCheck | None) -> list[dict[str, object]]:
    """Each file with its status and, where the manifest lists it, its leaf and the path from there to the root."""
    if check is None or check.statement is None:
        return []
    listed = check.statement.predicate.files
    leaves = [merkle.file_leaf(file.path, file.sha256) for file in listed]
    places = {file.path: place for place, file in enumerate(listed)}
    files = []
    for one in check.files:
        place = places.get(one.name)
        proof: dict[str, object] = {"merkle_leaf": None, "merkle_path": None, "rows": None, "bytes": None}
        if place is not None:
            proof = {
                "merkle_leaf": leaves[place].hex(),
                "merkle_path": [step.hex() for step in merkle.audit_path(leaves, place)],
                "rows": listed[place].rows,
                "bytes": listed[place].bytes,
            }
        files.append({"name": one.name, "status": one.status, "expected": one.expected, "found": one.found, **proof})
    return files
