"""What the tests of the bulk door share: files in a folder, one import, the rows of a table."""

from datetime import UTC, datetime

import pytest

from engine.intake.imports import import_paths
from engine.model.errors import InvalidData
from engine.store.schema import metadata
from tests.frames import import_frames

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)


class Door:
    """Imports into acme and reads back."""

    def __init__(self, store, folder):
        self.store, self.folder = store, folder

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def paths(self, *paths, org_id="acme"):
        return import_paths(self.store, paths, org_id=org_id, actor="ann@acme.example", now=NOW)

    def frames(self, org_id="acme", **frames):
        return import_frames(self.store, frames, org_id=org_id, actor="ann@acme.example", now=NOW)

    def text(self, name, content):
        return self.paths(self.file(name, content))

    def bad_cells(self, name, content):
        """The bad cells of a file as (row, column, expected, found); the store must be as it was."""
        before = self.store.head("acme")
        with pytest.raises(InvalidData) as caught:
            self.text(name, content)
        assert self.store.head("acme") == before
        return [(cell["row"], cell["column"], cell["expected"], cell["found"]) for cell in caught.value.details]

    def rows(self, table, *columns, org_id="acme"):
        columns = [metadata.tables[table].c[name] for name in columns]
        owner = metadata.tables[table].c["id" if table == "organizations" else "org_id"]
        query = metadata.tables[table].select().with_only_columns(*columns).where(owner == org_id).order_by(*columns)
        with self.store.reader() as connection:
            return [tuple(row) for row in connection.execute(query)]

    def counts(self, result):
        return {name: (c.rows, c.created, c.updated, c.unchanged) for name, c in result.tables.items()}


@pytest.fixture
def door(store, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return Door(store, folder)
