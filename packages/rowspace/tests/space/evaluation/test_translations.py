import numpy as np
import pytest

from rowspace import space
from rowspace.errors import FileFormatError, RowspaceError, UsageError

SOURCE, TARGET = ["cat", "dog", "sun", "unknown"], ["chien", "chat", "soleil", "matou"]
ROWS = np.eye(4)
TO_ROWS = np.eye(4)[[1, 0, 3, 2]] + np.eye(4)[[0, 0, 0, 0]] * 0.1


@pytest.mark.kernels
def test_precision_counts_words_with_any_right_answer():
    pairs = [("cat", "matou"), ("cat", "chat"), ("dog", "chien"), ("sun", "soleil"), ("moon", "lune"), ("sun", "sol")]
    for by_csls in (True, False):
        found = space.evaluate_translations(
            pairs, SOURCE, ROWS, TARGET, TO_ROWS, k=[1, 4], by_csls=by_csls, neighborhood=1
        )
        assert found.precision == {1: pytest.approx(2 / 3), 4: 1.0}  # `sun` is nearest to `matou`
        assert found.used == 3
        assert found.oov_ratio == pytest.approx(25)


def test_a_dictionary_is_read_with_tabs_or_blanks(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("# from, to\ncat chat\n\nNew York\tNueva York\n", encoding="utf-8-sig")
    assert space.read_dictionary(path) == [("cat", "chat"), ("New York", "Nueva York")]


@pytest.mark.parametrize(
    ("text", "message"),
    [("cat chat\ncat\n", "line 2: expected two words, got 'cat'"), ("a b c", "line 1"), ("\n", "has no pairs")],
)
def test_a_malformed_dictionary_is_refused(tmp_path, text, message):
    (tmp_path / "pairs.txt").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        space.read_dictionary(tmp_path / "pairs.txt")


def test_wrong_input_is_refused():
    with pytest.raises(RowspaceError, match="none of the 1 words of the dictionary"):
        space.evaluate_translations([("chat", "cat")], SOURCE, ROWS, TARGET, TO_ROWS)
    with pytest.raises(UsageError, match="k must be a whole number"):
        space.evaluate_translations([("cat", "chat")], SOURCE, ROWS, TARGET, TO_ROWS, k=[0])
