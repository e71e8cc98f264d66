"""Evidence of each control, by source, and the audit log by action."""

import polars as pl

from engine.catalogue import catalogue
from engine.facts.controls.own_rules import own_events, usual_events, usual_names
from engine.facts.expressions import has_happened, local_day, shape

_KEY = ["org_id", "framework", "control_id"]
_NUMBERS = ("events", "events_before", "events_ever", "events_future")
_EVENTS = ("events", "events_before", "events_ever")
_AUDIT = ("audit_events", "audit_events_before", "audit_last_at")
# which mandatory kind an action's evidence counts for
_SOURCE_OF_KIND = {"operation": "operation", "incident": "operation", "test": "test", "policy": "policy"}


def tagged_events(
    audit_by_action: pl.DataFrame,
    audit_by_tag: pl.DataFrame,
    own_rules: pl.DataFrame,
    outcome_counts: pl.DataFrame,
    controls: pl.DataFrame,
) -> pl.DataFrame:
    """Events by action, effect and control: through the action map, and where the event itself names a control.

    Only assessable controls in scope, and only actions that the vocabulary knows as evidence or as its contrary. A
    contradicting action contradicts whatever its outcome word is; a supporting one that failed or was denied
    contradicts too; one that records supports, whatever its outcome word is (F2). What an own rule says of an action
    and a control comes in the place of all that.
    """
    known = catalogue()
    wanted = controls.filter("assessable").select(_KEY)
    vocabulary = known.actions.select("action", "kind", "effect", "family").filter(pl.col("effect") != "neutral")
    # that it is there is the control at work; the scans count it as good, whatever became of what it reports
    vocabulary = vocabulary.with_columns(pl.col("effect").replace("records", "supports"))
    mapped = _by_outcome(audit_by_action).join(known.action_controls, on="action")
    named = _by_outcome(
        audit_by_tag.with_columns(
            pl.col("tag").str.splitn(":", 2).struct.rename_fields(["framework", "control_id"])
        ).unnest("tag")
    )
    newest = (pl.col("last_at").last(), pl.col("last_seq").last())
    mapped = usual_events(mapped.select(named.columns), own_rules, outcome_counts)
    usual = (
        pl.concat([mapped, usual_names(named, own_rules)])
        .join(wanted, on=_KEY)
        .join(vocabulary, on="action")
        .with_columns(effect=pl.when("good").then("effect").otherwise(pl.lit("contradicts")))
        .sort("last_at", "last_seq")
        .group_by(*_KEY, "action", "kind", "effect", "family", "good", maintain_order=True)
        # an event that is mapped and names the control counts once
        .agg(pl.col(_NUMBERS).max(), *newest)
        .sort("last_at", "last_seq")
        .group_by(*_KEY, "action", "kind", "effect", "family", maintain_order=True)
        .agg(pl.col(_NUMBERS).sum(), *newest)
        .rename({"last_at": "at", "last_seq": "seq"})
        .with_columns(own_rule=pl.lit(None, dtype=pl.String))
    )
    own = own_events(own_rules, outcome_counts, wanted).select(usual.columns)
    return pl.concat([usual, own], how="vertical_relaxed").sort(*_KEY, "action", "effect", "own_rule", nulls_last=True)


def _by_outcome(counted: pl.DataFrame) -> pl.DataFrame:
    """A row for the events that succeeded and one for those that did not, where there are any."""
    keys = [name for name in ("org_id", "action", "framework", "control_id") if name in counted.columns]
    halves = [
        counted.select(
            *keys,
            *(pl.col(prefix + name).alias(name) for name in (*_NUMBERS, "last_at", "last_seq")),
            good=pl.lit(prefix == "good_"),
        )
        for prefix in ("good_", "bad_")
    ]
    return pl.concat(halves).filter(pl.col("last_seq").is_not_null() | (pl.col("events_future") > 0))


def open_families(tagged_events: pl.DataFrame) -> pl.DataFrame:
    """Families of actions whose newest event contradicts a control, each contradicting action with its newest event.

    ``since_at`` and ``since_seq`` are the newest event of the family that supports: what came later stands open.
    """
    past = tagged_events.filter(pl.col("seq").is_not_null()).sort("at", "seq")
    key = [*_KEY, "family"]
    final = past.group_by(key, maintain_order=True).last().filter(pl.col("effect") == "contradicts").select(key)
    support = (
        past.filter(pl.col("effect") == "supports")
        .group_by(key, maintain_order=True)
        .agg(since_at=pl.col("at").last(), since_seq=pl.col("seq").last())
    )
    later = (
        pl.col("since_at").is_null()
        | (pl.col("at") > pl.col("since_at"))
        | ((pl.col("at") == pl.col("since_at")) & (pl.col("seq") > pl.col("since_seq")))
    )
    return (
        past.filter(pl.col("effect") == "contradicts")
        .join(final, on=key)
        .join(support, on=key, how="left")
        .filter(later)
        .select(*key, "action", "at", "seq", "since_at", "since_seq")
        .sort(*key, "action")
    )


def contradicting_actions(
    open_families: pl.DataFrame, audit_by_tag: pl.DataFrame, own_rules: pl.DataFrame
) -> pl.DataFrame:
    """``open_families`` by what their events are found with: all of an action where the map leads to the control, else
    those that name it (``tag``), and by own rules those of their ``outcome``. A contradicting action counts with
    ``any_outcome``."""
    known = catalogue()
    mapped = open_families.join(
        known.action_controls.select("action", "framework", "control_id"), on=["action", "framework", "control_id"]
    ).with_columns(tag=pl.lit(None, dtype=pl.String))
    named = open_families.with_columns(tag=pl.format("{}:{}", "framework", "control_id")).join(
        audit_by_tag.select("org_id", "action", "tag"), on=["org_id", "action", "tag"], how="semi"
    )
    usual = known.actions.select("action", any_outcome=pl.col("effect") == "contradicts")
    nothing = pl.lit(None, dtype=pl.String)
    by_map = pl.concat([mapped, named]).join(usual, on="action").with_columns(outcome=nothing)
    ruled = own_rules.filter(pl.col("effect") == "contradicts").select(*_KEY, "action", "outcome")
    own = open_families.join(ruled, on=[*_KEY, "action"]).with_columns(tag=nothing, any_outcome=pl.lit(True))
    return pl.concat([by_map, own.select(by_map.columns)]).sort(*_KEY, "action", "tag", "outcome", nulls_last=True)


def wanted_contradictions(contradicting_actions: pl.DataFrame) -> pl.DataFrame:
    """The same once for all controls of an action, which the scan reads as a table."""
    columns = ("org_id", "action", "any_outcome", "outcome", "tag", "since_at", "since_seq")
    return contradicting_actions.select(columns).unique().sort(columns, nulls_last=True)


def contradictions(
    open_families: pl.DataFrame,
    contradicting_actions: pl.DataFrame,
    contradiction_starts_rows: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Controls with a contradicting event that no later supporting one of the same family outweighs.

    The newest such event, and the day of the first.
    """
    span = ["org_id", "action", "outcome", "tag", "since_at", "since_seq"]
    first = (
        contradicting_actions.join(contradiction_starts_rows, on=span, nulls_equal=True)
        .with_columns(since_on=local_day("first_at", asked))
        .group_by(_KEY)
        .agg(pl.col("since_on").min())
    )
    return (
        open_families.sort("at", "seq")
        .group_by(_KEY, maintain_order=True)
        .last()
        .join(first, on=_KEY, how="left")
        .select(*_KEY, "at", "seq", "since_on")
        .sort(_KEY)
    )


def control_records(
    evidence_items_rows: pl.DataFrame,
    control_tests: pl.DataFrame,
    test_links_rows: pl.DataFrame,
    policies: pl.DataFrame,
    attestations: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Control x source: evidence that is a record of its own rather than an audit event."""
    midnight = pl.Datetime("us")
    tests = control_tests.filter("counts", pl.col("outcome") == "passed").select(
        *_KEY, source=pl.lit("test"), at=pl.col("performed_on").cast(midnight), on="performed_on", id="run_id"
    )
    links = _linked_runs(test_links_rows, asked).select(
        *_KEY, source=pl.lit("test"), at="ran_at", on="on", id="test_id"
    )
    items = evidence_items_rows.select(
        *(*_KEY, "evidence_place"), source=pl.lit("item"), at="captured_at", on=local_day("captured_at", asked), id="id"
    )
    accepted = policies.filter(pl.col("control_id").is_not_null()).select(
        *_KEY, source=pl.lit("policy"), at=pl.col("accepted_on").cast(midnight), on="accepted_on", id="policy_id"
    )
    signed = attestations.filter(pl.col("status") == "attested").select(
        *_KEY, source=pl.lit("attestation"), at="attested_at", on=local_day("attested_at", asked), id="id"
    )
    records = pl.concat([tests, links, items, accepted, signed], how="diagonal")
    return _count_records(records.with_columns(pl.col("evidence_place").fill_null("linked")), asked).sort(
        *_KEY, "source"
    )


def control_evidence(
    tagged_events: pl.DataFrame,
    contradictions: pl.DataFrame,
    event_ids_rows: pl.DataFrame,
    control_records: pl.DataFrame,
    controls: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """Control x source: supporting events in the period and before, the newest ever, and open contradictions."""
    events = (
        tagged_events.filter(pl.col("effect") == "supports", pl.col("seq").is_not_null())
        .with_columns(source=pl.col("kind").replace_strict(_SOURCE_OF_KIND, default=None))
        .filter(pl.col("source").is_not_null())
        .sort("at", "seq")
        .group_by(*_KEY, "source", maintain_order=True)
        .agg(
            pl.col("events", "events_before", "events_ever").sum(),
            last_at=pl.col("at").last(),
            seq=pl.col("seq").last(),
            own_rule=pl.col("own_rule").last(),
        )
        .join(event_ids_rows, on=["org_id", "seq"], how="left")
        .with_columns(
            last_on=local_day("last_at", asked),
            audit_events="events",
            audit_events_before="events_before",
            audit_last_at="last_at",
        )
        .select(
            *(*_KEY, "source", *_EVENTS, *_AUDIT, "last_at", "last_on", "own_rule"),
            last_id="event_id",
            evidence_place=pl.lit("linked"),
        )
    )
    opposed = contradictions.join(event_ids_rows, on=["org_id", "seq"], how="left")
    assessable = controls.filter("assessable").select(_KEY)
    frame = (
        pl.concat([events, control_records], how="diagonal_relaxed")
        .sort("last_on", "last_at", "last_id")
        .group_by(*_KEY, "source", maintain_order=True)
        .agg(
            pl.col(*_EVENTS, "audit_events", "audit_events_before").sum(),
            pl.col("audit_last_at").max(),
            pl.col("last_on", "last_at", "last_id", "evidence_place", "own_rule").last(),
        )
    )
    against = tagged_events.filter(pl.col("effect") == "contradicts", pl.col("own_rule").is_not_null())
    opposed = opposed.join(
        against.select(*_KEY, "seq", contradicted_rule="own_rule").unique([*_KEY, "seq"]), on=[*_KEY, "seq"], how="left"
    )
    noted = opposed.select(
        *_KEY,
        contradicted_at="at",
        contradicted_by="event_id",
        contradicted_rule="contradicted_rule",
        contradicted_since="since_on",
        contradicted_on=local_day("at", asked),
    )
    bare = noted.join(frame, on=_KEY, how="anti").select(
        *_KEY,
        source=pl.lit("operation"),
        **{name: pl.lit(0) for name in (*_EVENTS, "audit_events", "audit_events_before")},
    )
    complete = pl.concat([frame, bare], how="diagonal_relaxed").join(noted, on=_KEY, how="left")
    return shape("control_evidence", complete.join(assessable, on=_KEY)).sort(*_KEY, "source")


def record_days(
    evidence_items_rows: pl.DataFrame, control_tests: pl.DataFrame, test_links_rows: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """The days on which evidence of operation arose that is a record of its own rather than an audit event."""
    items = evidence_items_rows.select(*_KEY, happened_on=local_day("captured_at", asked))
    tests = control_tests.filter("counts", pl.col("outcome") == "passed").select(*_KEY, happened_on="performed_on")
    links = _linked_runs(test_links_rows, asked).select(*_KEY, happened_on="on")
    days = pl.concat([items, tests, links]).join(asked.select("org_id", "as_of"), on="org_id")
    return days.filter(has_happened("happened_on")).drop("as_of").unique().sort(*_KEY, "happened_on")


def _linked_runs(test_links: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Successful dry-runs by the control that they are linked to; one that is in two bundles is still one test."""
    return (
        test_links.filter(pl.col("status") == "linked", pl.col("outcome") == "succeeded")
        .with_columns(on=local_day("ran_at", asked))
        .select(*_KEY, "test_id", "ran_at", "on")
        .unique([*_KEY, "test_id"])
    )


def _count_records(records: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Records with their day, counted in the period and the one before; later ones than the day are left out."""
    bounds = asked.select("org_id", "period_start", "before_start", "as_of")
    inside = pl.col("on") >= pl.col("period_start")
    before = (pl.col("on") >= pl.col("before_start")) & ~inside
    return (
        records.join(bounds, on="org_id")
        .filter(pl.col("on") <= pl.col("as_of"))
        .sort("on", "at", "id")
        .group_by(*_KEY, "source", maintain_order=True)
        .agg(
            events=inside.sum().cast(pl.Int64),
            events_before=before.sum().cast(pl.Int64),
            events_ever=pl.len().cast(pl.Int64),
            last_on=pl.col("on").last(),
            last_at=pl.col("at").last(),
            last_id=pl.col("id").last(),
            evidence_place=pl.col("evidence_place").last(),
        )
    )
