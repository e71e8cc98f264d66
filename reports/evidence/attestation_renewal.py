"""Attestations to renew, in waves by due date: how many, how much work, for whom, and where too many fall together."""

import polars as pl

from engine.facts import SIGNED_DAYS
from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from engine.model.figures.formulas import iso_week
from reports.evidence import renewals
from reports.evidence.renewals import NAMES, WAVES
from reports.figures import select
from reports.shared import ledger, personal, setup
from reports.shared.packs import control, pack_name, titled_control
from reports.shared.wording import SHOWN_HOURS, count, count_of, hours, percent, some_of, with_whom

SAID = {wave: "overdue" if wave == "overdue" else f"due {name[0].lower()}{name[1:]}" for wave, name in NAMES.items()}
FOREMOST = (
    *("attestations_overdue", "renewals_to_send", "renewals_in_90_days", "renewals_on_weak_evidence"),
    *("attestations_rejected", "attestation_duty_pct"),
)
HIDDEN = ("attestation_id", "owner", "reminder_id", "week", "group_id", "days_left")
LABELS = {"name": "Framework", "demand_hours": "Hours falling due", "evidence_freshness": "Evidence now"}


def build(attestations: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    every = figures.rows(renewals.pending)
    rows = every.filter(pl.col("wave").is_not_null())
    waves, collisions = renewals.waves(rows), figures.rows(renewals.collisions)
    title = pl.format(" {}", "control_title").fill_null("")
    line = pl.format("{} {}{} ({})", pack_name(ask), "control_id", title, personal.days("days_left", "late", "due"))
    owners = personal.sections(rows.filter("owed"), "wave", SAID, line)
    return Document(
        *_opening(every, rows.filter("owed").with_columns(line=line), owners, figures),
        tables=(
            Table(
                "owners",
                "To each owner now",
                owners,
                note="One mail for each, with all that is to be signed.",
                hidden=("in_31_to_60_days", "in_61_to_90_days"),
            ),
            Table(
                "waves", "By days until due", waves, labels={**LABELS, "name": "Wave"}, hidden=("wave", "frameworks")
            ),
            Table(
                "frameworks",
                "By framework",
                renewals.by_framework(rows, attestations, ask),
                labels=LABELS,
                heat=tuple(WAVES),
                hidden=("framework",),
            ),
            Table(
                "collisions",
                "Weeks of an owner in which renewals collide",
                collisions,
                note="What is overdue stands in the present week, beside the hours of what falls due in it.",
                labels=LABELS,
                hidden=("frameworks",),
            ),
            Table(
                "renewals",
                "Every renewal of the next 90 days",
                rows,
                labels=LABELS,
                state=("evidence_freshness",),
                words=("wave",),
                hidden=HIDDEN,
            ),
        ),
        definitions=_definitions(ask),
        warnings=_warnings(figures, ask),
        foremost=FOREMOST,
    )


def _opening(every: pl.DataFrame, owed: pl.DataFrame, owners: pl.DataFrame, figures: Figures) -> Opening:
    if every.is_empty():
        return Opening("No attestation is waiting to be signed.", setup.fill("attestations"))
    number = figures["renewals_in_90_days"]
    if not number:
        return Opening(f"No attestation falls due within 90 days; the next is due {spelled_day(every['due_on'][0])}.")
    late, work = figures["attestations_overdue"], hours(figures["renewals_hours"])
    most = ledger.most_with(every.filter(pl.col("wave") == "overdue").with_columns(owner="recipient"))
    with_them = f", most with {most[0]} ({most[1]:,})" if most and late > 1 else ""
    of = count_of(number, "attestation")
    start = f"{late:,} of {of} to sign within 90 days {'is' if late == 1 else 'are'} overdue{with_them}"
    if not late:
        start = f"{of} to sign within 90 days ({work}), none overdue"
    if owners.is_empty():
        return Opening(f"{start}.", "Nothing is to be sent now: whoever is due was asked within the last days.")
    first = owners.row(0, named=True)
    begin = f" ({first['overdue']:,} overdue)" if first["overdue"] else ""
    if first["recipient"] is None:
        return Opening(f"{start}.", f"Name owners first: {count_of(first['items'], 'has', 'have')} none to ask{begin}.")
    line = owed.filter(pl.col("recipient") == first["recipient"])["line"][0]
    return Opening(
        f"{start}.", f"Begin with {first['recipient']}, who has {first['items']:,} to sign now{begin}: first {line}."
    )


def _warnings(figures: Figures, ask: Ask) -> list[str]:
    warnings: list[str] = []
    if nobody := figures["renewals_without_recipient"]:
        keys = figures.counted_rows("renewals_without_recipient").select("framework", "control_id").rows()
        names = [control(":".join(key), ask) for key in keys]
        have = count_of(nobody, "renewal has", "renewals have")
        warnings.append(
            Alarm(f"{have} nobody who is there to ask: an administrator names an owner for {some_of(names, 3)}.")
        )
    weak = figures.counted_rows("renewals_on_weak_evidence").filter("owed")
    if weak.height:
        names = [control(":".join(key), ask) for key in weak.select("framework", "control_id").rows()]
        warnings.append(f"Collect evidence before signing, it is stale or missing now: {some_of(names)}.")
    if rejected := figures["attestations_rejected"]:
        were = count(rejected, "attestation was", "attestations were")
        rows = figures.counted_rows("attestations_rejected").sort("framework", "control_id").iter_rows(named=True)
        names = [f"{titled_control(row, ask)} ({with_whom(row['attestor'] or row['owner'])})" for row in rows]
        warnings.append(Alarm(f"{were} rejected, put right what was found and sign again: {some_of(names, 3)}."))
    return warnings


def _definitions(ask: Ask) -> dict[str, str]:
    warn = percent(ask.settings["utilisation_warn_pct"])
    return {
        "Renewal": "An attestation of the obligation ledger that is not signed yet. A signature lapses after "
        f"{SIGNED_DAYS} days; where no next attestation is planned, that is its date.",
        "Wave": f"By days until it is due. This week is {iso_week(ask.as_of)}.",
        "Collision": f"An owner's week with at least {renewals.CROWDED} renewals of several frameworks, or with any "
        f"in which all duties together use more than {warn} of the hours available.",
        "Current": "Signed attestations of those that decide today.",
        "Evidence now": "Freshness of the control's evidence today: signing on stale evidence is unsupported.",
        **SHOWN_HOURS,
    }


REPORT = Report(
    name="attestation-renewal",
    title="Attestation renewal",
    description="Attestations to renew in waves by due date, by framework and owner, and who is to be asked now.",
    build=build,
    figures=select(
        *(
            "renewals_in_90_days",
            "attestations_overdue",
            "attestations_overdue_week_change",
            *(f"renewals_{wave}" for wave in WAVES if wave != "overdue"),
        ),
        *("renewals_after_90_days", "renewals_hours", "renewals_to_send", "renewal_recipients", "renewals_escalated"),
        *("renewals_without_recipient", "renewals_on_weak_evidence", "renewal_collision_weeks"),
        *("attestations_rejected", "attestation_duty_pct"),
    ),
    parameters=(),
    schema_version=2,
    evidence_dates=False,
)
