"""What the tests of frameworks of one's own share: a file, an import into acme, what is stored of it."""

from datetime import UTC, datetime

import pytest

from engine.frameworks.importing import import_framework, stored_content
from engine.model.errors import Usage

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)


class Door:
    """Imports frameworks into acme."""

    def __init__(self, store, folder):
        self.store, self.folder = store, folder

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def take(self, path, **options):
        return import_framework(self.store, path, org_id="acme", actor="ann@acme.example", now=NOW, **options)

    def text(self, file, text, **options):
        return self.take(self.file(file, text), **options)

    def refusal(self, file, text, **options):
        """The sentence with which a file is refused; the store must be as it was."""
        before = self.store.head("acme")
        with pytest.raises(Usage) as caught:
            self.text(file, text, **options)
        assert self.store.head("acme") == before
        return caught.value.message

    def content(self, framework):
        with self.store.reader() as connection:
            return stored_content(connection, "acme", framework)

    def controls(self, framework, *columns):
        return [tuple(row[name] for name in columns) for row in self.content(framework).controls(framework)]


@pytest.fixture
def door(store, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return Door(store, folder)
