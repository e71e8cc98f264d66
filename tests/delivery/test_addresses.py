"""What an outbound webhook may reach."""

import csv
import re
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from engine.delivery.addresses import AddressRefusal, WebhookTarget, is_public, resolve, vet

REGISTRIES = Path(__file__).parents[2] / "data" / "addresses"
MAPPED = ip_network("::ffff:0:0/96")  # judged by the address inside
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "2001:4860:4860::8888", "::ffff:8.8.8.8"]
INSIDE = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.8.8.8", "169.254.169.254", "172.16.0.1", "172.31.255.255",
    "192.0.0.1", "192.0.0.8", "192.0.0.9", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.31.196.1", "192.52.193.1", "192.175.48.1",
    "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:a00:1::", "2002:808:808::1", "3fff::1", "5f00::1",
    "100:0:0:1::1", "2001:1::1", "2001:4:112::1", "2620:4f:8000::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "2606:2800:220:1::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_reached(address):
    assert is_public(ip_address(address))


@pytest.mark.parametrize("version", [4, 6])
def test_no_block_that_iana_set_aside_is_called_at_its_edges_or_in_its_middle(version):
    with (REGISTRIES / f"ipv{version}.csv").open() as file:
        blocks = [ip_network(row["block"]) for row in csv.DictReader(file)]
    reached = [
        str(block[place])
        for block in blocks
        for place in (0, block.num_addresses // 2, -1)
        if is_public(block[place]) and not block.overlaps(MAPPED)
    ]
    assert (len(blocks), reached) == ({4: 26, 6: 25}[version], [])


def test_the_registry_says_of_which_day_it_is():
    assert re.search(r"as of 20\d\d-\d\d-\d\d", (REGISTRIES / "README.md").read_text())


@pytest.mark.parametrize("address", INSIDE)
def test_every_other_address_is_refused(address):
    assert not is_public(ip_address(address))
    with pytest.raises(AddressRefusal, match="not on the public internet"):
        vet(["8.8.8.8", address])


def test_what_is_no_address_is_refused():
    with pytest.raises(AddressRefusal, match="not on the public internet"):
        vet(["nonsense"])
    with pytest.raises(AddressRefusal, match="has no address"):
        vet([])


@pytest.mark.parametrize("name", ["0x7f000001", "2130706433", "0177.0.0.1", "127.1", "127.0.0.1", "localhost"])
def test_spellings_of_this_machine_are_seen_through_once_they_are_resolved(name):
    with pytest.raises(AddressRefusal):
        vet(resolve(name, 443))


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://hooks.example.com/", "https://"),
        ("ftp://hooks.example.com/", "https://"),
        ("hooks.example.com", "https://"),
        ("https:///path", "https://"),
        ("https://user:secret@hooks.example.com/", "user name"),
        ("https://user@hooks.example.com/", "user name"),
        ("https://hooks.example.com:22/", "443 or 8443"),
        ("https://hooks.example.com:0/", "443 or 8443"),
        ("https://hooks.example.com:99999/", "not a URL"),
        ("https://[::1/", "not a URL"),
        ("https://intranet/", "public name"),
        ("https://localhost/", "public name"),
        ("https://printer.local/", "public name"),
        ("https://metadata.google.internal/", "public name"),
        ("https://0x7f000001/", "public name"),
        ("https://2130706433/", "public name"),
        ("https://hooks..example.com/", "not a name"),
        ("https://-hooks.example.com/", "not a name"),
        ("https://hooks.example.com%2f.evil.example/", "not a name"),
        ("https://ho oks.example.com/", "not a name"),
        ("https://hooks.example.com/a b", "percent-encoded"),
        ("https://hooks.example.com/ü", "percent-encoded"),
        (f"https://{'a' * 64}.example.com/", "not a name"),
    ],
)
def test_urls_that_are_not_called(url, problem):
    with pytest.raises(AddressRefusal, match=problem):
        WebhookTarget.of(url)


@pytest.mark.parametrize(
    ("url", "target", "header"),
    [
        ("https://hooks.example.com", WebhookTarget("hooks.example.com", 443, "/"), "hooks.example.com"),
        (
            "HTTPS://Hooks.Example.COM.:443/a?b=c#d",
            WebhookTarget("hooks.example.com", 443, "/a?b=c"),
            "hooks.example.com",
        ),
        ("https://hooks.example.com:8443/", WebhookTarget("hooks.example.com", 8443, "/"), "hooks.example.com:8443"),
        ("https://bücher.example/", WebhookTarget("xn--bcher-kva.example", 443, "/"), "xn--bcher-kva.example"),
        ("https://\uff11\uff12\uff17.0.0.1/", WebhookTarget("127.0.0.1", 443, "/"), "127.0.0.1"),
        ("https://[2001:4860::8888]/", WebhookTarget("2001:4860::8888", 443, "/"), "[2001:4860::8888]"),
    ],
)
def test_urls_that_may_be_called(url, target, header):
    assert (WebhookTarget.of(url), WebhookTarget.of(url).host_header) == (target, header)
