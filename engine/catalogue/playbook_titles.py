"""What the playbooks of ``data/playbooks`` are called, for whoever names one without rehearsing it."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "data" / "playbooks"


@cache
def playbook_titles() -> Mapping[str, str]:
    """Titles by identifier, in the order of the identifiers."""
    described = (tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml")))
    return {playbook["id"]: playbook["title"] for playbook in described}
