"""What a digest changes besides telling people, in the same revision as its deliveries."""

from collections.abc import Callable, Iterator, Mapping

import polars as pl

from engine.catalogue import catalogue
from engine.catalogue.snapshot import content as catalogue_content
from engine.digests import buttons
from engine.digests.content import Content
from engine.model.documents.document import FrameRow
from engine.programme import snapshots, staffing
from engine.reporting.snapshot.snapshot import Snapshot
from engine.store import Note, Revision
from engine.store.rows import many
from engine.store.schema.outputs import catalogue_snapshots

Move = Callable[[Revision, bool], None]


def prepare(snapshot: Snapshot, content: Content) -> Move:
    """The change as a function of the revision and of whether the digest leaves; computed before the write begins.

    Where the digest leaves, what its buttons decide is asked last, so that an action is recorded before its approval.
    """
    moves = [MOVES[name](snapshot, content) for name in content.digest.moves]
    kind, asked = content.digest.asks, buttons.actions_to_decide(content)

    def move(revision: Revision, leaves: bool) -> None:
        for one in moves:
            one(revision, leaves)
        if leaves and kind is not None:
            staffing.ask(revision, kind, asked)

    return move


def _catalogue(snapshot: Snapshot, content: Content) -> Move:
    """The catalogue as the organization sees it from now on."""
    known = catalogue()
    own, pairs = snapshot.fact("own_controls"), snapshot.fact("crosswalk").filter(pl.col("org_id").is_not_null())
    version = known.version
    for row in snapshot.fact("own_version").iter_rows(named=True):
        version = f"{version}+{row['own_version']}"
    row = {
        "taken_on": content.edition.as_of,
        "catalogue_version": version,
        "content": catalogue_content(known, own, pairs),
    }

    def move(revision: Revision, leaves: bool) -> None:
        last = many(revision.records, catalogue_snapshots, revision.org_id, order=("-taken_on",), limit=1)
        if last and last[0]["catalogue_version"] == version:
            return
        revision.upsert(catalogue_snapshots, [row])
        revision.record("snapshot.catalogue", object_type="catalogue", object_id=version)

    return move


def _proposals(snapshot: Snapshot, content: Content) -> Move:
    """Proposals of the plan become staffing actions, once each."""
    actions = [_action(row) for row in _rows(content, "actions") if row["status"] == buttons.NEW]

    def move(revision: Revision, leaves: bool) -> None:
        staffing.propose(revision, actions)

    return move


def _rows(content: Content, table: str) -> Iterator[FrameRow]:
    return content.table(table).frame.iter_rows(named=True)


def _action(row: FrameRow) -> dict[str, object]:
    return {
        "id": row["action_id"],
        "week": row["week"],
        "kind": row["kind"],
        "owner": row["owner"],
        "assignee": "; ".join(row["assignees"]) or None,
        "obligation_id": "; ".join(row["obligation_ids"]) or None,
        "relief_hours": row["relief_hours"],
    }


def _open_actions(snapshot: Snapshot, content: Content) -> Move:
    """Actions that are open because their peak week has begun: the fact says which, here it is kept."""
    action_ids = snapshot.fact("staffing_actions").filter(pl.col("status") == "open")["action_id"].to_list()

    def move(revision: Revision, leaves: bool) -> None:
        staffing.open_due_actions(revision, action_ids)

    return move


def _clear_weeks(snapshot: Snapshot, content: Content) -> Move:
    """Weeks that are no longer over a limit: noted where no alert tells it, so that a return is news again."""
    weeks = [row["week"] for row in _rows(content, "breaches") if row["news"] == "cleared"]

    def move(revision: Revision, leaves: bool) -> None:
        if not leaves:
            revision.record_all(Note("density.cleared", "week", week) for week in weeks)

    return move


def _snapshot(snapshot: Snapshot, content: Content) -> Move:
    """The snapshot that the next digest compares with."""
    taken = snapshots.take_snapshot(snapshot)

    def move(revision: Revision, leaves: bool) -> None:
        snapshots.keep(revision, taken)

    return move


MOVES: Mapping[str, Callable[[Snapshot, Content], Move]] = {
    "catalogue": _catalogue,
    "proposals": _proposals,
    "opened": _open_actions,
    "cleared": _clear_weeks,
    "snapshot": _snapshot,
}
