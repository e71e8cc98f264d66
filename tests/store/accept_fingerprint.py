"""Accept the fingerprint of the schema of the newest migration: ``python -m tests.store.accept_fingerprint``."""

import json

from engine.operations.schema.schema_check import declared_schema, fingerprint
from engine.store.database.epoch import EPOCH
from engine.store.database.migrations import FOLDER

FINGERPRINTS = FOLDER / "fingerprints.json"


def fingerprint_bytes():
    """The file, with those of earlier migrations as they were."""
    known = json.loads(FINGERPRINTS.read_text(encoding="ascii")) if FINGERPRINTS.exists() else {}
    return f"{json.dumps({**known, EPOCH: fingerprint(declared_schema())}, indent=1, sort_keys=True)}\n".encode()


if __name__ == "__main__":
    FINGERPRINTS.write_bytes(fingerprint_bytes())
