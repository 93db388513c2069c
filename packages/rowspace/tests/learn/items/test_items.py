"""`fit_items`: each model finds the groups of generated baskets; recommendations, evaluation, saved items."""

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import FileFormatError, UnknownTokenError, UsageError
from rowspace.learn import Items, evaluate_items, hold_out, read_interactions
from rowspace.learn.items.evaluate import ranking_scores
from rowspace.learn.items.item2vec import BasketCorpus

GROUPS, ITEMS, USERS = 5, 20, 300


@pytest.fixture(scope="module")
def baskets():
    """Users of five groups, each with eight of the twenty items of its group and two of any."""
    generator = np.random.default_rng(1)
    found = {}
    for user in range(USERS):
        own = generator.choice(ITEMS, 8, replace=False) + ITEMS * (user % GROUPS)
        ids = np.unique([*own, *generator.choice(GROUPS * ITEMS, 2)])
        found[f"user {user}"] = [f"item {each}" for each in ids]
    return found


@pytest.fixture(scope="module")
def split(baskets):
    return hold_out(read_interactions(baskets), seed=2)


def group_of(item):
    return int(item.split()[1]) // ITEMS


@pytest.mark.parametrize(
    "options",
    [
        {"model": "als"},
        {"model": "item2vec", "workers": 1},
        {"model": "item2vec", "algorithm": "skipgram", "workers": 2, "window": 3},
    ],
)
def test_items_of_a_group_are_neighbors_and_recommended(split, options):
    learned, held_out = split
    model = rs.fit_items(learned, dim=16, **options)
    assert isinstance(model.items, rs.Table)
    same = [group_of(name) == group_of(item) for item in model.items for name, _ in model.items.neighbors(item, k=5)]
    assert np.mean(same) > 0.9
    scores = evaluate_items(model, held_out)
    assert scores.users == len(held_out.users)
    assert scores.recall > 0.7
    assert scores.popular_recall < 0.45
    assert scores.ndcg > 2 * scores.popular_ndcg
    for user in learned.users[:20]:
        found = model.recommend(user, k=5)
        assert not {item for item, _ in found} & set(learned.of(user))
        values = [score for _, score in found]
        assert values == sorted(values, reverse=True)
    new = model.recommend(["item 0", "item 3", "item 7"], k=5)
    assert [group_of(item) for item, _ in new].count(0) >= 4


def test_same_seed_gives_the_same_rows(split):
    for options in ({"model": "als"}, {"model": "item2vec", "workers": 1}):
        one, two = (rs.fit_items(split[0], dim=8, epochs=2, **options) for _ in range(2))
        np.testing.assert_array_equal(one.targets, two.targets)
        assert (rs.fit_items(split[0], dim=8, epochs=2, seed=2, **options).targets != one.targets).any()


@pytest.mark.long
def test_rows_of_deterministic_fits_are_the_same_with_any_number_of_workers(split):
    for algorithm in ("cbow", "skipgram"):
        options = {"model": "item2vec", "algorithm": algorithm, "dim": 8, "epochs": 2, "deterministic": True}
        one, three = (rs.fit_items(split[0], workers=workers, **options) for workers in (1, 3))
        np.testing.assert_array_equal(one.targets, three.targets)
    with pytest.raises(UsageError, match="deterministic is an option of model='item2vec', and the model is 'als'"):
        rs.fit_items(split[0], model="als", deterministic=True)


def test_chunks_have_each_basket_once_and_shuffle_long_ones(baskets):
    interactions = read_interactions(baskets)
    corpus = BasketCorpus(interactions, window=4, seed=1)
    assert corpus.num_chunks > 1
    epochs = []
    for epoch in range(2):
        ids = np.concatenate([corpus.chunk(number, epoch=epoch) for number in range(corpus.num_chunks)])
        found = [part[part >= 0] for part in np.split(ids, np.flatnonzero(ids < 0))][:-1]
        assert [sorted(part) for part in found] == [interactions.ids_of(user).tolist() for user in range(USERS)]
        epochs.append(ids)
    assert (epochs[0] != epochs[1]).any()
    assert (corpus.chunk(1, epoch=1) == corpus.chunk(1, epoch=1)).all()
    short = BasketCorpus(interactions, window=50, seed=1)
    assert (short.chunk(0, epoch=0) == short.chunk(0, epoch=1)).all()


def test_scores_by_hand():
    ranked = np.array([4, 9, 2])
    recall, ndcg = ranking_scores(ranked, np.array([2, 4, -1, 5]), 3)
    assert recall == pytest.approx(2 / 3)
    assert ndcg == pytest.approx((1 + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2))
    assert ranking_scores(np.array([-1, -1]), np.array([-1]), 2) == (0, 0)
    assert ranking_scores(ranked, np.array([4]), 3) == (1, 1)


def test_scores_equal_those_of_a_loop_in_numpy(split):
    learned, held_out = split
    model = rs.fit_items(learned, dim=4, epochs=2)
    found = evaluate_items(model, held_out, k=7)
    recalls = []
    for user in held_out.users:
        scores = np.asarray(model.users[user]) @ model.targets.T
        scores[model.items.ids(learned.of(user))] = -np.inf
        best = {model.items.vocabulary[item] for item in np.argsort(-scores)[:7]}
        wanted = held_out.of(user)
        recalls.append(len(best & set(wanted)) / min(7, len(wanted)))
    assert found.recall == pytest.approx(np.mean(recalls))
    as_dict = {user: held_out.of(user) for user in held_out.users}
    assert evaluate_items(model, as_dict, k=7) == pytest.approx(found)


def test_saved_items_recommend_the_same(split, tmp_path):
    for options in ({"model": "als"}, {"model": "item2vec"}):
        model = rs.fit_items(split[0], dim=4, epochs=2, **options)
        for _ in range(2):  # the second replaces the first
            model.save(tmp_path / "items")
        again = Items.load(tmp_path / "items")
        for user in ("user 3", ["item 1", "item 2"]):
            assert again.recommend(user) == model.recommend(user)
        assert again.interactions.of("user 9") == model.interactions.of("user 9")
        assert again.options == model.options
        for name, table in (("items", model.items), ("items/users", model.users)):
            opened = rs.load(tmp_path / name)
            assert list(opened) == list(table)
            np.testing.assert_array_equal(opened.rows, table.rows)
            assert opened.counts.tolist() == table.counts.tolist()


def test_damaged_folders_are_refused(split, tmp_path):
    model = rs.fit_items(split[0], dim=4, epochs=1)
    with pytest.raises(UsageError, match="there are no items and users in"):
        Items.load(tmp_path)
    model.save(tmp_path / "items")
    file = tmp_path / "items" / "items.safetensors"
    data = file.read_bytes()
    file.write_bytes(data[:-1] + b"\1")
    with pytest.raises(FileFormatError, match="is damaged"):
        Items.load(tmp_path / "items")
    file.write_bytes(data)
    text = tmp_path / "items" / "items.json"
    text.write_text(text.read_text().replace('"dim": 4', '"dim": 5'))
    with pytest.raises(FileFormatError, match=r"items\.json"):
        Items.load(tmp_path / "items")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    with pytest.raises(UsageError, match="cannot save to"):
        model.save(tmp_path / "other")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baskets": [["a"], ["b", "b"]]}, "none of the 2 baskets has two different items, .* check the separator"),
        ({"model": "svd"}, "model must be one of als, item2vec, two-tower, not 'svd'"),
        ({"window": 3}, "window is an option of model='item2vec', and the model is 'als'; omit it"),
        ({"item_features": {"item 1": ["x"]}}, "item_features is an option of model='two-tower'"),
        ({"factors": 3}, "fit_items has no option 'factors'"),
        ({"regularization": float("nan")}, "regularization must be a number from"),
        ({"gap": 60.0}, "interactions are read already, so gap has no effect"),
    ],
)
def test_wrong_options_are_one_sentence(split, options, message):
    with pytest.raises(UsageError, match=message):
        rs.fit_items(options.pop("baskets", split[0]), **options)


def test_wrong_questions_are_one_sentence(split):
    model = rs.fit_items(split[0], dim=4, epochs=1)
    for user, error, message in (
        ("user 1000", UnknownTokenError, "user 'user 1000' is not among the 300 users; did you mean 'user 100'"),
        (["item 1000"], UnknownTokenError, "item 'item 1000' is not in the table of items; did you mean"),
        ([], UsageError, "the list of items is empty"),
    ):
        with pytest.raises(error, match=message):
            model.recommend(user)
    with pytest.raises(UsageError, match="k must be a whole number from 1"):
        model.recommend("user 1", k=0)
    for held_out, error, message in (
        ({"user 1": []}, UsageError, "user 'user 1' has no held-out item, so nothing can be measured"),
        ({"user 1": "item 1"}, UsageError, "the held-out items of user 'user 1' must be a list, got 'item 1'"),
        ({"user 1": 1}, UsageError, "the held-out items of user 'user 1' must be a list, got 1"),
        ({}, UsageError, "there is no user with held-out items; the model has 300 users"),
        ({"nobody": ["item 1"]}, UnknownTokenError, "user 'nobody' is not among the 300 users"),
        ([["item 1"]], UsageError, "held_out must be interactions or a dict from users to items, not list"),
    ):
        with pytest.raises(error, match=message):
            evaluate_items(model, held_out)
