import hashlib
import json

import numpy as np
import pytest

from rowspace.errors import FileFormatError, UsageError
from rowspace.store.native.manifest import FileRecord, Manifest, plain_settings


@pytest.fixture
def manifest():
    return Manifest(
        num_embeddings=3,
        embedding_dim=2,
        dtype="float32",
        unknown_rows=1,
        own_tokenizer=False,
        settings={"window": 5, "loss": [float("inf"), 0.1], "text": "né\ud800"},
        versions={"numpy": "2"},
        files={"model.safetensors": FileRecord(100, "ab")},
    )


def forged(manifest, **changes):
    """Return a changed manifest with a valid checksum."""
    document = {**json.loads(manifest.to_bytes()), **changes}
    document = {name: value for name, value in document.items() if name != "sha256" and value is not None}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return json.dumps({**document, "sha256": hashlib.sha256(text.encode()).hexdigest()}).encode()


def test_manifest_round_trips(manifest):
    assert Manifest.from_bytes(manifest.to_bytes(), "x") == manifest
    assert Manifest.from_bytes(forged(manifest), "x") == manifest  # key order and whitespace do not matter


def test_changed_byte_is_refused_or_has_no_effect(manifest):
    data = manifest.to_bytes()
    for place in range(len(data)):
        for value in {data[place] ^ 1, data[place] ^ 128, ord("9"), ord(" "), ord('"'), 0} - {data[place]}:
            damaged = data[:place] + bytes([value]) + data[place + 1 :]
            try:
                assert Manifest.from_bytes(damaged, "x") == manifest
            except FileFormatError:
                continue


def test_truncated_manifest_is_refused(manifest):
    data = manifest.to_bytes().rstrip()
    for length in range(len(data)):
        with pytest.raises(FileFormatError):
            Manifest.from_bytes(data[:length], "x")


def test_newer_format_version_error_suggests_an_upgrade(manifest):
    with pytest.raises(FileFormatError, match=r"format version 2 of a newer rowspace.*pip install -U rowspace"):
        Manifest.from_bytes(forged(manifest, format_version=2, news="of that version"), "x")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"format": "something else"}, "'format' is not 'rowspace table'"),
        ({"num_embeddings": -1}, "'num_embeddings' has an invalid value: -1"),
        ({"embedding_dim": True}, "'embedding_dim' has an invalid value"),
        ({"dtype": 5}, "'dtype' has an invalid value"),
        ({"unknown_rows": 1.5}, "'unknown_rows' has an invalid value"),
        ({"own_tokenizer": 0}, "'own_tokenizer' has an invalid value"),
        ({"settings": []}, "'settings' has an invalid value"),
        ({"versions": "2"}, "'versions' has an invalid value"),
        ({"files": []}, "'files' has an invalid value"),
        ({"files": {"a": 5}}, "'files' has an invalid value"),
        ({"files": {"a": {"size": 5}}}, "'files' has an invalid value"),
        ({"files": {"a": {"size": -5, "sha256": ""}}}, "'files' has an invalid value"),
        ({"files": {"a": {"size": 5, "sha256": 7}}}, "'files' has an invalid value"),
        ({"dtype": None}, "must hold num_embeddings"),
        ({"more": 1}, "must hold num_embeddings"),
    ],
)
def test_forged_manifest_error_names_the_field(manifest, changes, complaint):
    with pytest.raises(FileFormatError, match=f"^x: .*{complaint}"):
        Manifest.from_bytes(forged(manifest, **changes), "x")


def test_settings_become_plain_json_values():
    settings = {
        "a": np.float32(0.5),
        "b": np.arange(2),
        "c": (1, None),
        "d": {"e": np.bool_(True)},
        "f": float("nan"),
    }
    plain = plain_settings(settings)
    assert plain.pop("f") != 0
    assert plain == {"a": 0.5, "b": [0, 1], "c": [1, None], "d": {"e": True}}


def test_setting_that_json_cannot_represent_is_named_in_the_error():
    circle: list[object] = []
    circle.append(circle)
    for value, complaint in [(object(), "a object"), (circle, "Circular"), (b"x", "a bytes")]:
        with pytest.raises(UsageError, match=f"setting 'odd' cannot be saved: {complaint}"):
            plain_settings({"fine": 1, "odd": value})
    with pytest.raises(UsageError, match="setting 5 cannot be saved: its name must be text"):
        plain_settings({5: 1})
