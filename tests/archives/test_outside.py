"""An archive in the hands of somebody who has nothing of ours: coreutils, OpenSSL, the public DSSE library, a bare Python."""

import json
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

BARE = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


@pytest.fixture
def folder(make, tmp_path):
    """The archive unpacked by unzip, in a folder of its own."""
    path = make().path
    target = tmp_path / "assessor" / "bundle"
    target.mkdir(parents=True)
    with zipfile.ZipFile(path) as opened:
        opened.extractall(target)
    return target


def run(folder, command):
    return subprocess.run(["bash", "-euc", command], cwd=folder, env=BARE, capture_output=True, text=True)


def commands(folder):
    """The indented commands of the README, in order."""
    text = (folder / "README.md").read_text()
    return [block.strip() for block in re.findall(r"(?:^    .+\n)+", text, re.MULTILINE)]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="coreutils")
def test_sha256sum_finds_every_file_ok(folder):
    sums, *_ = commands(folder)
    assert sums == "sha256sum -c SHA256SUMS"
    done = run(folder, sums)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{path.name}: OK" for path in sorted(folder.iterdir()) if path.name != "SHA256SUMS"
    ]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="OpenSSL")
def test_openssl_verifies_the_signature_as_the_readme_says(folder, key):
    signature, fingerprint = commands(folder)[3:5]
    done = run(folder, signature)
    assert (done.returncode, done.stdout.strip()) == (0, "Signature Verified Successfully")
    done = run(folder, fingerprint.splitlines()[0])
    assert done.stdout.split()[0] == key.id == fingerprint.splitlines()[1].strip()
    (folder / "manifest.json").write_bytes((folder / "manifest.json").read_bytes() + b" ")
    assert run(folder, signature).returncode == 1


def test_a_bare_python_checks_all_of_it(folder):
    done = subprocess.run([sys.executable, "-I", "verify.py"], cwd=folder, env=BARE, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert commands(folder)[1] == "python3 -I verify.py"
    assert done.stdout.startswith("ok: bundle of acme, 9 files hold\n")


def test_the_script_can_stand_elsewhere(folder, tmp_path):
    script = shutil.copy(folder / "verify.py", tmp_path / "script.py")
    done = subprocess.run([sys.executable, "-I", script, folder], cwd="/", env=BARE, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_follows_no_link(folder):
    (folder / "elsewhere").write_bytes((folder / "soc2.csv").read_bytes())
    (folder / "soc2.csv").unlink()
    (folder / "soc2.csv").symlink_to(folder / "elsewhere")
    done = subprocess.run([sys.executable, "-I", "verify.py"], cwd=folder, env=BARE, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "broken: soc2.csv: is missing\n")


def test_securesystemslib_opens_the_envelope_and_accepts_the_signature(folder, key):
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    public = load_pem_public_key((folder / "signing_key.pem").read_bytes())
    theirs = SSlibKey.from_crypto(public, keyid=key.id)
    envelope = Envelope.from_dict(json.loads((folder / "manifest.dsse.json").read_bytes()))
    assert envelope.payload == (folder / "manifest.json").read_bytes()
    assert envelope.payload_type == "application/vnd.in-toto+json"
    assert list(envelope.verify([theirs], threshold=1)) == [key.id]
    envelope.payload += b" "
    with pytest.raises(VerificationError):
        envelope.verify([theirs], threshold=1)
