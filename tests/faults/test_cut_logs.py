"""Of a log that a power cut shortened, whole revisions are there, and none in half."""

import shutil
from contextlib import closing

from engine.store import Store
from engine.store.schema.services import services
from tests.conftest import NOW
from tests.faults.cut_logs import cut_copy, page_borders

REVISIONS = 4


def test_a_log_of_sqlite_that_is_cut_anywhere_holds_whole_revisions(acme_template, tmp_path):
    path = tmp_path / "hq.db"
    shutil.copy(acme_template, path)
    with closing(Store(f"sqlite:///{path}")) as store:
        heads = [store.head("acme")]
        for number in range(REVISIONS):
            with store.revision("acme", "ann", now=NOW) as revision:
                revision.insert(services, [{"id": f"s{number}", "name": "One", "criticality": 1}])
                revision.record("service.created")
            heads.append(store.head("acme"))
        log = path.with_name("hq.db-wal")
        borders = page_borders(log)
        lengths = [*borders[: -1 : max(1, len(borders) // 8)], borders[-1] - 7, borders[-1]]
        copies = [cut_copy(path, log, tmp_path / str(length), length) for length in lengths]
    there = []
    for copy in copies:
        with closing(Store(f"sqlite:///{copy}")) as store:
            assert (store.head("acme") in heads, store.verify("acme").ok) == (True, True)
            there.append(heads.index(store.head("acme")))
    assert (there[0], there[-1]) == (0, REVISIONS)
    assert there == sorted(there)
