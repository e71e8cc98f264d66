"""The evidence pack over HTTP: streamed as CSV or as JSON whose last line is a manifest, or sealed with its files."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from engine.archives.contents.windows import days
from engine.model.days import local_day
from engine.model.declarations.ask import Parameter
from engine.render import RENDERERS, download_name
from engine.web.admission.access_log import note_access
from engine.web.answers.compliance import AbsentFile, EvidenceManifest
from engine.web.handlers.evidence.bundles import archive
from engine.web.http import Request, Response, json_bytes
from engine.web.negotiation import preferred_format

if TYPE_CHECKING:
    import polars as pl

    from engine.archives.contents.evidence_pack import EvidencePack

DAYS = {"24h": 1, "7d": 7, "30d": 30, "90d": 90, "365d": 365}
WINDOW = Parameter("window", "all", "how far back events are exported", choices=(*DAYS, "all"))
FRAMEWORK = Parameter("framework", None, "only rows that are evidence for this framework")
FORMAT = Parameter("format", None, "json, csv, or a sealed zip with the held files", choices=("json", "csv", "zip"))
PARAMETERS = (WINDOW, FRAMEWORK, FORMAT)
NAME = "evidence-export"
SCHEMA_VERSION = 1
NO_FILES = (
    "The bytes of these files are not here: the same address with format=zip, a bundle and the workbook carry them, "
    "`hq evidence get` hands one out."
)


def export(request: Request) -> Response:
    """GET /api/governance/compliance/export: the evidence pack: policies and events with control tags, and files."""
    given, form = request.options, wanted_format(request)
    if form == "zip":
        return archive(request, "evidence-pack", days(given["window"]), framework=given["framework"])
    from engine.archives.contents.evidence_pack import open_pack, pages
    from engine.render.tables.csv import csv_chunks

    store, org_id = request.services.store, request.caller.org_id
    since = request.now - timedelta(days=DAYS[given["window"]]) if given["window"] in DAYS else None
    pack = open_pack(store, org_id, since=since, framework=given["framework"], now=request.now)
    today = local_day(request.now, store.time_zone(org_id))
    rows = pages(store, pack)
    asked = {"window": given["window"], "framework": given["framework"]}
    chunks = csv_chunks(rows) if form == "csv" else json_chunks(rows, pack, asked, today)
    first = next(chunks)  # a failure until here still has a status of its own
    left_with = note_access(request, form)
    name = download_name(org_id, NAME, today, form)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **left_with}
    return Response(chain([first], chunks), RENDERERS[form].content_type, headers=headers)


def wanted_format(request: Request) -> str:
    """The format that the request's parameter names, else its ``Accept``, else JSON."""
    by_header = preferred_format(request.headers.get("accept", ""), FORMAT.choices)
    return str(request.options["format"] or by_header or "json")


def json_chunks(
    rows: "Iterator[pl.DataFrame]", pack: "EvidencePack", asked: dict[str, str | None], today: date
) -> Iterator[bytes]:
    """One JSON object: a line of what it is, a line for each row, and a last line with the manifest.

    A file without a manifest was cut off. ``rows_sha256`` is over the lines of the rows, each without the comma and
    with a line feed.
    """
    from engine.archives.contents.evidence_pack import COLUMNS

    head = {
        "report": NAME,
        "schema_version": SCHEMA_VERSION,
        "organization": pack.org_id,
        "as_of": today.isoformat(),
        "revision": {"seq": pack.head[0], "hash": pack.head[1]},
        "parameters": asked,
    }
    yield msgspec.json.encode(head)[:-1] + b',"evidence":['
    digest, sums = sha256(), PackSums()
    between = "\n"
    for frame in rows:
        sums.add(frame)
        lines = frame.write_ndjson()
        if lines:
            digest.update(lines.encode())
            yield (between + lines.rstrip("\n").replace("\n", ",\n")).encode()
            between = ",\n"
    manifest = EvidenceManifest(
        rows=sums.rows,
        policies=sums.policies,
        events=sums.events,
        rows_with_tags=sums.rows_with_tags,
        first_seq=sums.first_seq,
        last_seq=sums.last_seq,
        prev_hash_of_first=sums.prev_hash_of_first,
        hash_of_last=sums.hash_of_last,
        since=pack.since,
        frameworks=list(pack.frameworks),
        catalogue_version=pack.catalogue_version,
        columns=list(COLUMNS),
        rows_sha256=digest.hexdigest(),
        files_left_out=[AbsentFile(**one._asdict()) for one in pack.files],
        files_note=NO_FILES if pack.files else "",
    )
    yield b'\n],\n"manifest":' + json_bytes(manifest) + b"}\n"


@dataclass
class PackSums:
    """What a manifest says of the rows, added up page by page."""

    rows: int = 0
    policies: int = 0
    events: int = 0
    rows_with_tags: int = 0
    first_seq: int | None = None
    last_seq: int | None = None
    prev_hash_of_first: str | None = None
    hash_of_last: str | None = None

    def add(self, frame: "pl.DataFrame") -> None:
        """The rows of one page."""
        import polars as pl

        events = frame.filter(pl.col("seq").is_not_null())
        self.rows += frame.height
        self.events += events.height
        self.policies += frame.height - events.height
        self.rows_with_tags += frame.filter(pl.col("control_tags").list.len() > 0).height
        if events.height:
            first, last = events.row(0, named=True), events.row(-1, named=True)
            if self.first_seq is None:
                self.first_seq, self.prev_hash_of_first = first["seq"], first["prev_hash"]
            self.last_seq, self.hash_of_last = last["seq"], last["hash"]
