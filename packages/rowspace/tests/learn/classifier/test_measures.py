"""Figures equal those of scikit-learn and of fastText."""

import fasttext
import numpy as np
from sklearn.metrics import accuracy_score, classification_report

from rowspace.learn.classifier.measures import measure


def test_figures_equal_those_of_scikit_learn():
    generator = np.random.default_rng(0)
    classes, labels = np.array(["a", "b", "c"]), generator.choice(["a", "b", "d"], 50).tolist()
    probabilities = generator.dirichlet([1, 1, 1], 50)
    predicted = classes[probabilities.argmax(1)]
    found = measure(classes, probabilities, labels, k=2)
    expected = classification_report(labels, predicted, output_dict=True, zero_division=0.0)
    assert found["accuracy"] == accuracy_score(labels, predicted)
    assert found["macro_f1"] == expected["macro avg"]["f1-score"]
    for label, values in found["labels"].items():
        assert list(values.values()) == list(expected[label].values()), label


def test_a_label_beside_lists_of_labels_is_one_label():
    probabilities = np.array([[0.9, 0.1], [0.6, 0.7]])
    found, expected = (
        measure(np.array(["cat", "dog"]), probabilities, [one, ["cat", "dog"]], k=1) for one in ("cat", ["cat"])
    )
    assert found == expected


def test_precision_and_recall_at_k_equal_those_of_fasttext(tmp_path):
    generator = np.random.default_rng(0)
    answers = [
        generator.choice(["a", "b", "c", "d"], generator.integers(1, 3), replace=False).tolist() for _ in range(60)
    ]
    lines = [" ".join([*(f"__label__{label}" for label in some), f"x{n % 7}", *some]) for n, some in enumerate(answers)]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines) + "\n")
    model = fasttext.train_supervised(str(path), dim=5, epoch=2, thread=11, verbose=0)  # else rows lack values
    names = [label.removeprefix("__label__") for label in model.labels]
    probabilities = np.zeros((60, 4))
    for n, some in enumerate(answers):
        for value, label in model.f.predict(" ".join([f"x{n % 7}", *some]) + "\n", -1, 0.0, "strict"):
            probabilities[n, names.index(label.removeprefix("__label__"))] = value
    lines = [line.replace("__label__c", "__label__unknown") for line in lines]
    unknown = [["unknown" if label == "c" else label for label in some] for some in answers]
    (tmp_path / "unknown.txt").write_text("\n".join(lines) + "\n")
    for k in (1, 2, 9):
        for given, file in ((answers, path), (unknown, tmp_path / "unknown.txt")):
            found = measure(np.array(names), probabilities, given, k=k)
            number, precision, recall = model.test(str(file), k=k)
            np.testing.assert_allclose([found["precision_at_k"], found["recall_at_k"]], [precision, recall])
            assert found["texts"] - found["without_known_label"] == number
            assert "accuracy" not in found
    assert found["without_known_label"] == sum(some == ["c"] for some in answers) > 0
