"""When a week holds too much: the decisions of density alerts, for the preview and for whoever sends them."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.model.figures.formulas import nearest_rank
from engine.model.thresholds import Thresholds

LEVELS = ("ok", "warning", "critical")
ALERTING = LEVELS[1:]
TO_SEND = ("new", "worsened")


@dataclass(frozen=True)
class Limits:
    """Where a week warns and where it is critical, by count and by utilisation; ``clear`` is the hysteresis."""

    warn_count: float
    critical_count: float
    warn_pct: float
    critical_pct: float
    clear: float
    warn_source: str
    critical_source: str


def limits(history: Sequence[float], settings: Thresholds) -> Limits:
    """The larger of the setting and the 75th or 90th percentile of the weeks behind (density thresholds)."""
    sources = {}
    counts = {}
    for level, pct in (("warn", 75), ("critical", 90)):
        name = f"density_{level}_count"
        usual = nearest_rank(history, pct)
        counts[level] = max(settings[name], usual or 0.0)
        own = "organization setting" if name in settings.overrides else "default"
        sources[level] = f"p{pct} of the weeks behind" if usual and usual > settings[name] else own
    return Limits(
        warn_count=counts["warn"],
        critical_count=max(counts.values()),
        warn_pct=settings["utilisation_warn_pct"],
        critical_pct=settings["utilisation_critical_pct"],
        clear=settings["hysteresis_fraction"],
        warn_source=sources["warn"],
        critical_source=sources["critical"],
    )


def level(count: float, utilisation_pct: float | None, bounds: Limits, part: float = 1.0) -> str:
    """The level at ``part`` of the limits; ``utilisation_pct`` None is work that nobody has hours for: critical."""
    utilisation = bounds.critical_pct if utilisation_pct is None else utilisation_pct
    if count >= part * bounds.critical_count or utilisation >= part * bounds.critical_pct:
        return "critical"
    return "warning" if count >= part * bounds.warn_count or utilisation >= part * bounds.warn_pct else "ok"


def standing(count: float, utilisation_pct: float | None, bounds: Limits, previous: str = "ok") -> str:
    """The level given the one last sent: a breach holds until the week is below ``clear`` of its limit."""
    fresh = level(count, utilisation_pct, bounds)
    held = level(count, utilisation_pct, bounds, bounds.clear)
    return max(fresh, min(previous, held, key=LEVELS.index), key=LEVELS.index)


def news(now: str, previous: str = "ok") -> str:
    """What an alert would say: new, worsened, unchanged, eased, cleared, or none."""
    if now == previous:
        return "none" if now == "ok" else "unchanged"
    if previous == "ok":
        return "new"
    if now == "ok":
        return "cleared"
    return "worsened" if LEVELS.index(now) > LEVELS.index(previous) else "eased"


def limit_words(bounds: Limits) -> str:
    """From what on a week warns and is critical, for people: ``34 duties or 85 % of capacity (critical: …)``."""
    warns, critical = (
        f"{number:g} duties or {pct:g} % of capacity"
        for number, pct in ((bounds.warn_count, bounds.warn_pct), (bounds.critical_count, bounds.critical_pct))
    )
    return f"{warns} and is critical from {critical}"


def causes(count: float, utilisation_pct: float | None, bounds: Limits) -> list[str]:
    """Which measures are at or above their warning."""
    found = []
    if count >= bounds.warn_count:
        found.append("count")
    if utilisation_pct is None:
        found.append("no capacity")
    elif utilisation_pct >= bounds.warn_pct:
        found.append("utilisation")
    return found
