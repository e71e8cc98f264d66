"""Kept reports in the bucket that shares them, when a person is erased: removed, or a trace that this is owed.

The trace is an empty file in ``SVC_DATA_DIR/bucket-erasures``, named like the organization. It is there before anything
is removed and goes when nothing is left, so that it stays after a command that was killed.
"""

import logging
from pathlib import Path

from engine.model.errors import Unavailable
from engine.model.file_errors import file_problem
from engine.reporting.artifacts.durable_files import flush_folder
from engine.runtime.services import Services

log = logging.getLogger(__name__)
FOLDER = "bucket-erasures"


def clear_bucket(services: Services, org_id: str) -> list[str]:
    """Remove all of the organization from the bucket, if there is one; what is still to be done.

    Unavailable where the trace cannot be written.
    """
    url = services.settings.artifact_bucket
    if not url:
        return []
    trace = services.settings.data_dir / FOLDER / org_id
    try:
        trace.parent.mkdir(parents=True, exist_ok=True)
        trace.touch()
        flush_folder(trace.parent)
    except OSError as error:
        raise file_problem("It cannot be noted that a bucket is to be cleared", error) from error
    try:
        services.artifacts.clear_bucket(org_id)
    except Unavailable as problem:
        return [
            f"{url} still has reports of before ({problem.message}): run the same command once more. The scheduler of "
            "this data folder tries each night, and hq check names it until it is done."
        ]
    trace.unlink(missing_ok=True)
    return []


def clear_owed(services: Services) -> None:
    """Try again what is owed, beside this process; what is owed still is said in the log."""
    for org_id in owed_organizations(services.settings.data_dir):
        for left in services.in_background(clear_bucket, org_id):
            log.warning("%s", left)


def owed_organizations(data_dir: Path) -> list[str]:
    """The organizations of which the bucket may have reports from before an erasure."""
    folder = data_dir / FOLDER
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
