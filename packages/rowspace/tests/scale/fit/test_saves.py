"""A fit on several machines that is killed and resumed learns the rows of one that was not; another one is refused."""

import signal

import numpy as np
import pytest
from tests.scale.fit.simulated import fit_on, on_each

import rowspace as rs
from rowspace.errors import FileFormatError, FitDiverged, FitInterrupted, UsageError
from rowspace.learn import run_folder_of
from rowspace.learn.fit import Reports, run_fit
from rowspace.learn.word2vec.saved_state import save_state
from rowspace.scale import fit_machines
from rowspace.scale.fit import saves
from rowspace.scale.fit.machines import FailedElsewhere

OPTIONS = {"dim": 8, "epochs": 3, "workers": 1, "merge_every": 4000, "first_rows": 1024}


class KilledError(Exception):
    """Ends the first machine after a save."""


@pytest.fixture
def _dying_when_saved(monkeypatch):
    def save_and_die(state, folder):
        save_state(state, folder)
        raise KilledError

    monkeypatch.setattr(saves, "save_state", save_and_die)


@pytest.mark.usefixtures("_dying_when_saved")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"merging": "adaptive"},
        pytest.param({"deterministic": True, "workers": 2}, marks=pytest.mark.long),
        pytest.param({"subwords": True, "buckets": 700}, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_a_fit_that_dies_after_each_save_has_the_rows_of_one_that_does_not(options, english, tmp_path):
    options = OPTIONS | options
    expected = fit_on(2, english, **options)[0]
    found = fit_on(2, english, output=tmp_path / "table", **options)
    deaths = 0
    while isinstance(found[0], KilledError):
        assert isinstance(found[1], FailedElsewhere)
        found = fit_on(2, english, output=tmp_path / "table", resume=True, workers=options["workers"])
        deaths += 1
    assert deaths > options["epochs"]  # also within epochs
    for each in (*found, rs.load(tmp_path / "table")):
        assert each.vocabulary == expected.vocabulary
        np.testing.assert_array_equal(each.rows, expected.rows)
        np.testing.assert_array_equal(each.outputs, expected.outputs)
    assert found[0].settings | {"seconds": 0} == expected.settings | {"seconds": 0}
    assert not run_folder_of(tmp_path / "table").exists()


@pytest.fixture
def output(english, tmp_path, _dying_when_saved):
    """The output of a fit that was killed."""
    assert isinstance(fit_on(2, english, output=tmp_path / "table", **OPTIONS)[0], KilledError)
    return tmp_path / "table"


def assert_refused(found, kind, message):
    """One machine has the reason, and the others end too."""
    (reason,) = (each for each in found if not isinstance(each, FailedElsewhere))
    assert type(reason) is kind
    assert message in str(reason)


def test_another_fit_is_refused_and_the_state_is_kept(output, english, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text(english.read_text().replace("whale", "dolphin").replace(" the ", " some "))
    for count, corpus, options, message in (
        (3, english, {}, "the interrupted fit learns in 2 processes, not 3; resume it with as many"),
        (2, other, {}, "the text is not that of the interrupted fit; give the same files"),
        (2, english, {"dim": 9}, "the interrupted fit has dim=8, not 9; omit the option to resume"),
        (2, english, {"alpha": 0.01}, "the interrupted fit has alpha=0.035, not 0.01"),
        (2, english, {"first_rows": 64}, "the interrupted fit has first_rows=1024, not 64"),
        (2, english, {"merging": "adaptive"}, "the interrupted fit has merging='mean', not 'adaptive'"),
    ):
        assert_refused(fit_on(count, corpus, output=output, resume=True, **options), UsageError, message)
    with pytest.raises(UsageError, match=r"^the interrupted fit learns in 2 processes; resume it as it was started"):
        rs.fit(output=output, resume=True)
    assert isinstance(fit_on(2, english, output=output, resume=True, **OPTIONS)[0], KilledError)


@pytest.mark.parametrize("place", [100, 5_000, -100])
def test_a_damaged_state_is_refused(output, english, place):
    (path,) = run_folder_of(output).glob("*.safetensors")
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    assert_refused(fit_on(2, english, output=output, resume=True), FileFormatError, "is damaged (")


def test_what_cannot_be_resumed_is_refused(english, tmp_path):
    assert_refused(fit_on(2, english, resume=True), UsageError, "resume needs the output of the interrupted fit")
    found = fit_on(2, english, output=tmp_path / "table", resume=True)
    assert_refused(found, UsageError, "there is no interrupted fit in")

    def stop(*_):
        signal.raise_signal(signal.SIGTERM)

    with pytest.raises(FitInterrupted):
        run_fit(english, {"dim": 4}, output=tmp_path / "table", reports=Reports(on_epoch=stop))
    with pytest.raises(UsageError, match=r"^the interrupted fit is one of a single machine; resume it without"):
        fit_machines(english, output=tmp_path / "table", resume=True)


def test_the_state_of_a_fit_that_diverges_elsewhere_is_removed(tmp_path):
    folder = run_folder_of(tmp_path / "table")

    def fit(machines):
        with saves.open_saves(machines, tmp_path / "table", resume=False) as opened, machines.together():
            if machines.rank == 0:
                (opened.folder / "state.safetensors").write_bytes(b"")
            else:
                raise FitDiverged("alpha is too high")

    assert [type(each) for each in on_each(2, fit)] == [FailedElsewhere, FitDiverged]
    assert not folder.exists()
