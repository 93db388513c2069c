"""A classifier equals scikit-learn's, also after it was saved."""

import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rowspace._base.atomic import temporaries
from rowspace.encode import Encoder
from rowspace.errors import FileFormatError, UsageError
from rowspace.learn import TextClassifier
from rowspace.store import load
from rowspace.table import Table
from rowspace.text import whitespace_json

WORDS = [f"{topic}{number}" for topic in ("red", "blue", "green") for number in range(12)]


@pytest.fixture(scope="module")
def table():
    rows = np.random.default_rng(0).normal(size=(36, 8)) + np.repeat(np.eye(3, 8) * 1.5, 12, axis=0)
    return Table(WORDS, rows.astype(np.float32), tokenizer=whitespace_json(WORDS))


@pytest.fixture(scope="module")
def examples():
    generator = np.random.default_rng(1)
    found = []
    for label, first in (("red", 0), ("blue", 12), ("green", 24)) * 40:
        words = generator.choice(WORDS[first : first + 12], 2).tolist() + generator.choice(WORDS, 2).tolist()
        found.append((" ".join(words), label))
    return found


def columns(examples, labels=("red", "blue", "green")):
    kept = [(text, label) for text, label in examples if label in labels]
    return [text for text, _ in kept], [label for _, label in kept]


# Equal probabilities do not need a converged MLP, which would take seconds.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_probabilities_equal_those_of_sklearn_before_and_after_saving(table, examples, tmp_path):
    encoder = Encoder(table, normalize=True)
    for labels in (("red", "blue", "green"), ("red", "blue")):
        texts, names = columns(examples, labels)
        for kind, model in {
            "linear": LogisticRegression(max_iter=500),
            "mlp": MLPClassifier((20,), max_iter=60, random_state=0),
        }.items():
            vectors = encoder.encode(texts).astype(float)
            expected = make_pipeline(StandardScaler(), model).fit(vectors, names)
            fitted = TextClassifier(encoder, kind=kind, hidden_units=20, max_iter=500 if kind == "linear" else 60)
            fitted.fit(texts, names).save(tmp_path / "saved")
            again = TextClassifier.load(tmp_path / "saved")
            for each in (fitted, again):
                np.testing.assert_allclose(each.predict_proba(texts), expected.predict_proba(vectors), atol=1e-9)
                np.testing.assert_array_equal(each.predict(texts), expected.predict(vectors))
                assert each.classes_.tolist() == sorted(labels)
            np.testing.assert_array_equal(again.predict_proba(texts), fitted.predict_proba(texts))
            assert again.get_params() | {"encoder": None} == fitted.get_params() | {"encoder": None}
    assert [entry.name for entry in tmp_path.iterdir()] == ["saved"]


def test_the_folder_also_opens_as_a_table(table, examples, tmp_path):
    TextClassifier(table).fit(*columns(examples)).save(tmp_path / "saved")
    np.testing.assert_array_equal(load(tmp_path / "saved", verify=True).rows, table.rows)


def test_integers_and_booleans_keep_their_type(table, examples, tmp_path):
    texts, names = columns(examples)
    for labels in ([len(name) for name in names], [name == "red" for name in names]):
        TextClassifier(table).fit(texts, labels).save(tmp_path / "saved")
        found = TextClassifier.load(tmp_path / "saved").predict(texts)
        assert set(found.tolist()) == set(labels)
        assert type(found.tolist()[0]) is type(labels[0])


def test_numbers_of_numpy_are_saved(table, tmp_path):
    TextClassifier(table, seed=np.int64(3)).fit(["red1", "blue1"], ["a", "b"]).save(tmp_path / "saved")
    assert type(TextClassifier.load(tmp_path / "saved").seed) is int


def test_name_of_a_downloaded_table_opens(table, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--some-org--colors"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("first")
    (folder / "snapshots").mkdir()
    table.save(folder / "snapshots" / "first")
    fitted = TextClassifier("some-org/colors").fit(["red1", "blue1"], ["a", "b"])
    assert fitted.predict(["red1"]).tolist() == ["a"]


def test_it_follows_the_conventions_of_sklearn(table, examples):
    texts, labels = columns(examples)
    search = GridSearchCV(TextClassifier(table), {"kind": ["linear", "mlp"], "max_iter": [100]}, cv=2).fit(
        texts, labels
    )
    assert search.best_score_ > 0.8
    assert search.best_estimator_.score(texts, labels) > 0.8
    copy = clone(TextClassifier(table, kind="mlp", seed=3))
    assert (copy.kind, copy.seed) == ("mlp", 3)
    fitted = TextClassifier(table).fit(texts, labels)
    assert pickle.loads(pickle.dumps(fitted)).predict(texts).tolist() == fitted.predict(texts).tolist()
    assert fitted.predict_proba([]).shape == (0, 3)


def test_wrong_arguments(table, tmp_path):
    for kind, labels, complaint in [
        ("tree", ["a", "b"], "kind must be linear or mlp, not 'tree'"),
        ("linear", ["a"], "one label for each of 2 texts"),
        ("linear", [0.5, 1.5], "strings or whole numbers"),
        ("linear", ["a", "a"], "at least two different labels"),
    ]:
        with pytest.raises(UsageError, match=complaint):
            TextClassifier(table, kind=kind).fit(["red1", "blue1"], labels)
    table.save(tmp_path / "table")
    with pytest.raises(UsageError, match=r"there is no classifier in .*table'; learn one with TextClassifier"):
        TextClassifier.load(tmp_path / "table")
    fitted = TextClassifier(table).fit(["red1", "blue1"], ["a", "b"])
    for call in (lambda: fitted.fit("ab", ["a", "b"]), lambda: fitted.predict("red1")):
        with pytest.raises(UsageError, match=r"X must be a list of texts, not one text; pass \[text\]"):
            call()
    with pytest.raises(UsageError, match="cannot save to"):
        fitted.save(tmp_path / "table")


def test_error_names_the_old_classifier_that_a_killed_save_has_hidden(table, examples, tmp_path):
    # between the two renames of a file system that cannot exchange two names
    TextClassifier(table).fit(*columns(examples)).save(tmp_path / "c")
    dead = f"{temporaries._prefix(tmp_path / 'c')}4194305-00000000.old"  # above the largest process id of Linux
    kept = (tmp_path / "c").rename(tmp_path / dead)
    with pytest.raises(UsageError, match=f"no classifier at .*interrupted; the old one is complete in {kept}: rename"):
        TextClassifier.load(tmp_path / "c")
    assert TextClassifier.load(kept).classes_.size


def test_damaged_folders(table, examples, tmp_path):
    path = tmp_path / "saved"
    fitted = TextClassifier(table).fit(*columns(examples))

    def change_json(**changes):
        """Change classifier.json as version 1 wrote it, without checksums."""
        document = json.loads((path / "classifier.json").read_text())
        old = {name: value for name, value in document.items() if name not in ("checksum", "weights")}
        (path / "classifier.json").write_text(json.dumps(old | {"version": 1} | changes))

    def change_tensors(**changes):
        change_json()
        tensors = load_file(path / "classifier.safetensors") | changes
        save_file(
            {name: array for name, array in tensors.items() if array is not None}, path / "classifier.safetensors"
        )

    def flip(file, before, after):
        data = file.read_bytes()
        assert before in data
        file.write_bytes(data.replace(before, after, 1))

    for damage in (
        lambda: change_json(version=2),
        lambda: change_json(version=3),
        lambda: change_json(classes=["a", "b"]),
        lambda: change_json(classes=[[1], [2], [3]]),
        lambda: change_json(classifier={"kind": "linear"}),
        lambda: change_json(fingerprint="0" * 32),
        lambda: (path / "classifier.json").write_text("{"),
        (path / "classifier.safetensors").unlink,
        lambda: (path / "classifier.safetensors").write_bytes(b"\xff" * 20),
        lambda: flip(path / "classifier.json", b'"max_iter": 5', b'"max_iter": 6'),
        lambda: flip(path / "classifier.safetensors", b"?", b">"),
        lambda: change_tensors(**{"bias.0": None}),
        lambda: change_tensors(**{"bias.0": np.zeros(4)}),
        lambda: change_tensors(**{"weight.0": np.full((8, 3), np.nan)}),
        lambda: change_tensors(**{"weight.0": np.zeros((7, 3))}),
        lambda: change_tensors(more=np.zeros(3)),
    ):
        fitted.save(path)
        TextClassifier.load(path)
        damage()
        with pytest.raises(FileFormatError, match=r"learn it again with TextClassifier\.fit"):
            TextClassifier.load(path)
