"""What a batch keeps of every report so that reading it is instant: what it says, and its JSON.

Other formats are rendered at their first read, of what the report says, and no record is looked at: most of what a
night's batch would render is read by nobody.
"""

import logging
from collections.abc import Callable
from dataclasses import replace

from engine.model.documents.document import Edition
from engine.render import RENDERERS
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifacts import Artifacts

log = logging.getLogger(__name__)

EDITION = "edition"  # stands for the format in the name of what a report says
AHEAD = (EDITION, "json")


def render_ahead(form: str, edition: Edition) -> bytes:
    """The bytes of one of ``AHEAD``."""
    if form != EDITION:
        return RENDERERS[form].render(edition)
    from engine.reporting.artifacts.edition_bytes import edition_bytes

    return edition_bytes(edition)


def content_hash_bytes(edition: Edition) -> bytes:
    """What is kept of the hash of what a report says whatever its revision."""
    from engine.render.text.json import content_hash

    return content_hash(edition).encode()


def edition_ahead(artifacts: Artifacts, name: Name, is_wanted: Callable[[], bool]) -> Edition | None:
    """What the report of that name says, where a batch kept it on any machine; None for one that cannot be read."""
    data = artifacts.fetch(replace(name, format=EDITION), is_wanted=is_wanted)
    if data is None:
        return None
    from engine.reporting.artifacts.edition_bytes import edition_from

    try:
        return edition_from(data)
    except ValueError as error:
        log.warning("What was kept of the report %s is not used, and is computed anew. %s", name.report, error)
        return None
