"""Every page of an organization in one process: ``python -m tests.bench.pages ORG STEP`` with the store of
``SVC_DATA_DIR``; what was asked for is printed as processor seconds.

``first`` opens everything and makes one page. ``one`` and ``all`` make every page, write one attestation of a member,
and then make one page, or all. ``login`` writes a sign-in instead and makes all. ``seal`` seals every event, and
``export`` writes the log as CSV.
"""

import sys
import time
from collections import deque
from datetime import UTC, datetime

import polars as pl

from engine.archives.contents.windows import days
from engine.archives.sealing import bundles
from engine.cli.common import open_console_services
from engine.render.tables.csv_cells import joined_chunks
from engine.runtime.services import Services
from engine.store.queries.history.audit import COLUMNS
from engine.store.queries.history.audit_text import own_events
from tests.frames import import_frames

PAGE = "posture-score"


def make(services: Services, org_id: str, reports: list[str]) -> None:
    """The bytes of reports at the head."""
    with services.snapshots.open(org_id, now=datetime.now(UTC)) as snapshot:
        for name in reports:
            snapshot.bytes(name, {}, "json")


def attest(services: Services, org_id: str, actor: str) -> None:
    """One attestation of a control, as a file would bring it."""
    now = datetime.now(UTC)
    row = {"framework": "soc2", "control_id": "CC6.1", "owner": actor, "due_on": now.date(), "outcome": "attested"}
    frame = pl.DataFrame([{**row, "attested_at": now}])
    import_frames(services.store, {"attestations": frame}, org_id=org_id, actor=actor, now=now)


def sign_in(services: Services, org_id: str, actor: str) -> None:
    """One sign-in in the log."""
    with services.store.revision(org_id, actor, now=datetime.now(UTC)) as revision:
        revision.record("login.succeeded", object_type="account", object_id=actor)


def main() -> None:
    org_id, step = sys.argv[1:]
    start = time.process_time()
    with open_console_services() as services:
        every, actor = list(services.snapshots.declarations), f"owner@{org_id}.example"
        if step == "first":
            make(services, org_id, [PAGE])
        elif step == "seal":
            bundles.create(services, org_id, actor, days("all"), now=datetime.now(UTC))
        elif step == "export":
            deque(joined_chunks(COLUMNS, own_events(services.store, org_id, actor, None)), maxlen=0)
        else:
            make(services, org_id, every)
            (sign_in if step == "login" else attest)(services, org_id, actor)
            start = time.process_time()
            make(services, org_id, [PAGE] if step == "one" else every)
        print(time.process_time() - start)


if __name__ == "__main__":
    main()
