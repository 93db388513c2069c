"""Runs and arenas that earlier versions saved open with the same content."""

from pathlib import Path

from tests.formats.saved_content import check_fixtures
from tests.fuzz.saved_runs import STATES


def test_what_earlier_versions_have_saved_opens_with_the_same_content(tmp_path):
    check_fixtures(Path(__file__).with_name("fixtures"), STATES, tmp_path)
