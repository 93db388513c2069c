"""t-SNE and UMAP: clusters stay together, a seed makes them deterministic, and UMAP equals umap-learn."""

import sys
import warnings

import numpy as np
import pytest

from rowspace.errors import MissingExtraError, UsageError
from rowspace.space import map_neighbors, neighborhood_preservation, tsne, tsne_umap, umap

MAPS = {"tsne": lambda rows, **options: tsne(rows, steps=120, **options), "umap": umap}

EACH_MAP = ["tsne", pytest.param("umap", marks=pytest.mark.long)]  # UMAP compiles for half a minute


@pytest.fixture(scope="module")
def groups() -> np.ndarray:
    """Four groups of 40 rows in 10 dimensions."""
    rng = np.random.default_rng(0)
    return (np.repeat(rng.normal(size=(4, 10)), 40, axis=0) + rng.normal(0, 0.2, (160, 10))).astype(np.float32)


@pytest.mark.parametrize("name", EACH_MAP)
def test_clusters_stay_together(name: str, groups) -> None:
    positions = MAPS[name](groups)
    assert positions.shape == (160, 2)
    assert positions.dtype == np.float32
    assert neighborhood_preservation(groups, positions).share > 0.3
    middle = positions.reshape(4, 40, 2).mean(1, keepdims=True)
    spread = np.linalg.norm(positions.reshape(4, 40, 2) - middle, axis=2).mean()
    assert np.linalg.norm(middle - middle[:, 0], axis=2)[~np.eye(4, dtype=bool)].min() > 3 * spread


@pytest.mark.parametrize("name", EACH_MAP)
def test_last_frame_equals_the_map(name: str, groups) -> None:
    frames = []
    positions = MAPS[name](groups, on_frame=lambda *frame: frames.append(frame))
    steps = [step for step, _, _ in frames]
    assert steps == sorted(steps)
    assert frames[-1][0] == frames[-1][1] in (120, 200)
    np.testing.assert_array_equal(frames[-1][2], positions)
    np.testing.assert_array_equal(MAPS[name](groups), positions)  # deterministic, with or without frames


@pytest.mark.parametrize("name", EACH_MAP)
def test_non_finite_rows_have_no_position(name: str, groups) -> None:
    rows = groups[:50].copy()
    rows[[0, 9]] = np.nan
    positions = MAPS[name](rows)
    assert np.flatnonzero(np.isnan(positions).any(1)).tolist() == [0, 9]


@pytest.mark.parametrize("name", EACH_MAP)
def test_few_or_equal_rows_are_mapped(name: str, groups) -> None:
    assert np.isfinite(MAPS[name](groups[:8])).all()
    twice = np.repeat(groups[::10], 3, axis=0)
    assert np.isfinite(MAPS[name](twice)).all()


@pytest.mark.parametrize("name", EACH_MAP)
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.eye(7), "needs 8 rows of 2 numbers or more, got 7 of 7"),
        (np.ones((20, 1)), "got 20 of 1"),
        (np.ones((20, 3)), "all rows have the same direction"),
    ],
)
def test_rows_without_neighborhoods_are_refused(name: str, rows, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        MAPS[name](rows)


@pytest.mark.long
def test_umap_equals_umap_learn(groups) -> None:
    with warnings.catch_warnings(action="ignore"):
        from umap import UMAP

    _, ids, distances = map_neighbors(groups, 14)
    frames = tsne_umap._Frames(groups, 50, None, None, 0, None)
    itself = np.arange(160)[:, np.newaxis]
    known = (np.hstack([itself, ids]), np.hstack([itself * np.float32(0), distances]))
    peer = UMAP(
        n_epochs=50,
        random_state=0,
        n_jobs=1,
        precomputed_knn=known,
        init=frames.start(0, spread=1),
        force_approximation_algorithm=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # umap-learn advises against precomputed neighbors for small data
        expected = peer.fit_transform(frames.units)
    np.testing.assert_array_equal(umap(groups, steps=50), expected)


@pytest.mark.parametrize(("make", "module"), [(tsne, "openTSNE"), (umap, "umap")])
def test_missing_library_error_gives_the_install_command(monkeypatch: pytest.MonkeyPatch, make, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[analysis\]'"):
        make(np.eye(9))


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (tsne, {"perplexity": 0.5}, "perplexity is a number of neighbors and must be 1 or more, got 0.5"),
        (tsne, {"perplexity": float("nan")}, "perplexity is a number of neighbors and must be 1 or more, got nan"),
        (tsne, {"steps": 0}, "steps must be 1 or more, got 0"),
        (umap, {"num_neighbors": 1}, "num_neighbors counts the row itself and must be 2 or more, got 1"),
        (umap, {"steps": 0}, "steps must be 1 or more, got 0"),
    ],
)
def test_invalid_option_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch, make, options, message: str) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)  # found before UMAP is imported, which takes a minute at first
    with pytest.raises(UsageError, match=message):
        make(np.random.default_rng(0).normal(size=(20, 3)), **options)


@pytest.mark.parametrize("name", EACH_MAP)
def test_precomputed_neighbors_give_the_same_map(name: str, groups) -> None:
    found = map_neighbors(groups, 158)
    np.testing.assert_array_equal(MAPS[name](groups, neighbors=found), MAPS[name](groups))


@pytest.mark.parametrize("name", EACH_MAP)
def test_too_few_precomputed_neighbors_are_refused(name: str, groups) -> None:
    with pytest.raises(UsageError, match=r"neighbors must hold at least [0-9]+ per row, got 2"):
        MAPS[name](groups, neighbors=map_neighbors(groups, 2))


@pytest.mark.parametrize("name", EACH_MAP)
def test_sample_is_mapped_like_a_table_of_its_rows(name: str, groups) -> None:
    groups = groups.copy()
    groups[3] = np.nan
    positions = MAPS[name](groups, sample=60)
    mapped = np.flatnonzero(np.isfinite(positions).all(1))
    assert len(mapped) == 60
    np.testing.assert_array_equal(positions[mapped], MAPS[name](groups[mapped]))
