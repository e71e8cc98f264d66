"""The demo organization aurora, imported into the store of ``SVC_DATA_DIR``: ``python -m tests.bench.aurora``, with a number one event out of so many."""

import sys

from data.demo import generate
from engine.cli.common import now, open_console_services
from tests.frames import import_frames


def main() -> None:
    frames = generate("aurora", now().date())
    if sys.argv[1:]:
        frames["audit_log"] = frames["audit_log"].gather_every(int(sys.argv[1]))
    with open_console_services(begin=True) as services:
        import_frames(services.store, frames, org_id="aurora", actor="bench", now=now())


if __name__ == "__main__":
    main()
