"""Word pairs, compared with gensim's evaluate_word_pairs, and malformed files."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.space import evaluate_pairs

WORDS = ["the", "Cat", "cat", "dog", "DOG", "Straße", "tree", "moon", "sun", "naïve"]
ROWS = np.random.default_rng(0).standard_normal((10, 7)).astype(np.float32)
LINES = [
    "# a comment\tof three\tfields", "cat\tdog\t8.5", "CAT\tMoon\t2", "tree\tsun\t3", "", "STRASSE\ttree\t3",
    "unknown\tcat\t5", "sun\tmoon\t7.25", "Naïve\tthe\t1e-1", "the\tdog\t0",
]  # fmt: skip


@pytest.fixture
def peer():
    vectors = KeyedVectors(7)
    vectors.add_vectors(WORDS, ROWS)
    return vectors


@pytest.mark.parametrize("dummy4unknown", [False, True])
@pytest.mark.parametrize("case_insensitive", [False, True])
@pytest.mark.parametrize("restrict_vocab", [None, 9])
def test_equals_gensim(tmp_path, peer, dummy4unknown, case_insensitive, restrict_vocab):
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join([*LINES, *LINES]) + "\n", encoding="utf-8")
    options = {"case_insensitive": case_insensitive, "restrict_vocab": restrict_vocab}
    options["dummy4unknown"] = dummy4unknown
    expected = peer.evaluate_word_pairs(str(path), **options)
    found = evaluate_pairs(path, WORDS, ROWS, **options)
    np.testing.assert_allclose(found.pearson, tuple(expected[0]), atol=1e-6)
    np.testing.assert_allclose(found.spearman, tuple(expected[1]), atol=1e-6)
    assert found.oov_ratio == pytest.approx(expected[2])


def test_fields_can_be_separated_by_spaces(tmp_path):
    tabs, spaces = tmp_path / "tabs", tmp_path / "spaces"
    tabs.write_text("cat\tdog\t1\nsun\tmoon\t2\nthe\ttree\t3\n")
    spaces.write_text("cat dog 1\r\n  sun   moon 2\nthe tree 3")
    assert evaluate_pairs(tabs, WORDS, ROWS) == evaluate_pairs(spaces, WORDS, ROWS)


def test_word_whose_row_is_not_finite_is_unknown(tmp_path):
    path = tmp_path / "pairs"
    path.write_text("cat dog 1\nsun moon 2\nthe tree 3\nsun tree 4")
    rows = ROWS.copy()
    rows[WORDS.index("moon")] = [np.nan, *ROWS[0, 1:]]
    known = [place for place, word in enumerate(WORDS) if word != "moon"]
    expected = evaluate_pairs(path, [WORDS[place] for place in known], ROWS[known])
    assert evaluate_pairs(path, WORDS, rows) == expected
    assert (expected.used, expected.oov_ratio) == (3, 25)


@pytest.mark.parametrize("bad", ["cat dog", "cat dog x", "cat dog 1 2", "cat\tdog", "cat dog nan", "cat"])
def test_malformed_line_is_refused_with_its_number(tmp_path, bad):
    path = tmp_path / "pairs"
    path.write_text(f"# comment\n\ncat dog 3\n{bad}\n")
    with pytest.raises(FileFormatError, match="line 4: expected word, word, number"):
        evaluate_pairs(path, WORDS, ROWS)


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_file_without_pairs_is_refused(tmp_path, text):
    path = tmp_path / "pairs"
    path.write_text(text)
    with pytest.raises(FileFormatError, match="has no word pairs"):
        evaluate_pairs(path, WORDS, ROWS)


def test_too_few_pairs_with_known_words_are_refused(tmp_path):
    path = tmp_path / "pairs"
    path.write_text("cat dog 1\nno such 2\nword here 3\n")
    with pytest.raises(RowspaceError, match=r"of 3 pairs in .*, 1 are in the vocabulary"):
        evaluate_pairs(path, WORDS, ROWS)
