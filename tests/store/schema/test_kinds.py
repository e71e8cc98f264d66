"""Each column that can be imported says what it is: a claim, a debt, a deadline or scope."""

import pytest
from sqlalchemy import Column, MetaData, Table, Text

from engine.intake.imports.tables import importable
from engine.model.vocabulary import COLUMN_KINDS
from engine.store.schema import IMPORTABLE
from engine.store.schema.kinds import KINDS, check_kinds, column_kind


def test_every_importable_column_has_one_of_the_kinds():
    imported = {(table, column) for table in IMPORTABLE for column in importable(table).fields}
    assert {(table, column) for table, columns in KINDS.items() for column in columns} == imported
    assert {column_kind(*place) for place in imported} == set(COLUMN_KINDS)


def test_a_column_without_a_kind_and_a_kind_without_a_column_are_refused():
    columns = [Column(name, Text) for name in ("org_id", "revision", *KINDS["workspaces"])]
    check_kinds({"workspaces": Table("workspaces", MetaData(), *columns)})
    with pytest.raises(TypeError, match="workspaces.colour has no kind"):
        check_kinds(
            {
                "workspaces": Table(
                    "workspaces", MetaData(), *(column._copy() for column in columns), Column("colour", Text)
                )
            }
        )
    with pytest.raises(TypeError, match="workspaces.name has a kind but is no importable column"):
        check_kinds({"workspaces": Table("workspaces", MetaData(), *(column._copy() for column in columns[:-1]))})
