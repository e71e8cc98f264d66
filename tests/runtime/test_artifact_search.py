"""A kept report is found without what builds one: its bytes, and nothing where it was not built since the last write."""

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.model.errors import BadRequest, NotFound
from engine.runtime.artifact_search import find_artifact
from engine.runtime.services import open_services
from engine.runtime.settings import Settings
from engine.store.schema.organizations import memberships
from reports import CATALOGUE
from tests.conftest import NOW

NAME = "legal-holds"


def test_it_has_the_bytes_that_were_built_for_this_moment_alone(store, tmp_path):
    settings = replace(Settings(), data_dir=tmp_path, database_url=store.url)

    def look_up(org="acme", now=NOW, **query):
        return find_artifact(settings, org, NAME, query, "json", now=now)

    assert look_up() is None
    with open_services(settings, CATALOGUE, now=NOW) as services, services.snapshots.open("acme", now=NOW) as snapshot:
        built = snapshot.bytes(NAME, {}, "json").data
    assert (look_up(), look_up(org=None)) == (built, built)
    assert (look_up(org="other"), look_up(now=NOW + timedelta(days=1)), look_up(since="2026-11-01")) == (
        None,
        None,
        None,
    )
    with pytest.raises(BadRequest):
        look_up(periodDays="0")
    with pytest.raises(NotFound):
        find_artifact(settings, "acme", "strange", {}, None, now=NOW)
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("membership.created")
    assert look_up() is None
