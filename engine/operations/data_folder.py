"""What a data folder holds that is truth, and where it stands in a backup: the rest is computed again.

The tables are the store itself; ``analytics*.duckdb``, ``artifacts/``, ``site/`` and ``spool/`` are made from them.
"""

from collections.abc import Mapping
from pathlib import Path

from engine.runtime.keys.key_rotations import rotations_path
from engine.runtime.settings import Settings

INSTALLATION_TREE = "heads/installation.tree"
WEBHOOK_KEY = "keys/webhook.key"


def table_member(table: str) -> str:
    """The rows of a table."""
    return f"tables/{table}.jsonl"


def archive_member(org_id: str, bundle_id: str) -> str:
    """A sealed archive."""
    return f"bundles/{org_id}/{bundle_id}.zip"


def evidence_member(org_id: str, sha256: str) -> str:
    """Bytes of evidence."""
    return f"evidence/{org_id}/{sha256}"


def heads_member(org_id: str) -> str:
    """The signed heads of an organization."""
    return f"heads/{org_id}.log"


def key_files(settings: Settings) -> Mapping[str, Path]:
    """The keys: under which name each is backed up, and where it is kept."""
    return {
        "keys/session.secret": settings.data_dir / "session.secret",
        WEBHOOK_KEY: settings.webhook_key_path,
        "keys/signing.key": settings.signing_key_path,
        "keys/signing.key.rotations": rotations_path(settings.signing_key_path),
    }
