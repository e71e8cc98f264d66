"""A report that was built before, found by its name without any of what builds one."""

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from engine.model.days import local_day
from engine.reporting.artifacts.artifact_names import artifact_name
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.index import index
from engine.reporting.snapshot.part_positions import newest_erasure
from engine.reporting.snapshot.snapshot import Snapshot
from engine.runtime.settings import Settings
from engine.store.database.head_reader import read_head


def find_artifact(
    settings: Settings, org: str | None, report: str, query: Mapping[str, str], form: str | None, *, now: datetime
) -> bytes | None:
    """The bytes of a present report of the organization, or of the only one; None where they have to be asked for.

    It writes nothing. BadRequest for a bad parameter or format, NotFound for an unknown report.
    """
    head = read_head(settings.store_url, org)
    if head is None:
        return None
    today, erased = local_day(now, ZoneInfo(head.time_zone)), newest_erasure(head.parts)
    artifacts, stand = Artifacts(settings.artifact_folder), (head.position, today)
    snapshot = Snapshot(
        head.org_id, stand, lambda: head.parts, index().catalogue, artifacts, None, artifact_name, lambda: erased
    )
    kept = snapshot.from_cache(report, query, form)
    return None if kept is None else kept.data
