"""Two towers rank held-out items, use features, and correct for the popularity of negatives."""

import numpy as np
import pytest
import torch

import rowspace as rs
from rowspace.errors import FileFormatError, UsageError
from rowspace.learn import evaluate_items, hold_out, read_interactions
from rowspace.learn.items.features import read_features
from rowspace.learn.items.options import ItemOptions
from rowspace.learn.items.two_tower import Tower, _Batches, _loss, learn_towers

GROUPS, ITEMS = 4, 15


@pytest.fixture(scope="module")
def baskets():
    """Users of four groups, each with six of the fifteen items of its group."""
    generator = np.random.default_rng(1)
    return {
        f"user {user}": [f"item {each + ITEMS * (user % GROUPS)}" for each in generator.choice(ITEMS, 6, replace=False)]
        for user in range(200)
    }


@pytest.mark.long
def test_towers_rank_held_out_items(baskets):
    learned, held_out = hold_out(read_interactions(baskets))
    model, again = (rs.fit_items(learned, model="two-tower", dim=16, epochs=6, batch_size=50) for _ in range(2))
    scores = evaluate_items(model, held_out, k=10)
    assert scores.recall > 0.6
    assert scores.popular_recall < 0.3
    np.testing.assert_array_equal(model.targets, again.targets)
    np.testing.assert_allclose(np.linalg.norm(model.items.rows, axis=1), 1, rtol=1e-5)
    with pytest.raises(UsageError, match="a two-tower model has no rows for new users"):
        model.recommend(["item 1"])


def test_features_place_items_that_few_users_have(baskets):
    some = dict(list(baskets.items())[:40])
    groups = {f"item {item}": [str(item // ITEMS)] for item in range(GROUPS * ITEMS)}
    learned, held_out = hold_out(read_interactions(some))
    plain, with_features = (
        evaluate_items(
            rs.fit_items(learned, model="two-tower", dim=16, epochs=10, batch_size=50, item_features=features),
            held_out,
            k=10,
        ).recall
        for features in (None, groups)
    )
    assert with_features > plain + 0.05


def test_loss_equals_a_softmax_in_numpy(baskets):
    interactions = read_interactions(dict(list(baskets.items())[:12]))
    none = read_features(None, interactions.users, "user"), read_features(None, interactions.items, "item")
    towers = [
        Tower(len(names), features, 4)
        for names, features in zip((interactions.users, interactions.items), none, strict=True)
    ]
    users, items = (tower.rows().astype(float) for tower in towers)
    batch = next(iter(_Batches(interactions, 30).shuffled(np.random.default_rng(0))))
    found = float(_loss(towers, batch, 0.3).detach())
    chosen, targets = batch[0].numpy(), batch[1].numpy()
    losses = []
    for user, target in zip(chosen, targets, strict=True):
        kept = [item for item in targets if item not in interactions.ids_of(user)]  # no item of the user is a negative
        scores = [users[user] @ items[item] / 0.3 - np.log(interactions.counts[item] / interactions.size)
                  for item in [target, *kept]]  # fmt: skip
        losses.append(np.logaddexp.reduce(scores) - scores[0])
    assert found == pytest.approx(np.mean(losses), rel=1e-5)


def test_popularity_is_corrected():
    """Without logQ, in-batch negatives would push a popular item away from users who have not got it yet."""
    generator = np.random.default_rng(0)
    baskets = [["hit", *(f"i{each}" for each in generator.choice(50, 3, replace=False))] for _ in range(400)]
    interactions = read_interactions(baskets)
    features = read_features(None, interactions.users, "user"), read_features(None, interactions.items, "item")
    options = ItemOptions(model="two-tower", dim=8, epochs=10, batch_size=200, temperature=0.2)
    users, items, _ = learn_towers(interactions, features, options, lambda *_: None)
    scores = users @ items.T
    assert interactions.items[0] == "hit"
    assert (scores[:, 0] > np.median(scores, axis=1)).mean() > 0.95


def test_features_are_ids_by_name(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item,kind,cold\nmilk,dairy,yes\nale,drink,yes\n")
    for features in (path, {"milk": ("dairy", "yes"), "ale": ("drink", "yes")}):
        ids, sizes = read_features(features, ["ale", "milk", "nuts"], "item")
        assert ids.tolist() == [[2, 1], [1, 1], [0, 0]]
        assert sizes == (3, 2)
    path.write_text("item,kind,cold\nwater\nmilk,dairy,yes\n")  # the first record is short
    ids, sizes = read_features(path, ["milk", "water"], "item")
    assert (ids.tolist(), sizes) == ([[2, 2], [1, 1]], (3, 3))


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({"milk": ["dairy"], "ale": ["drink", "cold"]}, "of 'ale' has 2 categories, but that of 'milk' has 1"),
        ({"milk": "dairy"}, "item_features of 'milk' must be a list of categories, not 'dairy'"),
        ({"Milk": ["dairy"]}, "item_features has none of the 2 items, such as 'ale'; check the names"),
        (7, "item_features must be a dict from names to lists of categories, or a path, not 7"),
    ],
)
def test_wrong_features_are_one_sentence(features, message):
    with pytest.raises(UsageError, match=message):
        read_features(features, ["ale", "milk"], "item")


def test_wrong_files_of_features(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("name,kind\nmilk,dairy\n")
    with pytest.raises(FileFormatError, match="line 2: there is no column 'item'; name the column of the items so"):
        read_features(path, ["milk"], "item")
    with pytest.raises(UsageError, match="a file of records has a name that ends in"):
        read_features(tmp_path / "items.txt", ["milk"], "item")


def test_torch_random_numbers_are_left_as_they_were(baskets):
    torch.manual_seed(5)
    before = torch.get_rng_state()
    rs.fit_items(dict(list(baskets.items())[:9]), model="two-tower", dim=2, epochs=1)
    assert (torch.get_rng_state() == before).all()


def test_workers_are_the_threads_of_torch(baskets):
    before, found = torch.get_num_threads(), set[int]()
    some = dict(list(baskets.items())[:9])
    for workers in (1, 2):
        rs.fit_items(some, model="two-tower", dim=2, epochs=1, workers=workers,
                     on_epoch=lambda _: found.add(torch.get_num_threads()))  # fmt: skip
    assert found == {1, 2}
    assert torch.get_num_threads() == before
