"""The types of rows say what the schema says."""

import importlib

import pytest
from sqlalchemy import select

from engine.model import vocabulary
from engine.store.schema import metadata
from engine.store.schema.columns import TypedTable
from engine.store.schema.services import incidents
from tests.store.accept_records import PATH, row_name, source

MODULES = (
    "audit",
    "automation",
    "commerce",
    "controls",
    "frameworks",
    "ingest",
    "organizations",
    "outputs",
    "risk",
    "services",
    "work",
)


def test_the_row_types_are_those_of_the_schema():
    """``python -m tests.store.accept_records`` writes them."""
    assert PATH.read_text() == source()


def test_every_table_is_declared_with_its_own_row():
    declared = {}
    for name in MODULES:
        declared |= importlib.import_module(f"engine.store.schema.{name}").__annotations__
    assert declared == {name: f"TypedTable[records.{row_name(table)}]" for name, table in metadata.tables.items()}


def test_a_statement_on_a_table_is_compiled_once():
    assert type(incidents) is TypedTable
    assert select(incidents)._generate_cache_key() is not None


@pytest.mark.parametrize(
    ("table", "column", "words"),
    [
        ("incidents", "status", vocabulary.INCIDENT_STATUSES),
        ("vendors", "tier", vocabulary.VENDOR_TIERS),
        ("deliveries", "channel", vocabulary.CHANNELS),
    ],
)
def test_a_choice_takes_its_words_from_the_vocabulary(table, column, words):
    assert metadata.tables[table].c[column].info["choices"] == words
