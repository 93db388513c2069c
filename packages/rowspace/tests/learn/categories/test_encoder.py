"""`CategoryEncoder` keeps scikit-learn's contract, and its rows those of independent models."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from rowspace import store
from rowspace.errors import UsageError
from rowspace.learn import CategoryEncoder


@parametrize_with_checks([CategoryEncoder()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    """Two columns of many categories, whose effects add up, and the target."""
    generator = np.random.default_rng(0)
    codes = (200 * generator.random((1500, 2)) ** 2).astype(int)
    effects = generator.normal(size=(2, 200))
    y = effects[0][codes[:, 0]] + effects[1][codes[:, 1]] + generator.normal(size=1500) + 7
    return np.array([[f"a{one}", f"b{two}"] for one, two in codes]), y


def test_mean_effects_equal_the_target_encoders(data):
    X, y = data
    encoder = CategoryEncoder(smooth=5.0).fit(X, y)
    assert encoder.get_feature_names_out()[:3].tolist() == ["x0_mean", "x0_partial", "x0_shape1"]
    means = encoder.transform(X)[:, [0, 8]] * y.std() + y.mean()
    np.testing.assert_allclose(means, TargetEncoder(smooth=5.0).fit(X, y).transform(X), atol=1e-9)
    shares = CategoryEncoder(smooth=5.0).fit(X, y > 7).transform(X)[:, [0, 2]] + (y > 7).mean()
    np.testing.assert_allclose(shares, TargetEncoder(smooth=5.0).fit(X, y > 7).transform(X), atol=1e-9)


def test_fit_transform_learns_the_rows_of_a_part_from_the_others(data):
    X, y = data
    encoder = CategoryEncoder(dim=1, smooth=5.0, cv=4, seed=3)
    found = encoder.fit_transform(X, y)
    for learned, held_out in KFold(4, shuffle=True, random_state=3).split(X):
        for number in (0, 1):
            for example in held_out[:20]:
                same = learned[X[learned, number] == X[example, number]]
                expected = (y[same] - y.mean()).sum() / (len(same) + 5) / y.std()
                assert found[example, number] == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(found, clone(encoder).fit_transform(X, y))
    assert np.abs(found - encoder.transform(X)).max() > 0.01


@pytest.mark.parametrize("kind", ["continuous", "binary", "multiclass"])
def test_rows_of_training_examples_do_not_contain_their_own_targets(kind):
    generator = np.random.default_rng(1)
    X, y = generator.integers(0, 400, (1200, 2)), generator.normal(size=1200)
    if kind != "continuous":
        y = generator.integers(0, 2 if kind == "binary" else 4, 1200)
    encoder = CategoryEncoder(smooth=1.0)
    aim = (y == y[0]).astype(float) if kind == "multiclass" else y.astype(float)
    leaking, clean = encoder.fit(X, y).transform(X), encoder.fit_transform(X, y)
    assert Ridge(1e-3).fit(leaking, aim).score(leaking, aim) > 0.3
    half = np.arange(1200) % 2 == 0
    assert Ridge(1e-3).fit(clean[half], aim[half]).score(clean[~half], aim[~half]) < 0.02


def test_tables_have_a_row_for_unseen_and_rare_categories(data, tmp_path):
    X, y = data
    encoder = CategoryEncoder(smooth=10.0).fit(X, y)
    table = encoder.tables_["x0"]
    assert table.settings["kind"] == "category"
    assert table.settings["numbers"][:2] == ["mean", "partial"]
    assert table.settings["prior"] == 10
    assert CategoryEncoder().fit(X, y).tables_["x0"].settings["prior"] == pytest.approx(
        2, rel=0.5
    )  # noise and the other column
    assert table.vocabulary[0] == "[unseen]"
    assert {*table.vocabulary[1:]} == {*X[:, 0]}
    assert table.counts.sum() == 1500
    assert (np.diff(table.counts[1:]) <= 0).all()
    unseen = encoder.transform([["new", X[0, 1]]])
    assert not unseen[0, :8].any()
    np.testing.assert_array_equal(unseen[0, 8:], encoder.transform(X[:1])[0, 8:])
    rare, frequent = (np.abs(table.rows[table.counts == count][:, 0]).max() for count in (1, table.counts.max()))
    own = np.abs(y[X[:, 0] == table.vocabulary[1]].mean() - y.mean()) / y.std()
    assert rare < 3.5 / 11  # at most the largest deviation of one example, divided by 1 + 10
    assert frequent > 0.6 * own
    table.save(tmp_path / "table")
    assert store.load(tmp_path / "table", verify=True).settings == table.settings


def test_missing_values_are_a_category_if_fit_has_seen_them(data):
    X, y = data
    with_missing = X.astype(object)
    with_missing[:300, 0] = None
    encoder = CategoryEncoder(smooth=1.0).fit(with_missing, y)
    table = encoder.tables_["x0"]
    assert table.vocabulary[:2] == ["[unseen]", "[missing]"]
    assert table.counts[1] == 300
    for missing in (None, np.nan):
        row = encoder.transform(np.array([[missing, missing]], object))[0]
        np.testing.assert_array_equal(row[:8], table["[missing]"])
        assert not row[8:].any()  # the second column had no missing value: as unseen


def test_categories_are_compared_as_text():
    X, y = [[1, "a"], [2, "b"], [True, "a"], [2.0, "c"], [1, "b"], [2.5, "c"]] * 4, np.arange(24.0)
    encoder = CategoryEncoder(dim=1).fit(X, y + 0.5)
    assert encoder.tables_["x0"].vocabulary == ["[unseen]", "1", "2", "2.5", "True"]
    np.testing.assert_array_equal(encoder.transform([["1", "a"]]), encoder.transform([[1.0, "a"]]))
    frame = np.array([[1.0, 2.0], [np.nan, 2.5]])
    np.testing.assert_array_equal(encoder.transform(frame)[:, 0], encoder.tables_["x0"][["1", "[unseen]"]][:, 0])


def test_frames_in_and_out(data):
    import pandas
    import polars

    X, y = data
    expected = CategoryEncoder(dim=2).fit(X, y).transform(X)
    for library, frame in ((pandas, pandas.DataFrame), (polars, polars.DataFrame)):
        given = frame({"maker": X[:, 0], "shop": X[:, 1]})
        encoder = CategoryEncoder(dim=2).set_output(transform=library.__name__).fit(given, y)
        assert list(encoder.tables_) == ["maker", "shop"]
        out = encoder.transform(given)
        assert isinstance(out, frame)
        assert list(out.columns) == ["maker_mean", "maker_partial", "shop_mean", "shop_partial"]
        np.testing.assert_array_equal(np.asarray(out), expected)
        assert isinstance(encoder.fit_transform(given, y), frame)
    missing = pandas.DataFrame({"maker": pandas.array([None, "a1"], dtype="string"), "shop": ["b1", "b2"]})
    assert not CategoryEncoder().fit(pandas.DataFrame({"maker": X[:, 0], "shop": X[:, 1]}), y).transform(missing)[0, 0]


def test_in_a_pipeline_it_beats_the_mean_and_survives_pickling(data):
    X, y = data
    columns = make_column_transformer((CategoryEncoder(), [0, 1]))
    model = make_pipeline(columns, HistGradientBoostingRegressor(max_iter=30, random_state=0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.3
    model.fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_more_classes_have_components_of_their_shares():
    generator = np.random.default_rng(5)
    codes = generator.integers(0, 30, (3000, 1))
    shares = generator.dirichlet(np.full(5, 0.5), 30)
    y = np.array([generator.choice(list("vwxyz"), p=shares[code]) for code in codes[:, 0]])
    encoder = CategoryEncoder().fit(codes, y)
    assert encoder.classes_.tolist() == list("vwxyz")
    assert encoder.get_feature_names_out().tolist() == [f"x0_class{number}" for number in range(1, 5)]  # rank 4 of 5
    table = encoder.tables_["x0"]
    true, found = (shares - shares.mean(0)), table[[str(code) for code in range(30)]]
    distances = [np.linalg.norm(side[:, None] - side[None], axis=-1)[np.triu_indices(30, 1)] for side in (true, found)]
    assert np.corrcoef(distances)[0, 1] > 0.97


def test_wrong_input_is_refused(data):
    X, y = data
    for options, labels, message in [
        ({}, None, "requires y to be passed"),
        ({}, y[:-1], "X has 1,500 examples and y has 1,499; they must agree"),
        ({}, np.full(1500, 3), "one class or value only, 3"),
        ({}, np.where(y > 9, np.nan, y), "y contains NaN or infinity"),
        ({}, np.array([*y[:-1], None]), "mixture of strings, numbers or None|contains NaN"),
        ({}, np.arange(1500), "1,500 different whole numbers, .*; give target_type='continuous' or 'multiclass'"),
        ({}, np.stack([y, y], 1), "one number or class for each example, got shape"),
        ({"target_type": "binary"}, np.arange(1500) % 3, "needs two classes, but y has 3"),
        ({"target_type": "continuous"}, X[:, 0], "'continuous' needs numbers"),
        ({"target_type": "mean"}, y, "target_type must be one of auto, continuous"),
        ({"dim": 0}, y, "dim must be a whole number from 1"),
        ({"cv": 1}, y, "cv must be a whole number from 2"),
        ({"cv": 1000}, y > 7, "there are only 814 examples of the largest class; give a lower cv"),
        ({"smooth": -1}, y, "smooth must be 'auto' or a number of examples from 0"),
        ({"smooth": "some"}, y, "smooth must be 'auto'"),
    ]:
        with pytest.raises(UsageError, match=message):
            CategoryEncoder(**options).fit_transform(X, labels)
    with pytest.raises(UsageError, match="which is reserved; rename it"):
        CategoryEncoder().fit([["[unseen]"], ["b"]], [1.5, 2.5])
    with pytest.raises(UsageError, match="input_features is not equal"):
        CategoryEncoder().fit(X, y).get_feature_names_out(["a"])
    import pandas

    twice = pandas.DataFrame(X, columns=["a", "a"])
    with pytest.raises(UsageError, match="two columns are named 'a'; rename one"):
        CategoryEncoder().fit(twice, y)
    with pytest.raises(UsageError, match="at least one example and one column"):
        CategoryEncoder().fit(twice[:0], y[:0])
