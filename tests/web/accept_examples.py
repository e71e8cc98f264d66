"""``python -m tests.web.accept_examples``: what each report answers about a demo organization, for `hq openapi`.

Lists are cut to their first member and texts beside them to one: an example shows the form, not the whole.
"""

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from data.demo import generate
from engine.model.declarations.report import Report
from engine.render.text.json import envelope
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshot import Snapshot
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import Store
from engine.store.database.migrations import migrate
from reports import CATALOGUE, REPORTS
from tests.frames import import_frames

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
FILE = Path(__file__).resolve().parents[2] / "engine" / "web" / "openapi" / "report_examples.json"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/hq.db"
        migrate(url)
        store, replica = Store(url), Replica(url, None)
        import_frames(store, generate("cobalt", NOW.date()), org_id="cobalt", actor="demo", now=NOW)
        snapshots = Snapshots(store, replica, Artifacts(Path(folder) / "artifacts"), CATALOGUE)
        with snapshots.open("cobalt", now=NOW) as snapshot:
            examples = {report.name: example(snapshot, report) for report in REPORTS if "json" in report.formats}
        snapshots.close()
        replica.close()
        store.close()
    FILE.write_text(json.dumps(examples, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def example(snapshot: Snapshot, report: Report) -> dict[str, object]:
    whole = envelope(snapshot.edition(report, {}))
    short = {name: value[:1] if isinstance(value, list) else value for name, value in whole.items()}
    definitions = dict(list(whole["definitions"].items())[:1])
    # the position is that of one import: it moves with every change of the demo, and says nothing here
    return short | {"definitions": definitions, "revision": {"seq": 812, "hash": "9f2c" * 16}}


if __name__ == "__main__":
    main()
