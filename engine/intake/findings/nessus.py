"""A ``.nessus`` file, version 2: hosts with their report items, as XML or as JSON of it.

The file knows no states: every item is open when the host's scan ended. Times are of the scanner without its zone,
except for the newer ones that count seconds.
"""

from collections.abc import Iterator, Mapping

from engine.intake.findings.layout import Layout
from engine.intake.findings.nesting import step, texts_of, under
from engine.intake.values import as_list, fold, mapping, plain

ROOT = "nessusclientdata_v2"
EXPECTED = "NessusClientData_v2.Report.ReportHost[].ReportItem[]"


def nessus_layout(body: object) -> Layout | None:
    """The items of a file as rows with asset and plugin; None for any other body."""
    reports = step([body], ROOT)
    if reports is None:
        return None
    hosts = [fold(mapping(host)) for host in under(reports, "report", "reporthost")]
    assets = [_asset(host) for host in hosts]
    items = [row for number, host in enumerate(hosts) for row in _rows(f"ReportHost[{number}]", host, assets[number])]
    named = {str(asset.get("fqdn") or asset.get("hostname") or asset.get("ipv4") or "") for asset in assets}
    return Layout(items, fold(mapping(body)), EXPECTED, "tenable", hosts=frozenset(named - {""}))


def _asset(host: Mapping[str, object]) -> dict[str, object]:
    """What the tags say of a host; its name in the report may be an address too."""
    tags = {_attribute(tag, "name"): _text(tag) for tag in under([host], "hostproperties", "tag")}
    name, address = _attribute(host, "name"), tags.get("host-ip")
    return {
        "ipv4": address or name,
        "fqdn": tags.get("host-fqdn") or tags.get("hostname"),
        "hostname": tags.get("netbios-name") or (name if name != address else None),
        "operating_system": tags.get("operating-system"),
        "seen": tags.get("HOST_END_TIMESTAMP") or tags.get("HOST_END"),
    }


def _rows(path: str, host: Mapping[str, object], asset: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for index, entry in enumerate(as_list(host.get("reportitem"))):
        if not isinstance(entry, dict):
            yield f"{path}.ReportItem[{index}]", entry
            continue
        item = texts_of(fold(entry))
        plugin = {
            **item,
            "id": _attribute(item, "pluginid"),
            "name": _attribute(item, "pluginname") or item.get("plugin_name"),
            "family": _attribute(item, "pluginfamily"),
            "kev": plain(item.get("cisa_known_exploited")) is not None,  # the day on which it was listed
        }
        yield (
            f"{path}.ReportItem[{index}]",
            {
                "asset": asset,
                "plugin": plugin,
                "severity": _attribute(item, "severity"),
                "port": _attribute(item, "port"),
                "protocol": _attribute(item, "protocol"),
                "output": item.get("plugin_output"),
                "last_found": asset["seen"],
            },
        )


def _attribute(element: object, name: str) -> str | None:
    """An attribute, whether or not a converter marked it as one."""
    held = mapping(element)
    return plain(held.get(f"@{name}", held.get(f"_{name}", held.get(name))))


def _text(element: object) -> str | None:
    held = mapping(element)
    return plain(held.get("#text", held.get("value", held.get("_"))) if held else element)
