"""Promises of plans against drawn histories: `python -m tests.planning.calibration --count 500`, with what it took.

Of each organization that :mod:`tests.planning.histories` draws a plan is asked for several days; its probability is a promise
for each, and the history says whether it came true: the people do the work in the plan's order, in the hours that it then
takes. Days are tried on both sides of a promise of 80 %.
"""

import argparse
import json
import time
from collections import Counter
from datetime import timedelta

from engine.planning.outlook import make_plan
from engine.planning.question import PlanQuestion
from engine.planning.verdict.likelihood import likelihoods, ready_days, spread_of
from engine.replica.replica import Replica
from tests.factories import DAY
from tests.facts.conftest import Versions, control, facts_with, on
from tests.planning.histories import history, last_week

WANTED = 0.8
NEAR = (0.75, 0.85)  # promises that are taken for one of 80 %
LONGEST = 40  # weeks ahead


FACTS = (
    *("control_horizons", "gaps", "accepted_plans", "owner_weeks", "days_away", "load", "signature_duties"),
    *("awaited_work", "members"),
)


def records(one, org):
    """What an organization has on record: work that is done with its hours, and work that is not."""
    rows = {"control_owners": [], "remediations": []}
    controls = []
    for piece in one.ahead:
        key = on(piece.id)
        controls.append(control(piece.id, evidence_kinds=["policy"], cadence="annual", position=1 + len(controls)))
        rows["control_owners"] += [{**key, "email": piece.owner, "raci": role} for role in ("R", "A")]
        hours = {"estimate_hours": piece.believed, "low_hours": piece.low, "high_hours": piece.high}
        gap = {
            "id": f"R-{piece.id}",
            **key,
            "owner": piece.owner,
            "opened_on": DAY - timedelta(days=9),
            "status": "open",
        }
        rows["remediations"].append(gap | hours)
    for piece in one.past:
        done = DAY - timedelta(days=30)
        asked = {
            "id": "soc2-100", "framework": "soc2", "by": str(done), "made_on": str(done - timedelta(days=60)), "target": 100,
            "owner": piece.owner, "due_on": str(done), "ready_on": str(done), "hours": piece.believed, "kinds": ["policy"],
            "closes": [], "work_hours": piece.believed,
        }  # fmt: skip
        row = {"id": f"R-{piece.id}", **on(one.ahead[0].id), "owner": piece.owner, "status": "closed"}
        when = {"opened_on": done - timedelta(days=60), "closed_on": done, "due_on": done}
        details = {"details": json.dumps({"plan": asked}), "done_hours": piece.took}
        rows["remediations"].append(row | when | details)
    scope = {"framework": "soc2", "in_scope": True, "adopted_on": DAY - timedelta(days=400)}
    people = {
        "users": [{"email": person, "active": True} for person in one.hours],
        "owner_capacity": [
            {"email": person, "week": "default", "hours": hours, "absence_hours": 0.0}
            for person, hours in one.hours.items()
        ],
    }
    tables = {"organization_frameworks": [scope], **people, **rows}
    mine = {name: [{"org_id": org, **row} for row in given] for name, given in tables.items()}
    return [{"org_id": org, **row} for row in controls], mine


def facts_of(drawn):
    """The facts of many organizations at once, by organization: as the nightly batch computes them."""
    controls, tables = [], {}
    for org, one in drawn.items():
        own, rows = records(one, org)
        controls += own
        for name, given in rows.items():
            tables.setdefault(name, []).extend(given)
    replica = Replica("sqlite:///nowhere", None, threads=1)
    generator = facts_with.__wrapped__(replica, Versions(200))
    known = next(generator)(controls=controls, orgs=tuple(drawn), **tables)
    frames = {name: known[name].partition_by("org_id", as_dict=True) for name in FACTS}
    empty = {name: known[name].clear() for name in FACTS}
    generator.close()
    replica.close()
    return {org: {name: frames[name].get((org,), empty[name]) for name in FACTS} for org in drawn}


class Promises:
    """What plans for the days of one organization promise, and what came."""

    def __init__(self, one, known):
        self.one = one
        self.facts = known
        self.spread = spread_of(known["accepted_plans"])
        self.took = {f"soc2:{piece.id}": piece.took for piece in one.ahead}
        self.seen = {}

    def of(self, weeks):
        """The probability for a Friday so many weeks ahead, and whether all was done by then."""
        if weeks not in self.seen:
            by = DAY + timedelta(days=4 - DAY.weekday(), weeks=weeks)
            plan = make_plan(self.facts.__getitem__, PlanQuestion.of("soc2", 100, by), DAY)
            probability = likelihoods(plan, ready_days(plan, self.spread))[0].probability if plan.is_reached else None
            order = [(step.action.name, step.owner) for step in plan.steps]
            done = last_week(order, self.took, plan.problem.capacity)
            self.seen[weeks] = probability, done is not None and plan.weeks.end(done) <= by
        return self.seen[weeks]

    def search(self):
        """The days on both sides of the wanted promise, and those on the way there: of a later one it is never less
        likely."""
        believed = dict.fromkeys(self.one.hours, 0.0)
        for piece in self.one.ahead:
            believed[piece.owner] += piece.believed
        weeks = max(1, round(max(1.6 * believed[person] / hours for person, hours in self.one.hours.items())))
        step = 1 if self._is_short(weeks) else -1
        while 1 <= weeks + step <= LONGEST and self._is_short(weeks) == self._is_short(weeks + step):
            weeks += step

    def _is_short(self, weeks):
        said, _ = self.of(weeks)
        return said is None or said < WANTED


def run(count, first=0):
    """Promises and what came of them: (sort of organization, probability, came true)."""
    drawn = {f"org{number}": history(number) for number in range(first, first + count)}
    every = []
    for org, known in facts_of(drawn).items():
        promises = Promises(drawn[org], known)
        promises.search()
        every += [(drawn[org].sort, *seen) for seen in promises.seen.values() if seen[0] is not None]
    return every


def table(every):
    """Of promises by tenths: how many, what was said on average, what came."""
    lines = ["| promised | promises | said on average | came true |", "|---|---|---|---|"]
    for tenth in range(10):
        mine = [(said, came) for _, said, came in every if min(int(said * 10), 9) == tenth]
        if mine:
            said, came = (100 * sum(part) / len(mine) for part in zip(*mine, strict=True))
            lines.append(f"| {10 * tenth} to {10 * tenth + 10} % | {len(mine):,} | {said:.0f} % | {came:.0f} % |")
    return "\n".join(lines)


def brier(every):
    """The mean of the squared differences: 0 is a prophet, 0.25 says one half of everything."""
    return sum((said - came) ** 2 for _, said, came in every) / len(every)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="organizations")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    asked = parser.parse_args()
    began, spent = time.monotonic(), time.process_time()
    every = run(asked.count, asked.first)
    print(table(every))
    print(f"{len(every):,} promises, Brier score {brier(every):.3f}")
    for sort, count in sorted(Counter(sort for sort, *_ in every).items()):
        mine = [one for one in every if one[0] == sort]
        close = [came for of, said, came in mine if NEAR[0] <= said <= NEAR[1]]
        share = f"{100 * sum(close) / len(close):.0f} % of {len(close)}" if close else "none"
        print(f"{sort}: {count:,} promises, Brier score {brier(mine):.3f}; of those with 80 % came true: {share}")
    close = [came for _, said, came in every if NEAR[0] <= said <= NEAR[1]]
    print(f"of {len(close):,} promises of 75 to 85 % came true {100 * sum(close) / max(len(close), 1):.1f} %")
    print(f"processor seconds: {time.process_time() - spent:.0f}; seconds: {time.monotonic() - began:.0f}")


if __name__ == "__main__":
    main()
