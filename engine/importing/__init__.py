"""The bulk door: tables that people keep elsewhere, as CSV, XLSX, JSON Lines or Parquet."""

from engine.importing.describe import describe_tables
from engine.importing.imports import ImportResult, import_frames, import_paths
from engine.importing.write import TableCounts

__all__ = ["ImportResult", "TableCounts", "describe_tables", "import_frames", "import_paths"]
