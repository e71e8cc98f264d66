"""A framework of acme's own, for tests that are about what else works on it."""

from engine.frameworks.importing import import_framework
from tests.conftest import NOW

ANNEX = "id,title\nA.1,Risk analysis\nA.2,Backups\n"


def bring_annex(store, folder, more=""):
    """Imports ``annex`` into acme: two controls, and rows of further tables as CSV."""
    path = folder / "annex.csv"
    path.write_text(ANNEX + more)
    import_framework(store, path, org_id="acme", actor="ann@acme.example", now=NOW)
