"""The bulk door: tables that people keep elsewhere, as CSV, XLSX, JSON Lines or Parquet."""

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
