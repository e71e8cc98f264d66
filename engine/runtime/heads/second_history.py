"""No second history beside a first one: an empty database is not begun where the data folder knows of another.

A database that was lost, or a setting that names the wrong one, would else be filled anew, and what is sealed and
signed from then on would contradict what others hold.
"""

from collections.abc import Iterator
from pathlib import Path

from engine.model.errors import Conflict
from engine.runtime.settings import Settings
from engine.store.copy.emptiness import emptiness


def must_not_begin_again(settings: Settings) -> None:
    """Conflict where the database is empty and the data folder holds archives, heads or keys of another one.

    Keys alone speak of a first start where the database has its tables already: it makes them.
    """
    try:
        history, keys = next(_history(settings), None), next(_keys(settings), None)
    except OSError:  # what cannot be looked at is no matter to a database that has its history
        if emptiness(settings.store_url) != "in use":
            raise
        return
    if history is None and keys is None:
        return
    found = emptiness(settings.store_url)
    sign = (history or keys) if found == "new" else history
    if found == "in use" or sign is None:
        return
    raise Conflict(
        f"The database is empty, and {sign} belongs to another one: to go on from it, restore a backup into an empty "
        "folder with `hq restore FILE`, or name the database that it belongs to in SVC_DATABASE_URL; to begin anew, "
        "set SVC_DATA_DIR to an empty folder, and keep this one.",
        word="second_history",
    )


def _history(settings: Settings) -> Iterator[Path]:
    yield from settings.bundle_folder.glob("*/[!.]*.zip")
    yield from (settings.data_dir / "heads").glob("*.log")


def _keys(settings: Settings) -> Iterator[Path]:
    """Those in the data folder: a key that is kept elsewhere may have been made there for us."""
    for path in (settings.signing_key_path, settings.webhook_key_path):
        if path.parent == settings.data_dir and path.exists():
            yield path
