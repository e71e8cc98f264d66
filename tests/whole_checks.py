"""The checks of a whole organization, as ``hq verify --org`` makes them, over one state of a store."""

from engine.archives.verification.seal_check import check_seals
from engine.runtime.heads.head_check import check_heads


def heads_of(services, org_id):
    with services.store.reader() as connection:
        return check_heads(connection, services.settings, org_id)


def seals_of(services, org_id, progress=lambda done, total: None):
    with services.store.reader() as connection:
        return check_seals(connection, services.settings, org_id, progress)


def assert_provable(store):
    """Every chain and every row of each organization is as it was logged, as ``hq verify --org`` says."""
    for org_id, _ in store.organizations():
        checks = store.verify(org_id), store.verify_rows(org_id)
        assert [check.problem for check in checks] == [None, None], org_id
