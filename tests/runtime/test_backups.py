"""The list of the backups that were made."""

from datetime import UTC, datetime
from pathlib import Path

from engine.model.documents.document import Position
from engine.runtime.backups import FILE, BackupNote, backups_before, record_backup

AT = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
FIRST = BackupNote("/backups/first.hqb", AT, {"acme": Position(7, "a" * 64), "beta": Position(3, "b" * 64)})
SECOND = BackupNote("/backups/second.hqb", AT.replace(hour=9), {"acme": Position(9, "c" * 64)})


def test_where_no_backup_was_made_there_is_none_to_name(tmp_path: Path) -> None:
    assert backups_before(tmp_path, "acme", 100) == []


def test_a_backup_is_named_for_what_came_after_the_heads_in_it(tmp_path: Path) -> None:
    record_backup(tmp_path, FIRST)
    record_backup(tmp_path, SECOND)
    assert backups_before(tmp_path, "acme", 10) == [FIRST, SECOND]
    assert backups_before(tmp_path, "acme", 8) == [FIRST]
    assert backups_before(tmp_path, "acme", 7) == []
    assert backups_before(tmp_path, "beta", 10) == [FIRST]


def test_half_a_line_of_a_process_that_ended_is_passed_over(tmp_path: Path) -> None:
    record_backup(tmp_path, FIRST)
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"file": "/backups/ha')
    assert backups_before(tmp_path, "acme", 100) == [FIRST]
    record_backup(tmp_path, SECOND)
    assert backups_before(tmp_path, "acme", 100) == [FIRST, SECOND]
