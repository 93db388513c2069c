"""Compare what a fixture holds with what was read of it when it was made."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from tests.fuzz.saved_states import States

from rowspace.errors import FileFormatError


def check_fixtures(
    fixtures: Path, states: States, tmp_path: Path, *, outdated: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Open each fixture of a folder, of which there must be one for each state.

    Args:
        fixtures: The folder.
        states: How each state is read.
        tmp_path: Where the fixtures are extracted.
        outdated: The message for each fixture that must be refused, since its format is no longer read.
    """
    found = sorted(fixtures.glob("*.zip"))
    assert {fixture.stem.rpartition("-")[0] for fixture in found} == set(states)
    for fixture in found:
        folder = tmp_path / fixture.stem
        with zipfile.ZipFile(fixture) as archive:
            archive.extractall(folder)
        path = folder / "sample" / (folder / "path.txt").read_text()
        _, read = states[fixture.stem.rpartition("-")[0]]
        if fixture.stem in outdated:
            with pytest.raises(FileFormatError, match=outdated[fixture.stem]):
                read(path)
            continue
        assert_same(json.loads(json.dumps(read(path))), json.loads((folder / "content.json").read_text()), fixture.stem)


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
