"""What earlier versions have saved opens with the same content; what later versions will save names the upgrade."""

import json
import zipfile

import numpy as np
import pytest
from tests.formats.make_fixtures import FIXTURES
from tests.fuzz.saved_states import STATES

from rowspace.errors import FileFormatError
from rowspace.learn.word2vec import saved_state


@pytest.fixture
def unpacked(tmp_path):
    """`unpacked(fixture)`: the path to open, and all that was read of it when it was made."""

    def unpack(fixture):
        with zipfile.ZipFile(fixture) as archive:
            archive.extractall(tmp_path / fixture.stem)
        folder = tmp_path / fixture.stem
        return folder / "sample" / (folder / "path.txt").read_text(), json.loads((folder / "content.json").read_text())

    return unpack


def assert_same(found, expected, where):
    """Compare nested lists and dicts; floats may differ by what another processor rounds."""
    assert type(found) is type(expected), where
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
    if isinstance(expected, dict | list):
        pairs = expected.items() if isinstance(expected, dict) else enumerate(expected)
        assert len(found) == len(expected), where
        for key, value in pairs:
            assert_same(found[key], value, f"{where}/{key}")
    elif isinstance(expected, float):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=where)
    else:
        assert found == expected, where


def test_what_earlier_versions_have_saved_opens_with_the_same_content(unpacked):
    fixtures = sorted(FIXTURES.glob("*.zip"))
    assert {fixture.stem.rpartition("-")[0] for fixture in fixtures} == set(STATES)
    for fixture in fixtures:
        path, expected = unpacked(fixture)
        _, read = STATES[fixture.stem.rpartition("-")[0]]
        assert_same(json.loads(json.dumps(read(path))), expected, fixture.stem)


def test_a_fit_of_a_later_version_names_the_way_out(tmp_path, monkeypatch):
    make, read = STATES["fit-folder"]
    with monkeypatch.context() as patch:
        patch.setattr(saved_state, "VERSION", "2")  # as that version would write it
        path = make(tmp_path)
    with pytest.raises(
        FileFormatError, match="written by another version of rowspace; resume it with that one, or start"
    ):
        read(path)
