"""`TextEncoder` follows scikit-learn's conventions."""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

from rowspace.encode import Encoder, TextEncoder
from rowspace.errors import UsageError
from rowspace.store import load, save

TEXTS = ["the cat", "the dog sat", "", "x é", "mat on mat", "cat cat dog"]
LABELS = ["pet", "pet", "none", "none", "thing", "pet"]


@pytest.fixture
def path(tmp_path, encoder):
    save(encoder.table, tmp_path / "table")
    return tmp_path / "table"


def test_vectors_are_those_of_the_encoder(path, encoder):
    for table in (path, str(path), encoder.table):
        for options in ({}, {"normalize": True}, {"pooling": "max", "dim": 3}, {"dtype": "binary"}):
            expected = Encoder(encoder.table, **options).encode(TEXTS)
            transformer = TextEncoder(table, **options).fit(TEXTS)
            np.testing.assert_array_equal(transformer.transform(TEXTS), expected)
            assert transformer.transform([]).shape == (0, expected.shape[1])


def test_each_kind_of_column_of_texts_is_accepted(encoder):
    transformer = TextEncoder(encoder.table)
    expected = encoder.encode(TEXTS)
    for texts in (tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object), pd.Series(TEXTS)):
        np.testing.assert_array_equal(transformer.fit_transform(texts), expected)


def test_check_estimator_and_the_checks_that_need_no_numbers(encoder):
    transformer = TextEncoder(encoder.table)
    with warnings.catch_warnings(record=True) as caught:  # scikit-learn skips checks with numbers for texts
        warnings.simplefilter("always")
        estimator_checks.check_estimator(transformer)
    assert {warning.category for warning in caught} <= {SkipTestWarning}
    for name in (
        "check_estimator_cloneable",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_estimator_repr",
        "check_no_attributes_set_in_init",
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_mixin_order",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimator_get_tags_default_keys",
    ):
        check = getattr(estimator_checks, name, None)
        if check is not None:
            check("TextEncoder", clone(transformer))


def test_fit_changes_no_argument_and_gives_the_same_again(encoder):
    transformer = TextEncoder(encoder.table, normalize=True)
    before = transformer.get_params()
    first = transformer.fit(TEXTS).transform(TEXTS)
    assert transformer.get_params() == before
    np.testing.assert_array_equal(transformer.fit(TEXTS[:2]).transform(TEXTS), first)
    np.testing.assert_array_equal(clone(transformer).fit_transform(TEXTS), first)
    order = [3, 0, 5]
    np.testing.assert_array_equal(transformer.transform([TEXTS[place] for place in order]), first[order])


def test_it_must_be_fitted(encoder):
    with pytest.raises(NotFittedError, match="This TextEncoder instance is not fitted yet"):
        TextEncoder(encoder.table).transform(TEXTS)


def test_data_frames_and_names_of_columns(encoder):
    frame = pd.DataFrame({"body": TEXTS, "n": range(6)}, index=list("abcdef"))
    transformer = TextEncoder(encoder.table).set_output(transform="pandas").fit(frame["body"])
    names = [f"textencoder{number}" for number in range(6)]
    assert transformer.get_feature_names_out().tolist() == names
    vectors = transformer.transform(frame["body"])
    assert vectors.columns.tolist() == names
    assert vectors.index.tolist() == list("abcdef")
    np.testing.assert_array_equal(vectors.to_numpy(), encoder.encode(TEXTS))
    columns = ColumnTransformer([("text", TextEncoder(encoder.table), "body"), ("n", "passthrough", ["n"])])
    assert columns.fit_transform(frame).shape == (6, 7)
    assert columns.get_feature_names_out().tolist() == [*(f"text__{name}" for name in names), "n__n"]


def test_polars_frames_in_a_pipeline_and_a_search(path, encoder):
    frame = pl.DataFrame({"body": TEXTS * 4, "n": range(24)})
    names = [f"textencoder{number}" for number in range(6)]
    vectors = TextEncoder(path).set_output(transform="polars").fit_transform(frame["body"])
    assert isinstance(vectors, pl.DataFrame)
    assert vectors.columns == names
    assert set(vectors.dtypes) == {pl.Float32}
    np.testing.assert_array_equal(vectors.to_numpy(), encoder.encode(TEXTS * 4))
    columns = ColumnTransformer([("text", TextEncoder(path), "body"), ("n", "passthrough", ["n"])])
    assert columns.set_output(transform="polars").fit_transform(frame).columns == [
        *(f"text__{name}" for name in names),
        "n__n",
    ]
    pipeline = make_pipeline(columns, StandardScaler(), LogisticRegression()).set_output(transform="polars")
    search = GridSearchCV(pipeline, {"columntransformer__text__normalize": [True, False]}, cv=2, error_score="raise")
    search.fit(frame, LABELS * 4)
    plain = make_pipeline(clone(columns).set_output(transform="default"), StandardScaler(), LogisticRegression())
    plain.set_params(**search.best_params_).fit(frame, LABELS * 4)
    assert search.best_estimator_[:-1].transform(frame).shape == (24, 7)
    np.testing.assert_allclose(search.predict_proba(frame), plain.predict_proba(frame), atol=1e-6)


def test_search_over_options_of_a_pipeline(path):
    pipeline = make_pipeline(TextEncoder(path), LogisticRegression())
    grid = {"textencoder__mode": ["rowspace", "model2vec"], "textencoder__normalize": [True, False]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise")
    search.fit(TEXTS * 4, LABELS * 4)
    assert len(search.cv_results_["params"]) == 4
    assert search.score(TEXTS, LABELS) > 0.8


def test_pickle_with_a_path_has_no_rows_and_needs_the_same_table(path, encoder, encoder_of, tmp_path):
    pipeline = make_pipeline(TextEncoder(path), LogisticRegression()).fit(TEXTS, LABELS)
    joblib.dump(pipeline, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib")
    assert again.predict(TEXTS).tolist() == pipeline.predict(TEXTS).tolist()
    assert encoder.table.rows[0].tobytes() not in pickle.dumps(pipeline[0])
    save(encoder_of(1).table, path)
    with pytest.raises(UsageError, match="differs from the one that this encoder was fitted with; restore it"):
        joblib.load(tmp_path / "model.joblib").predict(TEXTS)
    np.testing.assert_array_equal(pipeline[0].transform(TEXTS), encoder.encode(TEXTS))  # it has the table open


def test_pickle_with_a_table_has_its_rows(path, encoder):
    transformer = TextEncoder(load(path)).fit(TEXTS)
    copy = pickle.loads(pickle.dumps(transformer))
    np.testing.assert_array_equal(copy.transform(TEXTS), encoder.encode(TEXTS))
    assert pickle.loads(pickle.dumps(TextEncoder(path))).get_params()["table"] == path


def test_wrong_input_gets_one_sentence(encoder, tmp_path):
    transformer = TextEncoder(encoder.table).fit(TEXTS)
    for texts, complaint in [
        ("one text", r"X must be a list of texts, not one text; pass \[text\]"),
        (7, "X must be a list of texts, not int"),
        (["a", None], "X must hold texts, but item 1 is None; replace it"),
        (np.array([1.0, np.nan]), "item 0 is 1.0"),
        (np.array([["a"], ["b"]]), r"X must be one-dimensional texts, got shape \(2, 1\); pass one column"),
        (pd.DataFrame({"body": ["a"]}), r"got shape \(1, 1\)"),
        ({"body": ["a"]}, "X must be one column of texts, not a dict; pass df"),
    ]:
        for call in (transformer.fit, transformer.transform):
            with pytest.raises(UsageError, match=complaint):
                call(texts)
    with pytest.raises(UsageError, match="normalize"):
        TextEncoder(encoder.table, normalize="yes").fit(TEXTS)
    with pytest.raises(UsageError, match="there is no file or folder"):
        TextEncoder(tmp_path / "missing").fit(TEXTS)
