"""Tenable: plugin on an asset, from Vulnerability Management, Security Center, Nessus and the newer findings export.

Names go by any case; dotted and spaced column names are one (``asset.id``, ``Plugin ID``). The severity field is
trusted over risk factor and CVSS, which may disagree with it.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from engine.intake.findings.finding import (
    Finding,
    HostNames,
    cves,
    details,
    is_known_exploited,
    order_times,
    port_of,
    rate_by_score,
    score,
)
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import WORDS, severity
from engine.intake.values import as_list, first, flag, fold, line, mapping, plain
from engine.model.vocabulary import ScanState, Severity

SHAPE = "Tenable: {plugin: {id, name}, asset: {uuid, hostname}, severity, …}, or flat {pluginID or Plugin ID, ip, …}"

CHECK = ("plugin_id", "pluginid", "definition_id", "plugin")
ASSET = ("uuid", "id", "agent_uuid")
FLAT_ASSET = ("asset_uuid", "asset_id", "hostuuid")
ADDRESS = ("ipv4", "ip", "ip_address", "host_ip", "ipv6", "display_ipv4_address", "asset_display_ipv4_address")
NAME = ("fqdn", "dnsname", "dns_name", "hostname", "host", "asset", "asset_name", "netbios_name", "netbiosname")
TITLE = ("plugin_name", "pluginname", "definition_name", "name", "synopsis")
STATE = ("state", "vulnerability_state", "status")
FIRST_SEEN = ("first_found", "firstseen", "first_seen", "first_observed", "first_discovered")
LAST_SEEN = ("last_found", "lastseen", "last_seen", "last_observed")
FIXED = ("last_fixed", "lastfixed")
CVSS = (
    *(
        "cvss3_base_score",
        "cvssv3basescore",
        "cvss_v3_base_score",
        "cvss_v3_0_base_score",
        "definition_cvss3_base_score",
    ),
    *(
        "cvss_base_score",
        "cvss_v2_base_score",
        "cvss_v2_0_base_score",
        "definition_cvss2_base_score",
        "basescore",
        "cvss",
    ),
)
VPR = ("vpr", "vprscore", "vpr_score", "vulnerability_priority_rating", "vulnerability_priority_rating_(vpr)")

LEVELS: Mapping[str, Severity] = {**WORDS, "4": "critical", "3": "high", "2": "medium", "1": "low", "0": "info"}
STATES: Mapping[str, ScanState] = {"fixed": "fixed", "reopened": "reopened", "resurfaced": "reopened"}


class TenableRecord(NamedTuple):
    """All under folded names; ``asset`` and ``plugin`` empty in flat layouts."""

    row: Mapping[str, object]
    asset: Mapping[str, object]
    plugin: Mapping[str, object]


def matches(item: Mapping[str, object]) -> bool:
    plugin = item.get("plugin", item.get("definition"))
    if isinstance(plugin, dict) or any(name in item for name in ("plugin_id", "pluginid", "definition_id")):
        return True
    return plugin is not None and "finding_id" not in item


def records(path: str, item: Mapping[str, object]) -> Iterator[tuple[str, TenableRecord]]:
    plugin = item.get("plugin")
    yield (
        path,
        TenableRecord(
            item,
            fold(mapping(item.get("asset"))),
            fold(mapping(plugin if isinstance(plugin, dict) else item.get("definition"))),
        ),
    )


def read(record: TenableRecord, received_at: datetime, source: str | None = None) -> Finding:
    row, asset, plugin = record
    check = plain(plugin.get("id")) or first(row, CHECK, 100)
    if check is None:
        raise MalformedRecord("plugin.id", "the number of the plugin", row.get("plugin_id", plugin.get("id")))
    host = _host(row, asset)
    ports = fold(mapping(row.get("port")))
    port = port_of(ports.get("port") if ports else row.get("port"))
    protocol = (plain(ports.get("protocol")) or plain(row.get("protocol")) or "").lower() or None
    status = STATES.get((first(row, STATE) or "").lower(), "open")
    times = order_times(status, first(row, FIRST_SEEN), first(row, LAST_SEEN), first(row, FIXED), received_at)
    facts = {**row, **plugin}
    cvss = score(*(facts.get(key) for key in CVSS))
    ranked = rate_by_score(severity(*_severities(row), plugin.get("risk_factor"), words=LEVELS), cvss)
    return Finding(
        source="tenable",
        key=_key(row, host.key, check, port, protocol),
        check=check,
        host=host.label,
        title=line(plugin.get("name")) or first(row, TITLE) or f"Plugin {check}",
        severity=ranked.level,
        severity_text=ranked.text,
        severity_given=ranked.given,
        **times,
        disposition="accepted" if _is_accepted(row) else None,
        asset_id=host.asset,
        port=port,
        protocol=protocol,
        cves=cves(plugin.get("cve"), plugin.get("cves"), row.get("cve"), row.get("definition_cve")),
        cvss=cvss,
        epss=score(facts.get("epss_score"), facts.get("epss"), high=1.0),
        known_exploited=is_known_exploited(facts),
        details=details(
            family=plugin.get("family") or row.get("family"),
            address=host.address if host.name else None,
            os=next(iter(as_list(asset.get("operating_system"))), None),
            vpr=score(*(facts.get(name) for name in VPR)),
            synopsis=facts.get("synopsis"),
            solution=facts.get("solution"),
            results=row.get("output") or row.get("plugin_output") or row.get("plugintext"),
        ),
    )


def _host(row: Mapping[str, object], asset: Mapping[str, object]) -> HostNames:
    names = HostNames(
        asset=first(asset, ASSET, 100) or first(row, FLAT_ASSET, 100),
        address=_one(asset, ADDRESS) or _one(row, ADDRESS),
        name=_one(asset, (*NAME, "name")) or _one(row, NAME),
    )
    if not any(names):
        raise MalformedRecord(
            "asset", "an asset with uuid, hostname or address (also as Host, ip, dnsName)", row.get("asset")
        )
    return names


def _one(record: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first value that is there; of a list, its first."""
    for name in names:
        value = record.get(name)
        text = line(next(iter(value), None) if isinstance(value, list) else value)
        if text is not None:
            return text
    return None


def _severities(row: Mapping[str, object]) -> Iterator[object]:
    stated = row.get("severity")
    yield from (stated.get("id"), stated.get("name")) if isinstance(stated, dict) else (stated,)
    yield row.get("severity_id")
    yield row.get("risk")


def _is_accepted(row: Mapping[str, object]) -> bool:
    changed = (plain(row.get("severity_modification_type")) or "").upper()
    return changed == "ACCEPTED" or bool(flag(row.get("acceptrisk")))


def _key(row: Mapping[str, object], place: str, check: str, port: int | None, protocol: str | None) -> str:
    """Asset, plugin, port, protocol; Security Center rows by their repository too, or by the fields that they name."""
    stated = row.get("repository")
    repository = plain(stated.get("id") if isinstance(stated, dict) else stated)
    if repository is None:
        return join_key("tenable", place, check, port, protocol)
    held = {**row, "repositoryid": repository, "pluginid": check, "port": port, "protocol": protocol}
    named = [name.strip().lower() for name in (plain(row.get("vulnuniqueness")) or "").split(",")][:12]
    if "pluginid" in named and any(plain(held.get(name)) for name in named if name not in ("pluginid", "repositoryid")):
        return join_key("tenable", "sc", *((plain(held.get(name)) or "").lower() for name in named))
    return join_key("tenable", "sc", repository, place, port, protocol, check)
