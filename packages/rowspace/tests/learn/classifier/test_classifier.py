"""`Classifier`: the contract of scikit-learn, what is chosen, and what is saved."""

import json
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import rowspace as rs
from rowspace.errors import FileFormatError, FitDiverged, UsageError
from rowspace.learn import TextClassifier
from rowspace.learn.classifier import choosing, classifier as module
from rowspace.learn.classifier.classifier import Classifier
from rowspace.learn.classifier.rows.fasttext_file import read_model
from rowspace.text import whitespace_json

TOPICS = {
    "pet": "cat dog hamster purr bark fur",
    "color": "red blue green bright dark pale",
    "food": "bread soup apple sweet salty fresh",
}
STORED = [" ".join(["the", "cat", "sat", "dog", "a", "mat"][(n >> shift) % 6] for shift in range(4)) for n in range(40)]
OTHERS = ["the", "a", "of", "and", "is", "very"]


def examples(number=120, seed=0):
    generator = np.random.default_rng(seed)
    labels = [list(TOPICS)[place % 3] for place in range(number)]
    texts = [" ".join([*generator.choice(TOPICS[label].split(), 2), *generator.choice(OTHERS, 2)]) for label in labels]
    return texts, labels


@pytest.fixture(scope="module")
def table():
    words = [word for topic in TOPICS.values() for word in topic.split()] + OTHERS
    rows = np.random.default_rng(0).normal(size=(len(words), 8)) + np.eye(8)[np.arange(len(words)) // 6] * 2
    return rs.Table(words, rows.astype(np.float32), tokenizer=whitespace_json(words))


def small(**options):
    return Classifier(**({"dim": 8, "epochs": 10, "buckets": 5000, "workers": 1} | options))


@pytest.fixture(scope="module")
def fitted():
    return small().fit(*examples())


def test_each_method_learns_and_is_saved(table, tmp_path):
    texts, labels = examples()
    others, right = examples(60, seed=1)
    for method in ("rows", "ngrams", "vectors", "auto"):
        classifier = small(method=method, table=table).fit(texts, labels)
        assert classifier.score(others, right) > (0.8 if method == "vectors" else 0.9), method
        assert classifier.classes_.tolist() == sorted(TOPICS)
        probabilities = classifier.predict_proba(others)
        np.testing.assert_allclose(probabilities.sum(1), 1, atol=1e-6)
        np.testing.assert_array_equal(classifier.classes_[probabilities.argmax(1)], classifier.predict(others))
        classifier.save(tmp_path / "saved")
        again = rs.Classifier.load(tmp_path / "saved")
        np.testing.assert_array_equal(again.predict_proba(others), probabilities)
        assert again.chosen_ == classifier.chosen_
        assert again.method == method
        assert again.facts_ == json.loads(json.dumps(classifier.facts_))
    assert {each["model"].split()[0] for each in classifier.facts_["candidates"]} == {"TF-IDF", "rows", "vectors"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["saved"]


def test_a_model_of_nearly_all_texts_is_not_learned_again():
    texts, labels = examples(1200)
    for share, learned in ((0.02, 1200 - 24), (0.03, 1200)):
        classifier = small(method="rows", held_out=share, seed=3).fit(texts, labels)
        assert classifier.facts_["held_out_texts"] == 1200 * share
        model = classifier.parts_[0].member.model
        assert model.dictionary.counts[model.dictionary.end] == learned


def test_the_only_text_of_a_label_is_learned_from_where_models_are_not_learned_again():
    texts, labels = examples(1200)
    texts += [f"unique{place}" for place in range(100)]
    labels += [f"rare{place}" for place in range(100)]
    classifier = small(method="rows", held_out=0.02).fit(texts, labels)
    assert 0 < classifier.facts_["held_out_texts"] < 26  # two of the 26 have a label of their own
    model = classifier.parts_[0].member.model
    assert model.dictionary.counts[model.dictionary.end] == 1300 - classifier.facts_["held_out_texts"]
    assert model.label_counts.min() > 0


def test_no_more_than_ten_thousand_texts_are_held_out():
    texts, labels = examples(80_000)
    classifier = small(method="rows", epochs=1, max_n=0).fit(texts, labels)
    assert classifier.facts_["held_out_texts"] == 10_000


def test_contract_of_scikit_learn(fitted):
    texts, labels = examples()
    copied = clone(fitted)
    assert copied.get_params() == fitted.get_params()
    assert not hasattr(copied, "classes_")
    scores = cross_val_score(small(method="ngrams"), texts, labels, cv=3)
    assert scores.mean() > 0.9
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(texts), fitted.predict(texts))
    np.testing.assert_array_equal(small().fit(texts, labels).predict_proba(texts), fitted.predict_proba(texts))
    numbers = small(method="ngrams").fit(texts, [label == "pet" for label in labels])
    assert numbers.predict(["cat"]).tolist() == [True]


def test_checks_of_scikit_learn_that_need_no_numbers():
    for name in (
        "check_estimator_cloneable",
        "check_valid_tag_types",
        "check_estimator_repr",
        "check_no_attributes_set_in_init",
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
    ):
        getattr(estimator_checks, name)("Classifier", clone(small()))
    assert is_classifier(small())
    assert repr(small(dim=7, lr=float("2.0"))) == "Classifier(buckets=5000, dim=7, epochs=10, workers=1)"
    with pytest.raises(UsageError, match="Classifier has no option 'dims'; did you mean dim"):
        small().set_params(dims=3)


def test_weights_are_passed_on_if_they_are_requested():
    texts, labels = examples()
    weights = np.where(np.array(labels) == "pet", 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="set_fit_request"):
            make_pipeline(small(method="ngrams")).fit(texts, labels, sample_weight=weights)
        requested = clone(small(method="ngrams").set_fit_request(sample_weight=True))
        assert vars(clone(small())).keys() == vars(small()).keys()
        with pytest.raises(UsageError, match="two different labels"):  # the other label has no weight
            make_pipeline(requested).fit(texts, labels, sample_weight=weights)


def test_labels_are_predicted_without_scikit_learn(fitted, tmp_path):
    """To import it takes longer than to predict."""
    fitted.save(tmp_path / "saved")
    code = (
        "import sys, rowspace as rs\n"
        f"print(rs.Classifier.load({str(tmp_path / 'saved')!r}).predict(['a cat'])[0], 'sklearn.base' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [fitted.predict(["a cat"])[0], "False"]


def test_the_most_accurate_or_the_average_is_chosen(fitted):
    facts = fitted.facts_
    best = max(each["value"] for each in facts["candidates"])
    assert facts["value"] >= best
    assert facts["folds"] == 5
    assert facts["held_out_texts"] == 120
    assert f": accuracy {facts['value']:.3f} on 120 held-out texts" in fitted.chosen_
    assert sum(part.weight for part in fitted.parts_) == pytest.approx(1)


def test_what_is_measured_is_named():
    texts, labels = ["cat dog"] * 40, ["pet", *["color"] * 3] * 10
    balanced = small(method="ngrams", class_weight="balanced").fit(texts, labels)
    assert "balanced accuracy 0.5" in balanced.chosen_  # the texts are equal
    assert "weighted accuracy" in small(method="ngrams").fit(texts, labels, sample_weight=[1, 2] * 20).chosen_
    several = [["pet"], ["color"], ["color", "pet"], []]
    classifier = small(method="ngrams").fit(["cat", "red", "red cat", "the"] * 10, several * 10)
    assert "P@1 1.000 on 40" in classifier.chosen_  # texts without a label are left out
    few = small(method="ngrams").fit(["cat", "red"], ["pet", "color"])
    assert few.chosen_.endswith("nothing was measured, since no label has two texts")


def test_many_texts_leave_out_the_slow_model(monkeypatch):
    monkeypatch.setattr(module, "MAX_SCORES", 100)
    classifier = small().fit(*examples())
    assert [part.member.name for part in classifier.parts_] == ["rows"]
    assert "TF-IDF of n-grams left out, since there are many texts" in classifier.chosen_


def test_a_model_that_diverges_is_named():
    classifier = small(lr=99.0, epochs=100).fit(*examples())
    assert classifier.chosen_.startswith("TF-IDF")
    assert "rows of n-grams (dim 8, lr 99, epochs 100) diverged (give a smaller lr)" in classifier.chosen_
    with pytest.raises(FitDiverged, match="give a smaller lr"):
        small(lr=99.0, epochs=100, method="rows").fit(*examples())


def test_large_data_holds_out_one_part():
    classifier = small(held_out=0.25).fit(*examples(choosing.SMALL))
    assert (classifier.facts_["folds"], classifier.facts_["held_out_texts"]) == (1, choosing.SMALL // 4)


def test_a_time_budget_tries_other_options(fitted):
    none = small(time_budget=0.0).fit(*examples())
    assert len(none.facts_["candidates"]) == len(fitted.facts_["candidates"]) == 2
    many = small(time_budget=3600.0).fit(*examples(60))
    assert len(many.facts_["candidates"]) + len(many.facts_["diverged"]) == 2 + len(choosing.OTHERS)


@pytest.mark.parametrize("method", ["ngrams", "rows"])
@pytest.mark.parametrize("of_classes", [False, True])
def test_probabilities_are_those_of_weighted_texts(method, of_classes):
    labels = np.array(["a", "b"] * 100)
    classifier = Classifier(method=method, class_weight={"a": 9.0} if of_classes else None)
    classifier.fit(["same text"] * 200, labels, sample_weight=None if of_classes else np.where(labels == "a", 9.0, 1.0))
    np.testing.assert_allclose(classifier.predict_proba(["same text"]), [[0.9, 0.1]], atol=0.02)


def test_probabilities_are_calibrated():
    generator = np.random.default_rng(3)
    texts, labels = examples(400)
    noisy = [generator.choice(list(TOPICS)) if generator.random() < 0.4 else label for label in labels]
    others, right = examples(300, seed=4)
    doubtful = [generator.choice(list(TOPICS)) if generator.random() < 0.4 else label for label in right]
    classifier = small(method="ngrams").fit(texts, noisy)
    losses = []
    for factor in (1.0, 0.3, 3.0):
        [part] = classifier.parts_
        classifier.parts_ = [part._replace(curve=(factor * part.curve[0], 0.0))]
        losses.append(log_loss(doubtful, classifier.predict_proba(others), labels=classifier.classes_))
        classifier.parts_ = [part]
    assert losses[0] == min(losses) < 0.95  # the entropy of these labels is 0.77


def test_several_labels(table):
    texts, labels = examples(90)
    pairs = [(f"{one} {other}", {a, b}) for one, a, other, b in zip(texts, labels, texts[1:], labels[1:], strict=False)]
    given = [text for text, _ in pairs] + ["the of", "a very"]
    answers = [list(labels) for _, labels in pairs] + [[], []]
    for method in ("ngrams", "rows", "auto"):
        classifier = small(method=method, lr=1.0, epochs=40).fit(given, answers)
        assert classifier.score(given, answers) > 0.7, method
        found = classifier.predict(["a cat and a dog", "the red dog"])
        assert found.tolist() == [("pet",), ("color", "pet")], method
    for right in (["pet", "color"], [["pet"], ["color"]], ["pet", ["color"]]):
        assert classifier.score(["a cat", "red"], right) == 1, right
    matrix = np.array([[label in answer for label in sorted(TOPICS)] for answer in answers], int)
    columns = small(method="ngrams").fit(given, matrix)
    assert columns.predict(["the red dog"]).tolist() == [[1, 0, 1]]
    assert columns.score(given, matrix) > 0.7
    with pytest.raises(UsageError, match="predicts one label"):
        small(method="vectors", table=table).fit(given, answers)


def test_weights_move_the_decision(table):
    texts, labels = ["cat dog"] * 30, ["pet", "color", "color"] * 10
    for method in ("rows", "ngrams", "vectors"):
        plain = small(method=method, table=table).fit(texts, labels)
        assert plain.predict(["cat dog"]).tolist() == ["color"], method
        weighted = small(method=method, table=table, class_weight={"pet": 9.0}).fit(texts, labels)
        assert weighted.predict(["cat dog"]).tolist() == ["pet"], method
        weights = [9.0 if label == "pet" else 1.0 for label in labels]
        by_text = small(method=method, table=table).fit(texts, labels, sample_weight=weights)
        assert by_text.predict(["cat dog"]).tolist() == ["pet"], method
    left_out = small(method="ngrams").fit([*texts, "x"], [*labels, "y"], sample_weight=[1.0] * 30 + [0.0])
    assert left_out.predict(["x"]).tolist() != ["y"]


def test_a_label_may_have_one_text(table, tmp_path):
    texts, labels = examples(30)
    for given, method in (([*labels, "rare"], "auto"), ([*["pet"] * 30, "rare"], "vectors")):
        classifier = small(method=method, table=table, class_weight="balanced").fit([*texts, "very"], given)
        assert classifier.predict_proba(["very"]).shape == (1, len(set(given)))
    classifier = small(method="vectors", table=table)
    classifier.fit([*texts, "very"], [*labels, "rare"], sample_weight=[1.0] * 30 + [0.0])
    classifier.save(tmp_path / "saved")
    found = Classifier.load(tmp_path / "saved").predict_proba(texts)
    np.testing.assert_array_equal(found, classifier.predict_proba(texts))
    assert found[:, classifier.classes_.tolist().index("rare")].max() < 1e-3
    with pytest.raises(UsageError, match="weight above 0 must have at least two different labels"):
        small().fit(["x", "y", "z"], ["a", "a", "b"], sample_weight=[1, 1, 0])
    with pytest.raises(UsageError, match="weight above 0 must have at least two different labels"):
        small().fit(["x", "y", "z", "z"], [["a"], ["b"], [], []], sample_weight=[0, 0, 1, 1])


def test_balanced_weights_learn_a_rare_label():
    generator, topics = np.random.default_rng(0), ("pet", "color")

    def drawn(number, every):
        labels = [topics[place % every > 0] for place in range(number)]
        texts = [
            " ".join(generator.permutation([*generator.choice(TOPICS[label].split(), 1), *OTHERS])) for label in labels
        ]
        return texts, labels

    texts, labels = drawn(1000, 25)
    others, right = drawn(400, 2)
    plain, balanced = (
        Classifier(method="rows", class_weight=weight, workers=1).fit(texts, labels).score(others, right)
        for weight in (None, "balanced")
    )
    assert balanced >= plain


def test_folders_of_text_classifier_open(table, tmp_path):
    texts, labels = examples()
    old = TextClassifier(table, kind="mlp", max_iter=400).fit(texts, labels)
    old.save(tmp_path / "old")
    found = Classifier.load(tmp_path / "old")
    np.testing.assert_allclose(found.predict_proba(texts), old.predict_proba(texts), atol=1e-8)
    assert found.classes_.tolist() == old.classes_.tolist()
    small(method="ngrams").fit(texts, labels).save(tmp_path / "old")  # replaces it
    assert Classifier.load(tmp_path / "old").method == "ngrams"


def test_a_folder_of_the_first_version_opens(tmp_path):
    with zipfile.ZipFile(Path(__file__).parents[2] / "formats/fixtures/classifier-1.zip") as archive:
        archive.extractall(tmp_path)
        content = json.loads(archive.read("content.json"))
        path = tmp_path / "sample" / archive.read("path.txt").decode()
    found = Classifier.load(path)
    assert found.classes_.tolist() == content[0]
    np.testing.assert_allclose(found.predict_proba(STORED), content[3], atol=1e-6)


def test_fasttext_file_is_written_and_opens(tmp_path):
    texts, labels = examples()
    classifier = small(method="rows").fit(texts, labels)
    classifier.save_fasttext(tmp_path / "model.bin")
    opened = Classifier.load(tmp_path / "model.bin")
    np.testing.assert_array_equal(opened.predict(texts), classifier.predict(texts))
    top = read_model(tmp_path / "model.bin").predict(texts[:5])
    assert [found[0][0] for found in top] == opened.predict(texts[:5]).tolist()
    opened.save(tmp_path / "folder")
    np.testing.assert_array_equal(
        Classifier.load(tmp_path / "folder").predict_proba(texts), opened.predict_proba(texts)
    )
    with pytest.raises(UsageError, match="only one model of learned rows"):
        small(method="ngrams").fit(texts, labels).save_fasttext(tmp_path / "other.bin")
    classifier.save_fasttext(tmp_path / "model.ftz")
    assert np.mean(Classifier.load(tmp_path / "model.ftz").predict(texts) == classifier.predict(texts)) > 0.95
    for name in ("other.ftz", "other.bin"):
        with pytest.raises(UsageError, match="is named as a file of fastText, but a folder would be saved"):
            classifier.save(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "model.bin", "model.ftz"]


def test_mistakes_are_errors(table):
    texts, labels = examples(30)
    for arguments, given, answers, message in (
        ({}, "one text", ["a"], "put it into a list"),
        ({}, [1, 2], ["a", "b"], "entry 0 is 1"),
        ({}, texts, labels[:-1], "one entry for each of 30 texts, got 29"),
        ({}, texts, ["a"] * 30, "at least two different labels"),
        ({}, [" "] * 30, ["a", "b"] * 15, "all texts are empty"),
        ({}, texts, [0.5] * 15 + [1.5] * 15, "all strings, all whole numbers"),
        ({}, texts, [["a"]] * 29 + ["b"], "entry 29 is 'b'"),
        ({}, texts, np.full((30, 2), 2), "must be 0 and 1"),
        ({"class_weight": {"none": 1.0}}, texts, labels, "'none', which no text has"),
        ({"class_weight": "even"}, texts, labels, '"balanced", None or a dict'),
        ({"class_weight": [1, 2, 3]}, texts, labels, r"or a dict from label to weight, not \[1, 2, 3\]"),
        ({"class_weight": {"pet": "heavy"}}, texts, labels, "class_weight of 'pet' must be a number, got 'heavy'"),
        ({}, texts, np.zeros((30, 2)), "no text has one"),
        ({"method": "rows", "table": table}, texts, labels, "rows of 100 numbers .* table of 8, .* give --dim 8"),
        ({"method": "vectors"}, texts, labels, "needs a table; give one by --table"),
        ({"method": "trees"}, texts, labels, "method must be one of"),
        ({"dim": 0}, texts, labels, "dim must be"),
        ({"min_n": 5, "max_n": 2}, texts, labels, "min_n must not exceed"),
    ):
        with pytest.raises(UsageError, match=message):
            Classifier(**arguments).fit(given, answers)
    with pytest.raises(UsageError, match="did you mean epochs"):
        Classifier(epoch=3)
    for weights, got in (([1.0], "1$"), (1.0, "1.0"), (["a"] * 30, r"\['a', "), ([[1.0]] * 30, r"\[\[1.0")):
        with pytest.raises(UsageError, match=f"sample_weight must have one number for each of 30 texts, got {got}"):
            small().fit(texts, labels, sample_weight=weights)
    with pytest.raises(UsageError, match="k must be a whole number from 1"):
        small(method="ngrams").fit(texts, labels).top(texts, k=-1)
    with pytest.raises(UsageError, match="two texts with a weight above 0, got 1"):
        small().fit(texts, labels, sample_weight=[1.0] + [0.0] * 29)
    with pytest.raises(UsageError, match="finite, 0 or more"):
        small().fit(texts, labels, sample_weight=[-1.0] * 30)


def test_damage_is_an_error(fitted, tmp_path):
    with pytest.raises(UsageError, match="learn one with rowspace classify fit"):
        Classifier.load(tmp_path)
    for name, change in {
        "classifier.json": lambda data: data.replace(b'"pet"', b'"pat"', 1),
        "classifier.safetensors": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    }.items():
        fitted.save(tmp_path / "saved")
        path = tmp_path / "saved" / name
        path.write_bytes(change(path.read_bytes()))
        with pytest.raises(FileFormatError, match="rowspace classify fit"):
            Classifier.load(tmp_path / "saved")
        shutil.rmtree(tmp_path / "saved")


def test_labels_outside_int64_are_refused():
    for labels in (
        [1, 2**63 + 1, 2**63 + 2],
        [2**63 - 1, 2**63, 2**63],
        [2**70, 2**71, -(2**70)],
        [[-(2**63) - 1], [1], []],
        np.array([1, 2**63 + 5, 1], np.uint64),
    ):
        with pytest.raises(UsageError, match=r"must be from -2\*\*63 to 2\*\*63 - 1; give others as strings"):
            Classifier(method="ngrams").fit(["one text", "another", "a third"], labels)


@pytest.mark.parametrize(
    "labels",
    [[float("nan"), "a"], [1, "a"], [True, 2], [None, "a"], [["a", 1], ["b"]], np.array(["a", np.nan], object)],
)
def test_labels_of_several_types_and_missing_ones_are_refused(labels):
    with pytest.raises(UsageError, match="y must have labels that are all strings, all whole numbers or all booleans"):
        Classifier(method="ngrams").fit(["one text", "another"], labels)
