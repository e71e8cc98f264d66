"""The image and the installation beside it, as far as they can be held without building one."""

import os
import re
import shlex
import subprocess
from configparser import ConfigParser
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from engine.cli import commands
from engine.runtime.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
IMAGE = (ROOT / "Containerfile").read_text().replace("\\\n", " ")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "hq-console"}
SETTINGS = {name for name, _, _ in Settings().listing()}


def instructions(name):
    return re.findall(rf"^{name} (.+)$", IMAGE, re.MULTILINE)


def copy_sources():
    """What comes from the repository."""
    lines = [line.split() for line in instructions("COPY") if not line.startswith("--from")]
    return [source for *sources, _ in lines for source in sources]


def test_what_is_copied_is_there_and_let_in():
    let_in = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    assert [name for name in copy_sources() if not (ROOT / name).exists()] == []
    assert set(copy_sources()) == let_in


def test_all_that_is_packaged_is_copied():
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg")
    packages = metadata["options.packages.find"]["include"].split()
    modules = [f"{name}.py" for name in metadata["options"]["py_modules"].split()]
    assert [name for name in packages if not any(fnmatch(given, name) for given in copy_sources())] == []
    assert set(modules) <= set(copy_sources())


def test_it_runs_as_nobody_in_particular():
    *_, last = instructions("USER")
    assert [int(part) for part in last.split(":")] == [10001, 10001]
    (made,) = [line for line in instructions("RUN") if "useradd" in line]
    assert "--uid 10001" in made
    assert "--owner 10001" in made


def test_it_is_the_python_that_the_program_asks_for():
    assert all("python:3.11-slim" in line for line in instructions("FROM"))


def command_of(words):
    """The command of hq that is named, its options checked."""
    command = commands.commands[words[0]]
    options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options
    command.make_context(words[0], list(words[1:]))  # click refuses wrong usage
    return command


def test_a_base_image_without_a_digest_is_refused():
    """A tag may be another image tomorrow; ``make images`` renews the digests."""
    bases = [line.split()[0] for line in instructions("FROM")]
    beside = [service["image"] for service in SERVICES.values() if service["image"] != "hq-console"]
    pinned = r"docker\.io/library/(python|postgres|redis):[a-z0-9.-]+@sha256:[0-9a-f]{64}"
    assert [image for image in bases + beside if re.fullmatch(pinned, image) is None] == []
    assert (len(bases), len(set(bases)), len(beside)) == (2, 1, 2)


def test_the_image_begins_with_a_command_that_there_is():
    (entry,), (words,) = instructions("ENTRYPOINT"), instructions("CMD")
    assert yaml.safe_load(entry) == ["hq"]
    command_of(yaml.safe_load(words))


@pytest.mark.parametrize("name", OURS)
def test_a_service_runs_a_command_that_there_is(name):
    command_of(OURS[name]["command"])
    match OURS[name]["healthcheck"]:
        case {"test": ["CMD", "hq", *words]}:
            command_of(words)
        case {"test": ["CMD", *words]}:
            (image,) = instructions("HEALTHCHECK")
            assert words == yaml.safe_load(image.partition("CMD ")[2])
        case other:
            assert (name, other) == ("migrate", {"disable": True})


def test_settings_that_are_named_exist():
    named = set(re.findall(r"\bSVC_[A-Z_]+", IMAGE + (ROOT / "compose.yaml").read_text()))
    assert named - SETTINGS == set()
    assert "SVC_DATA_DIR" in named


def test_what_serves_every_setting_can_be_read():
    """The settings of the services are such as the program takes."""
    given = {
        name: re.sub(r"\$\{[^}:]+:-([^}]*)\}", r"\1", value) for name, value in COMPOSE["x-hq"]["environment"].items()
    }
    given = {name: re.sub(r"\$\{[^}]+\}", "secret", value) for name, value in given.items()}
    settings = Settings.of(given)
    assert settings.database_url == "postgresql+psycopg://hq:secret@database/hq"
    assert settings.rate_limit_url == "redis://limits:6379"


def test_hosts_that_are_named_are_services():
    hosts = re.findall(r"(?:@|redis://)([a-z]+)[:/]", str(COMPOSE["x-hq"]["environment"]))
    assert set(hosts) == {"database", "limits"}
    assert set(hosts) <= SERVICES.keys()


def test_services_wait_for_those_that_they_need():
    for service in SERVICES.values():
        for name, how in service.get("depends_on", {}).items():
            waited = "service_completed_successfully" if name == "migrate" else "service_healthy"
            assert how == {"condition": waited}
            assert waited != "service_healthy" or "test" in SERVICES[name]["healthcheck"]


def test_all_that_stays_has_a_health_check_and_comes_back():
    assert "/api/health/db" in "".join(instructions("HEALTHCHECK"))
    for name, service in SERVICES.items():
        if name != "migrate":
            assert service["restart"] == "unless-stopped"
            assert service["healthcheck"]["test"][0] == "CMD"


def test_volumes_that_are_mounted_are_declared():
    mounted = {volume.partition(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert mounted == set(COMPOSE["volumes"])
    assert {volume for service in OURS.values() for volume in service["volumes"]} == {
        f"records:{shlex.split(instructions('VOLUME')[0])[0]}"
    }


def test_the_console_listens_to_this_machine_alone_and_its_parts_have_no_more_rights_than_they_need():
    assert SERVICES["console"]["ports"] == ["127.0.0.1:8080:8080"]
    assert "ports" not in {key for name, service in SERVICES.items() if name != "console" for key in service}
    for service in OURS.values():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])


@pytest.mark.real
def test_base_images_are_pinned_and_pinned_anew(tmp_path):
    """With a stand-in for skopeo: the registry is not asked."""
    for name in ("Containerfile", "compose.yaml"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    for digit in "ab":
        (tmp_path / "skopeo").write_text(f"#!/bin/sh\necho sha256:{digit * 64}\n")
        (tmp_path / "skopeo").chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        subprocess.run([ROOT / ".ci" / "images", tmp_path], check=True, env={"PATH": path}, capture_output=True)
        text = (tmp_path / "Containerfile").read_text() + (tmp_path / "compose.yaml").read_text()
        images = re.findall(r"docker\.io/library/[a-z]+:[a-z0-9.-]+(\S*)", text)
        assert set(images) == {f"@sha256:{digit * 64}"}
    (tmp_path / "skopeo").write_text("#!/bin/sh\necho denied\n")
    refused = subprocess.run([ROOT / ".ci" / "images", tmp_path], env={"PATH": path}, capture_output=True, text=True)
    assert (refused.returncode, "expected a digest, got 'denied'" in refused.stderr) == (1, True)
