import dataclasses

import numpy as np
import pytest

from rowspace import space
from rowspace.errors import UsageError
from rowspace.learn import AlignOptions, align
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table


def test_a_rotated_table_is_rotated_back(first, second, rotation, assert_close):
    aligned = align(second, first)
    assert_close(aligned[first.vocabulary[10:]], first.rows[10:], slack=10)
    assert_close(aligned.rows, (second.rows @ rotation.T).astype(np.float32), slack=10)  # words that are not shared too
    assert aligned.rows.dtype == np.float32
    assert aligned.vocabulary == second.vocabulary
    assert aligned.tokenizer == second.tokenizer
    np.testing.assert_array_equal(aligned.counts, second.counts)
    assert aligned.settings["aligned_pairs"] == 40
    assert aligned.settings["aligned_cosine"] == pytest.approx(1, abs=1e-6)


def test_given_pairs_replace_shared_tokens(first, second, rotation, assert_close):
    renamed = Table([f"palabra{word[4:]}" for word in second.vocabulary], second.rows)
    pairs = [(f"palabra{number}", f"word{number}") for number in range(10, 40)] + [
        ("palabra11", "nothing"),
        ("rien", "word11"),
    ]
    aligned = align(renamed, first, pairs=pairs)
    assert aligned.settings["aligned_pairs"] == 30
    assert_close(aligned.rows, (second.rows @ rotation.T).astype(np.float32), slack=10)


def test_refinement_finds_the_pairs_that_were_not_given(first, second, rotation):
    noise = np.random.default_rng(2).normal(0, 0.15, second.rows.shape)
    renamed = Table([f"palabra{word[4:]}" for word in second.vocabulary], second.rows + noise)
    pairs = [(f"palabra{number}", f"word{number}") for number in range(10, 20)]
    errors = []
    for refine in (0, 3):
        aligned = align(renamed, first, pairs=pairs, refine=refine)
        errors.append(np.linalg.norm(aligned.rows - second.rows @ rotation.T))
    assert errors[1] < 0.9 * errors[0]
    assert aligned.settings["aligned_pairs"] >= 38
    limited = align(renamed, first, pairs=pairs, refine=1, refine_tokens=30)  # ten of which are not in the other table
    assert 10 < limited.settings["aligned_pairs"] <= 20


def test_rows_of_zeros_or_with_nan_take_no_part(first, second):
    rows = second.rows.copy()
    rows[20], rows[30, 3] = 0, np.nan
    aligned = align(Table(second.vocabulary, rows), first)
    assert aligned.settings["aligned_pairs"] == 38
    assert not aligned.rows[20].any()
    assert np.isnan(aligned.rows[30]).all()


def test_read_only_rows_stay_as_they_are(first, second, tmp_path):
    rows = np.asarray(second.rows)
    rows.setflags(write=False)
    aligned = align(Table(second.vocabulary, rows), first)
    np.testing.assert_allclose(align(second, first).rows, aligned.rows)


def test_ngram_rows_are_rotated_too(first, second):
    places = np.arange(20, dtype=np.int32)
    rows = np.random.default_rng(3).normal(size=(20, 8)).astype(np.float32)
    table = Table(second.vocabulary, second.rows, subwords=Subwords(rows, second.rows, places))
    aligned = align(table, first)
    found = space.align(second.rows[10:], first[second.vocabulary[10:]])
    np.testing.assert_allclose(aligned.subwords.row("unseen"), table.subwords.row("unseen") @ found.rotation, atol=1e-5)
    with pytest.raises(UsageError, match="center cannot be used with a table of n-grams"):
        align(table, first, center=True)


def test_few_pairs_are_reported(first, second):
    with pytest.warns(UserWarning, match="3 pairs do not determine a rotation of 8 columns"):
        align(second, first, pairs=[(word, word) for word in second.vocabulary[20:23]])


def test_wrong_input_is_refused(first):
    other = Table(["x", "y"], np.eye(2, 8))
    for arguments, message in {
        (other, first): "share no token .* has 'x', the other 'word0'.; give align pairs",
        (
            Table(["word0"], np.eye(1, 3)),
            first,
        ): "rows of 3 and of 8 numbers, .* equal widths; learn them with the same",
        (Table(["word0"], np.zeros((1, 8))), first): "all rows of the tokens that the tables share are zeros",
    }.items():
        with pytest.raises(UsageError, match=message):
            align(*arguments)
    with pytest.raises(UsageError, match="none of 1 pair is in the tables"):
        align(other, first, pairs=[("x", "z")])
    with pytest.raises(UsageError, match="pairs must be a list of pairs"):
        align(other, first, pairs=["xy", "ab", "c"])
    with pytest.raises(UsageError, match="align has no option 'centered'; did you mean center"):
        align(other, first, centered=True)
    with pytest.raises(UsageError, match="refine must be a whole number from 0 to 100"):
        AlignOptions(**dataclasses.asdict(AlignOptions()) | {"refine": -1})
