"""Alternating least squares equals a dense solution in NumPy, whatever the number of threads."""

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import FitDiverged, UsageError
from rowspace.learn import ItemOptions, read_interactions
from rowspace.learn.items import als
from rowspace.learn.items.als import factorize, fold_in, gram_of
from rowspace.learn.items.interactions import ByRow

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def interactions():
    """60 users and about 30 items with weights; one item belongs to almost everyone."""
    generator = np.random.default_rng(0)
    baskets = {}
    for user in range(60):
        items = generator.choice(30, generator.integers(1, 9), replace=False)
        baskets[str(user)] = {"all": 1} | {f"i{item}": int(generator.integers(1, 5)) for item in items}
    return read_interactions(baskets)


def dense_weights(interactions):
    matrix = np.zeros((len(interactions.users), len(interactions.items)))
    starts, ids, weights = interactions.by_user
    matrix[np.repeat(np.arange(len(matrix)), np.diff(starts)), ids] = weights
    return matrix


def dense_rows(weights, fixed, options):
    """Return the exact rows for `weights` (n, m), by the normal equations of Hu, Koren & Volinsky (2008), section 4."""
    rows = np.zeros((len(weights), fixed.shape[1]))
    for row, some in enumerate(weights):
        confidence = 1 + options.confidence * some
        matrix = fixed.T @ (confidence[:, None] * fixed) + options.regularization * np.eye(fixed.shape[1])
        rows[row] = np.linalg.solve(matrix, fixed.T @ (confidence * (some > 0)))
    return rows


EXACT = 40  # steps that solve each system


def test_epochs_equal_dense_solutions(interactions):
    options = ItemOptions(dim=6, epochs=3, confidence=4.0, regularization=0.7, workers=2)
    users, items, losses = factorize(interactions, options, lambda *_: None, steps=EXACT)
    weights = dense_weights(interactions)
    generator = np.random.default_rng(options.seed)
    expected = generator.normal(0, 0.1 / np.sqrt(6), (len(interactions.users), 6))
    for _ in range(3):
        wanted = dense_rows(weights.T, expected, options)
        expected = dense_rows(weights, wanted, options)
    np.testing.assert_allclose(users, expected, atol=2e-3)
    np.testing.assert_allclose(items, wanted, atol=2e-3)
    errors = (1 + options.confidence * weights) * ((weights > 0) - expected @ wanted.T) ** 2
    loss = errors.sum() + options.regularization * ((expected**2).sum() + (wanted**2).sum())
    assert losses[-1] == pytest.approx(loss / errors.size, rel=1e-3)
    assert losses == sorted(losses, reverse=True)


def test_few_steps_reach_almost_the_same_loss(interactions):
    options = ItemOptions(dim=8, epochs=8, confidence=4.0, regularization=0.7, workers=1)
    loss = factorize(interactions, options, lambda *_: None)[2][-1]
    assert loss == pytest.approx(factorize(interactions, options, lambda *_: None, steps=EXACT)[2][-1], rel=0.02)


def test_rows_do_not_depend_on_the_number_of_threads():
    generator = np.random.default_rng(1)
    interactions = read_interactions([generator.choice(30, 3, replace=False).tolist() for _ in range(3 * als.BLOCK)])
    one, three = (
        factorize(interactions, ItemOptions(dim=5, epochs=2, workers=workers), lambda *_: None) for workers in (1, 3)
    )
    for ours, other in zip(one, three, strict=True):
        np.testing.assert_array_equal(ours, other)


def test_known_users_have_the_rows_of_their_items(interactions):
    options = ItemOptions(dim=6, epochs=4, confidence=4.0, regularization=0.7)
    users, items, _ = factorize(interactions, options, lambda *_: None, steps=EXACT)
    np.testing.assert_allclose(fold_in(items, gram_of(items), interactions.by_user, options), users, atol=2e-3)


def test_gram_is_the_sum_of_outer_products():
    rows = np.random.default_rng(1).normal(size=(2_500, 5)).astype(np.float32)
    np.testing.assert_allclose(gram_of(rows), rows.astype(float).T @ rows.astype(float), rtol=1e-5, atol=1e-3)


def test_loss_is_that_of_implicit(interactions):
    """`implicit` (Frederickson) minimizes the same function."""
    from implicit.cpu.als import AlternatingLeastSquares
    from scipy import sparse

    options = ItemOptions(dim=8, epochs=50, confidence=4.0, regularization=0.7, workers=1)
    peer = AlternatingLeastSquares(8, regularization=0.7, alpha=4.0, iterations=50, random_state=1, num_threads=1)
    weights = dense_weights(interactions)
    peer.fit(sparse.csr_matrix(weights.astype(np.float32)), show_progress=False)
    users, items = peer.user_factors, peer.item_factors
    errors = (1 + 4.0 * weights) * ((weights > 0) - users @ items.T) ** 2
    loss = (errors.sum() + 0.7 * ((users**2).sum() + (items**2).sum())) / errors.size
    assert factorize(interactions, options, lambda *_: None)[2][-1] == pytest.approx(loss, rel=0.01)


def test_weights_that_are_too_large_to_learn_are_an_error():
    for weight in (1e13, 1e15, 1e30):
        baskets = {user: dict.fromkeys(items, weight) for user, items in (("u", "ab"), ("v", "ac"), ("w", "bc"))}
        with (
            np.errstate(over="ignore", invalid="ignore"),  # kernels in Python warn
            pytest.raises(FitDiverged, match="the loss of epoch 1 is nan; give smaller weights or a smaller"),
        ):
            rs.fit_items(baskets, dim=2, workers=1)


def test_a_new_user_whose_weights_are_too_large_is_an_error():
    model = rs.fit_items([["a", "b"], ["a", "c"], ["b", "c"]], dim=2, workers=1)
    basket = ByRow(np.array([0, 2]), np.array([0, 1], np.int32), np.full(2, 1e30, np.float32))
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(UsageError, match="a row is not finite; give sm"):
        model.rows_of(basket)


def test_settings_say_how_the_rows_were_learned(interactions):
    model = rs.fit_items(interactions, dim=4, epochs=2, workers=1)
    assert model.items.settings["kind"] == "item"
    assert model.users.settings["kind"] == "user"
    assert model.items.settings["confidence"] == ItemOptions().confidence
    assert "window" not in model.items.settings
    assert len(model.items.settings["losses"]) == 2
    assert model.items.counts.tolist() == interactions.counts.tolist()
    assert model.users.counts.tolist() == np.diff(interactions.by_user.starts).tolist()
