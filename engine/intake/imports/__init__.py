"""The bulk door: tables that people keep elsewhere, as CSV, XLSX, JSON Lines or Parquet.

Its names are loaded when they are asked for: what describes the tables is light, what reads files brings Polars along.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.intake.imports.describe import describe_tables
    from engine.intake.imports.files.sources import files_in
    from engine.intake.imports.imports import FollowedLines, ImportResult, import_paths
    from engine.intake.imports.mapping import ColumnMapping, read_mapping
    from engine.intake.imports.tables import is_table
    from engine.intake.imports.write import TableCounts

__all__ = [
    "FollowedLines",
    "ImportResult",
    "ColumnMapping",
    "TableCounts",
    "describe_tables",
    "files_in",
    "import_paths",
    "is_table",
    "read_mapping",
]

_HOMES = {
    "FollowedLines": "imports",
    "ImportResult": "imports",
    "ColumnMapping": "mapping",
    "TableCounts": "write",
    "describe_tables": "describe",
    "files_in": "files.sources",
    "import_paths": "imports",
    "is_table": "tables",
    "read_mapping": "mapping",
}


def __getattr__(name: str) -> Any:  # whatever the name stands for
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
