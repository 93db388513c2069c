"""Analogy files, compared with gensim's evaluate_word_analogies, and malformed files."""

import inspect

import numpy as np
import pytest
from gensim.models import KeyedVectors

from rowspace.errors import FileFormatError
from rowspace.space import evaluate_analogies, evaluate_pairs
from rowspace.table import Table


def analogy_table(seed):
    """Words x0..x9, y0..y9, ... with rows topic + kind + noise, some also in the other case with a similar row."""
    rng = np.random.default_rng(seed)
    kinds, topics = rng.standard_normal((4, 16)), 2 * rng.standard_normal((10, 16))
    words = [f"{kind}{n}" for n in range(10) for kind in "xyZw"]
    rows = [topics[n] + kinds[kind] for n in range(10) for kind in range(4)]
    words += [word.swapcase() for word in words[:12]]
    rows += rows[:12]
    noisy = np.array(rows) + 0.4 * rng.standard_normal((52, 16))
    order = rng.permutation(52)
    return [words[n] for n in order], noisy[order].astype(np.float32)


def question_file(seed):
    rng = np.random.default_rng(seed)
    lines = []
    for section in ("first", "gram2-second one", "unknown"):
        lines.append(f": {section}")
        for _ in range(40):
            (m, n), (a, b) = rng.choice(10, 2, replace=False), rng.choice(list("xyzW"), 2, replace=False)
            lines.append(f"{a}{m} {b}{m} {a}{n} {b}{n if section != 'unknown' else 99}")
    lines += [": repeated", "x1 y1 x1 y1", "x1 x1 x2 x2", "x1 y1 x2 y1"]
    return "\n".join(lines) + "\n"


def test_defaults_equal_gensims():
    def defaults(function):
        parameters = inspect.signature(function).parameters
        return [parameters[name].default for name in ("restrict_vocab", "case_insensitive", "dummy4unknown")]

    for ours in (evaluate_analogies, Table.evaluate_analogies):
        assert defaults(ours) == defaults(KeyedVectors.evaluate_word_analogies)
    for ours in (evaluate_pairs, Table.evaluate_pairs):
        assert defaults(ours) == defaults(KeyedVectors.evaluate_word_pairs)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dummy4unknown", [False, True])
@pytest.mark.parametrize("case_insensitive", [False, True])
@pytest.mark.parametrize("restrict_vocab", [None, 35])
def test_equals_gensim(tmp_path, seed, dummy4unknown, case_insensitive, restrict_vocab):
    words, rows = analogy_table(seed)
    path = tmp_path / "questions.txt"
    path.write_text(question_file(seed))
    peer = KeyedVectors(16)
    peer.add_vectors(words, rows)
    options = {"case_insensitive": case_insensitive, "restrict_vocab": restrict_vocab}
    options["dummy4unknown"] = dummy4unknown
    accuracy, sections = peer.evaluate_word_analogies(str(path), **options)
    found = evaluate_analogies(path, words, rows, **options)
    assert found.accuracy == pytest.approx(accuracy, abs=1e-6)
    assert [(score.name, score.correct, score.total) for score in (*found.sections, found.total)] == [
        (entry["section"], len(entry["correct"]), len(entry["correct"]) + len(entry["incorrect"])) for entry in sections
    ]


def test_question_whose_guesses_are_all_inputs_in_another_case_is_scored_as_in_gensim(tmp_path):
    words, rows = ["a", "b", "A", "B"], np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    path = tmp_path / "questions"
    path.write_text(": s\na b a b\n: t\na b a a\n")
    peer = KeyedVectors(3)
    peer.add_vectors(words, rows)
    _, sections = peer.evaluate_word_analogies(str(path))
    found = [score.correct for score in evaluate_analogies(path, words, rows).sections]
    assert found == [len(entry["correct"]) for entry in sections[:-1]]


def test_section_without_known_words_has_accuracy_zero(tmp_path):
    path = tmp_path / "questions"
    path.write_text(": s\nno such words here\n")
    scores = evaluate_analogies(path, ["a"], np.ones((1, 2)))
    assert (scores.accuracy, scores.sections[0].accuracy, scores.oov_ratio) == (0.0, 0.0, 100.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b c d\n", "line 1: a question before the first"),
        (": s\na b c d\na b c\n", "line 3: expected four words"),
        (": s\n\na b c d e\n", "line 3: expected four words"),
        (": s\n", "has no questions"),
        ("", "has no questions"),
    ],
)
def test_malformed_file_is_refused(tmp_path, text, message):
    path = tmp_path / "questions"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        evaluate_analogies(path, ["a"], np.ones((1, 2)))
