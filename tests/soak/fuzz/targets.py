"""What is fuzzed: each target is a reader, the payloads that it begins with, and the way they are changed.

A reader may succeed or raise a ``Problem``; anything else is a crash. ``open`` builds what the reader needs, which may
be a whole console: nothing of the product is imported before.
"""

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.soak.fuzz import mutations
from tests.soak.fuzz.mutations import Mutate

Read = Callable[[bytes], object]
Seeds = list[bytes]


@dataclass(frozen=True)
class Target:
    """``open`` gives the reader and its first inputs, with a folder of its own that is removed afterwards."""

    open: Callable[[Path], tuple[Read, Seeds]]
    mutate: Mutate = mutations.flip_bytes


class Fault(AssertionError):
    """An answer that no input may bring."""


def _alerts(folder: Path) -> tuple[Read, Seeds]:
    from engine.intake.alerts import read_alerts
    from engine.intake.payloads import json_value, pack_body, unpack_body
    from tests.soak.fuzz.seeds import RECEIVED, alerts

    def read(data: bytes) -> None:
        unpack_body(pack_body(data))
        read_alerts(json_value(data), received_at=RECEIVED)

    return read, alerts()


def _findings(content_type: str | None) -> Callable[[Path], tuple[Read, Seeds]]:
    def open_target(folder: Path) -> tuple[Read, Seeds]:
        from engine.intake.findings import parse_document, read_findings
        from tests.soak.fuzz import seeds

        def read(data: bytes) -> None:
            body = parse_document(data, content_type)
            read_findings(body, source_header=None, received_at=seeds.RECEIVED, complete=True, hosts=("web1",))

        return read, seeds.findings(content_type)

    return open_target


def _import(suffix: str) -> Callable[[Path], tuple[Read, Seeds]]:
    """The first line names the table, or the rest is a workbook or a Parquet file of vendors."""

    def open_target(folder: Path) -> tuple[Read, Seeds]:
        from engine.intake.imports.files.sources import sheets
        from engine.intake.imports.problems import Problems
        from engine.intake.imports.staged_file import check_sheet
        from tests.soak.fuzz.seeds import RECEIVED, imports

        def read(data: bytes) -> None:
            name, content = "vendors", data
            if suffix in (".csv", ".jsonl"):
                head, _, content = data.partition(b"\n")
                name = "".join(c for c in head.decode("latin-1") if (c.isascii() and c.isalnum()) or c == "_")[:40]
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                path = Path(scratch) / f"{name or 'vendors'}{suffix}"
                path.write_bytes(content)
                problems = Problems()
                for number, sheet in enumerate(sheets([path], now=RECEIVED)):
                    if sheet.table != "audit_log":  # it asks the store
                        (place := Path(scratch) / str(number)).mkdir()
                        check_sheet(sheet, place, None, "acme", problems, lambda *_: None)  # type: ignore[arg-type]
                problems.raise_any()

        return read, imports(suffix)

    return open_target


def _signatures(folder: Path) -> tuple[Read, Seeds]:
    from engine.sales.billing.paypal_signature import Transmission, UntrustedSignature, anchors, check
    from engine.web.admission.alert_signatures import check_alert
    from engine.web.admission.signatures import check_chat
    from tests.soak.fuzz import seeds

    authorities = anchors(None)

    def read(data: bytes) -> None:
        head, _, body = data.partition(b"\n\n")
        lines = (line.partition(":") for line in head.decode("latin-1").split("\n"))
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        for asked in (
            lambda: check_alert(("s3cret",), headers, body, now=seeds.RECEIVED),
            lambda: check_chat(("s3cret",), headers, lambda: body, now=seeds.RECEIVED),
        ):
            with refusals():
                asked()
        try:
            sent = Transmission.of(headers, now=seeds.RECEIVED)
            check(sent, body, "hook", body, authorities, now=seeds.RECEIVED)
        except UntrustedSignature:
            return

    return read, seeds.signatures()


def _sessions(folder: Path) -> tuple[Read, Seeds]:
    """A token as it came, and its bytes as claims that our own key signed: an identity provider says odd things, too."""
    import json

    import jwt

    from engine.runtime.settings import Settings
    from engine.web.admission.sessions import Sessions
    from tests.soak.fuzz.seeds import RECEIVED, SECRET, claims

    sessions = Sessions(Settings.of({"SVC_SESSION_SECRET": SECRET, "SVC_DATA_DIR": str(folder)}))
    signed = jwt.PyJWS()

    def read(data: bytes) -> None:
        for token in (data.decode("latin-1"), signed.encode(data, SECRET, algorithm="HS256")):
            with refusals():
                sessions.read(token, now=RECEIVED)

    return read, [json.dumps(one).encode() for one in claims()]


def _queries(folder: Path) -> tuple[Read, Seeds]:
    """``path?query``: the parameters of the route, as they are declared."""
    from types import SimpleNamespace
    from typing import cast

    import api
    from engine.web.environ import query_of
    from engine.web.http import Request
    from engine.web.parameters import parameters

    declared = {route.path: route.parameters for route in api.ROUTES if route.parameters}
    paths = sorted(declared)

    def read(data: bytes) -> None:
        path, _, query = data.decode("latin-1").partition("?")
        with refusals():
            asked = cast(Request, SimpleNamespace(query=query_of(query)))
            parameters(asked, *declared.get(path, declared[paths[len(path) % len(paths)]]))

    named = [f"{path}?{one.name}={one.default or 7}" for path in paths for one in declared[path]]
    return read, [one.encode() for one in sorted(set(named))]


def _forms(folder: Path) -> tuple[Read, Seeds]:
    from engine.web import forms
    from engine.web.handlers.approvals import _click
    from tests.soak.fuzz.seeds import form_bodies

    def read(data: bytes) -> None:
        kind, _, body = data.partition(b"\n")
        with refusals():
            forms.pairs(kind.decode("latin-1"), body)
        with refusals():
            _click(body)

    return read, form_bodies()


def _archives(folder: Path) -> tuple[Read, Seeds]:
    from engine.archives.verification.archive_check import check_archive
    from tests.soak.fuzz.seeds import archive

    path = folder / "bundle.zip"

    def read(data: bytes) -> None:
        path.write_bytes(data)
        check_archive(path)

    return read, [archive(folder)]


def _poam(folder: Path) -> tuple[Read, Seeds]:
    """What people wrote into the ledger, as JSON in a cell."""
    from datetime import date

    from engine.model import poam

    day = date(2026, 11, 20)

    def read(data: bytes) -> None:
        import msgspec

        try:
            msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return  # an import takes JSON alone into that column
        entries = poam.entries(data.decode())
        poam.rating_of(entries, day, day)
        poam.scheduled_on(entries, day, day, day)

    return read, [
        b'{"original_risk_rating": "high", "adjusted_risk_rating": "Low", "risk_adjustment": "Yes"}',
        b'{"vendor_dependency": "Yes", "bod_22_01_due_date": "2026-12-01", "comments": "text"}',
    ]


def _copilot(folder: Path) -> tuple[Read, Seeds]:
    from tests.soak.fuzz.consoles import copilot_library
    from tests.soak.fuzz.seeds import questions

    answer = copilot_library(folder)

    def read(data: bytes) -> None:
        answer(data.decode("utf-8", "replace")[:1000])

    return read, questions()


def _doors(folder: Path) -> tuple[Read, Seeds]:
    """``METHOD path`` and a body, to the whole application with a store: what a reader lets pass must be storable."""
    from tests.soak.fuzz.consoles import doors

    return doors(folder)


def _http(folder: Path) -> tuple[Read, Seeds]:
    """The bytes of a connection, to the server's own channel with the application behind it."""
    from tests.soak.fuzz.consoles import connection
    from tests.soak.fuzz.seeds import requests

    return connection(folder), requests()


def _notes(folder: Path) -> tuple[Read, Seeds]:
    """What a witness gives back, and heads in a file."""
    from engine.model.checkpoints import open_note, read_checkpoint, read_signature
    from tests.soak.fuzz.seeds import notes

    def read(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        for reader in (open_note, read_signature, read_checkpoint, lambda text: read_checkpoint(open_note(text).text)):
            with suppress(ValueError):
                reader(text)

    return read, notes()


def _receipts(folder: Path) -> tuple[Read, Seeds]:
    """The script that archives carry: it says ok or what is broken, and nothing else."""
    from engine.archives.verification.verify import Broken, check_receipt
    from tests.soak.fuzz.seeds import receipts

    known = receipts(folder)

    def read(data: bytes) -> None:
        path = folder / "receipt.txt"
        path.write_bytes(data)
        with redirect_stdout(io.StringIO()):
            try:
                check_receipt(path, folder)
            except Broken:
                return
        if data not in known:
            raise Fault("a receipt that was changed holds")

    return read, known


def _time_stamps(folder: Path) -> tuple[Read, Seeds]:
    from engine.delivery.time_stamps import check_stamp, query

    def read(data: bytes) -> None:
        with suppress(ValueError):
            check_stamp(data, bytes(32), 7)

    return read, [query(bytes(32), 7), bytes.fromhex("30053003020100"), bytes.fromhex("3003020101")]


TARGETS = {
    "alerts": Target(_alerts, mutations.json_tree),
    "findings-json": Target(_findings("application/json"), mutations.json_tree),
    "findings-xml": Target(_findings("application/xml")),
    "findings-csv": Target(_findings("text/csv")),
    "import-csv": Target(_import(".csv"), mutations.with_head(mutations.flip_bytes)),
    "import-jsonl": Target(_import(".jsonl"), mutations.with_head(mutations.json_lines)),
    "import-xlsx": Target(_import(".xlsx"), mutations.change_member),
    "import-parquet": Target(_import(".parquet")),
    "signatures": Target(_signatures),
    "sessions": Target(_sessions, mutations.json_tree),
    "queries": Target(_queries),
    "forms": Target(_forms),
    "archives": Target(_archives, mutations.change_member),
    "notes": Target(_notes),
    "receipts": Target(_receipts),
    "time-stamps": Target(_time_stamps),
    "poam": Target(_poam, mutations.json_tree),
    "copilot": Target(_copilot),
    "doors": Target(_doors, mutations.with_head(mutations.json_tree)),
    "http": Target(_http),
}


@contextmanager
def refusals() -> Iterator[None]:
    """What may be refused in words."""
    from engine.model.errors import Problem

    with suppress(Problem):
        yield
