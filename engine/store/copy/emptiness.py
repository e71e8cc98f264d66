"""Whether there is anything in a store, looked at without making or changing it."""

from pathlib import Path
from typing import Literal, TypeAlias

from sqlalchemy import inspect, select

from engine.store.database.database import open_engines, sqlite_path
from engine.store.database.faults import store_faults
from engine.store.database.store_epoch import current
from engine.store.schema.organizations import heads

Emptiness: TypeAlias = Literal["new", "without organizations", "in use"]


def emptiness(url: str) -> Emptiness:
    """``new``: a database that no console has used yet."""
    file = sqlite_path(url)
    if file is not None and _is_absent(file):
        return "new"
    reader, writer = open_engines(url)
    writer.dispose()
    try:
        with store_faults(url), reader.connect() as connection:
            if current(connection) is None:
                return "new"
            begun = inspect(connection).has_table(heads.name)
            used = begun and connection.execute(select(heads.c.org_id).limit(1)).first() is not None
            return "in use" if used else "without organizations"
    finally:
        reader.dispose()


def _is_absent(file: Path) -> bool:
    """Whether nothing is there; what may not be looked at is there, and opening it says what is wrong."""
    try:
        file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
