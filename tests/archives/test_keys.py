"""The signing key: made once, kept to ourselves; and the arithmetic of the script inside against a public library."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.archives.verification import verify
from engine.model.errors import Unavailable, Usage
from engine.runtime.keys.signing_keys import public_key, signing_key
from engine.runtime.settings import Settings
from tests.laws import examples

# RFC 8032, section 7.1: secret key, public key, message, signature
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


def test_a_key_is_made_on_first_use_and_then_kept(tmp_path):
    path = tmp_path / "var" / "signing.key"
    first = signing_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert signing_key(path).id == first.id
    assert list(path.parent.iterdir()) == [path]


def test_threads_that_come_first_together_get_one_key(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: signing_key(tmp_path / "signing.key").id, range(8)))
    assert len(set(keys)) == 1


def test_the_key_is_where_the_setting_says(tmp_path):
    assert Settings.of({"SVC_DATA_DIR": str(tmp_path)}).signing_key_path == tmp_path / "signing.key"
    assert Settings.of({"SVC_SIGNING_KEY_FILE": "/run/key"}).signing_key_path.as_posix() == "/run/key"


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_file_without_a_key_is_named(content, tmp_path):
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(Usage, match="SVC_SIGNING_KEY_FILE must hold an unencrypted private key"):
        signing_key(tmp_path / "key")


def test_a_key_of_another_kind_is_refused(tmp_path):
    key = rsa.generate_private_key(65537, 2048)
    (tmp_path / "key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(Usage, match="Ed25519"):
        signing_key(tmp_path / "key")
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(ValueError, match="another kind"):
        public_key(pem)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match=r"\(SVC_SIGNING_KEY_FILE\) cannot be read: Not a directory"):
        signing_key(tmp_path / "file" / "signing.key")


@pytest.mark.parametrize(("secret", "public", "message", "signature"), VECTORS)
def test_the_script_knows_the_signatures_of_rfc_8032(secret, public, message, signature):
    public, message, signature = map(bytes.fromhex, (public, message, signature))
    assert verify.signed(public, message, signature)
    assert not verify.signed(public, message + b"x", signature)


@settings(max_examples=examples(25), deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=80), st.integers(0, 511), st.integers(0, 255))
def test_the_script_accepts_what_the_library_signs_and_nothing_else(seed, message, bit, key_bit):
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = private.public_key().public_bytes_raw(), private.sign(message)
    assert verify.signed(public, message, signature)
    assert not verify.signed(public, message, flip(signature, bit))
    assert not verify.signed(flip(public, key_bit), message, signature)


def test_the_script_refuses_a_signature_beyond_the_order():
    public, message, signature = (bytes.fromhex(part) for part in VECTORS[0][1:])
    beyond = int.from_bytes(signature[32:], "little") + verify.L
    assert not verify.signed(public, message, signature[:32] + beyond.to_bytes(32, "little"))
    assert not verify.signed(public[:31], message, signature)
    assert not verify.signed(public, message, signature[:63])
    assert not verify.signed(b"\xff" * 32, message, signature)


def flip(data, bit):
    return bytes(byte ^ (1 << bit % 8 if place == bit // 8 else 0) for place, byte in enumerate(data))
