"""What can be wrong with the bytes of evidence that a store speaks of."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime

from engine.evidence.items import items_with_bytes, named_hashes
from engine.evidence.store import SWEEP_SECONDS, open_evidence
from engine.model.errors import Unavailable
from engine.runtime.settings import Settings
from engine.store.queries.accounts.installation import positions
from engine.store.rows import Reader

Progress = Callable[[str, int, int], None]
_REMEDY = "put the file back from a backup; until then it is no evidence"


def byte_problems(connection: Reader, settings: Settings, now: datetime, progress: Progress) -> Iterator[str]:
    """Every item has the bytes that were put here for it, and none lie here that no item names."""
    evidence = open_evidence(settings)
    for one in positions(connection):
        items = items_with_bytes(connection, one.org_id)
        try:
            for done, row in enumerate(items, 1):
                sha256 = row["held_sha256"] or ""
                state = evidence.check(one.org_id, sha256)
                progress(f"evidence of {one.org_id}", done, len(items))
                if state != "whole":
                    yield f"The bytes of evidence item {row['id']} of {one.org_id} are {state} ({sha256}): {_REMEDY}."
            named = named_hashes(connection, one.org_id)
            before = min(now.timestamp(), time.time()) - SWEEP_SECONDS
            old = [f for f in evidence.files(one.org_id) if f.name not in named and f.modified < before]
        except Unavailable as problem:
            yield f"The evidence store {evidence.place} cannot be read: {problem.message}"
            return
        if old:
            size = sum(file.size for file in old)
            yield (
                f"Of {one.org_id}, {len(old)} files of evidence ({size:,} bytes) are named by no item: the scheduler "
                "sweeps them at night, or `hq evidence check` does."
            )
