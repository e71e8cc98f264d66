"""The checks of a whole organization, as ``hq verify --org`` makes them, over one state of a store."""

from engine.archives.seal_check import check_seals
from engine.runtime.head_check import check_heads


def heads_of(services, org_id):
    with services.store.reader() as connection:
        return check_heads(connection, services.settings, org_id)


def seals_of(services, org_id, progress=lambda done, total: None):
    with services.store.reader() as connection:
        return check_seals(connection, services.settings, org_id, progress)
