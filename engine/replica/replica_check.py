"""Whether the file of a replica has the rows of the store: all of them, read and compared."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import duckdb

from engine.replica.replica_file import Copy, InUse, OtherVersion, Unsound, in_memory, lock, open_sound
from engine.replica.sync import catch_up
from engine.replica.tallies import row_counts
from engine.replica.watermarks import NOTHING
from engine.store.log.changes import changes
from engine.store.schema import REPLICATED


def replica_findings(url: str, path: Path, org_ids: Sequence[str]) -> list[str]:
    """What the file at ``path`` has otherwise than the store, in sentences; none where it is whole, or not there.

    A copy of it is brought to the heads of the organizations and compared, row by row, with one that is made anew. The
    file stays as it is. One that another process has is not compared, as who has it heals it, nor one of another
    version of the program, which is made anew when it is needed.
    """
    if not os.path.lexists(path):
        return []
    try:
        with TemporaryDirectory(prefix="hq-replica-") as folder, lock(path):
            taken = Path(folder) / path.name
            for suffix in ("", ".wal"):
                if Path(f"{path}{suffix}").is_file():
                    shutil.copyfile(f"{path}{suffix}", f"{taken}{suffix}")
            return _findings(url, path.name, open_sound(taken, {}), org_ids)
    except (InUse, OtherVersion):
        return []
    except OSError as error:
        how = f"for which it is locked and copied to {gettempdir()} (TMPDIR says where)"
        return [f"The analytics store {path.name} was not compared, {how}: {error.strerror}."]
    except (Unsound, duckdb.Error) as error:
        return [f"The analytics store {path.name} is not sound and will be made anew: {error}."]


def _findings(url: str, name: str, copy: Copy, org_ids: Sequence[str]) -> list[str]:
    findings: list[str] = []
    with copy.connection as connection, in_memory({}).connection as anew:
        known = copy.marks.read(org_ids)
        with changes(url, [(org_id, known[org_id].seq) for org_id in org_ids if known[org_id].seq]) as stands:
            for change in stands:
                catch_up(connection, change, known[change.org_id], with_past=False)
                change.start_over()
                catch_up(anew, change, NOTHING, with_past=False)
        there, right = row_counts(connection.cursor()), row_counts(anew.cursor())
        for org_id in org_ids:
            if known[org_id].seq:
                mine, stored = there.get(org_id, {}), right.get(org_id, {})
                findings += [
                    f"The analytics store {name} has other rows of {org_id} in {table} than the store."
                    for table in REPLICATED
                    if mine.get(table) != stored.get(table)
                ]
    return findings
