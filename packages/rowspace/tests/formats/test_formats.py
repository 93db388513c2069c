"""Files that earlier versions saved open with the same content or name the rebuild; later ones name the upgrade."""

import pytest
from tests.formats.make_fixtures import FIXTURES
from tests.formats.saved_content import check_fixtures
from tests.fuzz.saved_states import STATES

from rowspace.errors import FileFormatError
from rowspace.learn.word2vec import saved_state


def test_what_earlier_versions_have_saved_opens_with_the_same_content_or_names_the_rebuild(tmp_path):
    outdated = {
        f"{name}-{version}": f"the index has version {version}, this rowspace reads 4; build it again with --rebuild"
        for name in ("index", "index-bridge")
        for version in (1, 3)
    }
    check_fixtures(FIXTURES, STATES, tmp_path, outdated=outdated)


def test_a_fit_of_a_later_version_names_the_way_out(tmp_path, monkeypatch):
    make, read = STATES["fit-folder"]
    with monkeypatch.context() as patch:
        patch.setattr(saved_state, "VERSION", "2")  # as that version would write it
        path = make(tmp_path)
    with pytest.raises(
        FileFormatError, match="written by another version of rowspace; resume it with that one, or start"
    ):
        read(path)
