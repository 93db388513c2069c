import json

import numpy as np
import pytest
from scipy.stats import ortho_group

import rowspace as rs
from rowspace import space
from rowspace.errors import UsageError
from rowspace.learn import merge
from rowspace.store import save_quantized
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table
from rowspace.text import Tokenizer, WordTokenizer

METHODS = {"average": {}, "slerp": {}, "task": {"weights": [0.5, 0.5]}}
pytestmark = pytest.mark.kernels


def based(method, table):
    return {"base": table} if method == "task" else {}


@pytest.mark.parametrize("method", METHODS)
def test_identical_tables_are_merged_into_the_same(method, first, assert_close):
    merged = merge([first, first], method=method, **METHODS[method], **based(method, first))
    assert merged.vocabulary == first.vocabulary
    assert_close(merged.rows, first.rows)
    assert merged.rows.dtype == first.rows.dtype
    assert merged.tokenizer == first.tokenizer
    np.testing.assert_array_equal(merged.counts, 2 * first.counts)
    assert merged.settings["neighbors_kept"] == [1.0, 1.0]
    assert merged.settings["neighbors_kept_between"] == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_a_rotated_copy_merges_back_to_the_original(method, first, rotation, assert_close):
    turned = Table(first.vocabulary, (first.rows @ rotation).astype(np.float32))
    merged = merge([first, turned], method=method, **METHODS[method], **based(method, first))
    assert_close(merged.rows, first.rows, slack=10)
    apart = merge([first, turned], method=method, align=False, **METHODS[method], **based(method, first))
    assert np.abs(apart.rows - first.rows).max() > 0.1


def test_tokens_of_all_tables_are_united_by_count(first, second, rotation, assert_close):
    merged = merge([first, second])
    assert {*merged.vocabulary} == {*first.vocabulary, *second.vocabulary}
    total = dict.fromkeys(merged, 0)
    for table in (first, second):
        for word, count in zip(table.vocabulary, table.counts.tolist(), strict=True):
            total[word] += count
    assert merged.counts.tolist() == [total[word] for word in merged]
    assert (np.diff(merged.counts) <= 0).all()
    assert_close(merged[first.vocabulary], first.rows, slack=10)
    new = second.vocabulary[:10]  # words that only the second table has: their aligned rows
    assert_close(merged[new], (second[new] @ rotation.T).astype(np.float32), slack=10)
    dropped = merge([first, second], missing="drop")
    assert {*dropped.vocabulary} == {*first.vocabulary} & {*second.vocabulary}


def test_weights_are_shares(first):
    other = Table(first.vocabulary, first.rows[::-1].copy())
    merged = merge([first, other], weights=[3, 1], align=False)
    np.testing.assert_allclose(merged.rows, first.rows * 0.75 + other.rows * 0.25, atol=1e-6)
    assert merged.settings["weights"] == [0.75, 0.25]
    slerped = merge([first, other], method="slerp", weights=[1, 0], align=False)
    np.testing.assert_allclose(slerped.rows, first.rows, atol=1e-6)


def test_task_adds_weighted_differences_in_the_axes_of_the_base(first):
    generator = np.random.default_rng(4)
    changed = [Table(first.vocabulary, first.rows + generator.normal(0, 0.01, first.rows.shape)) for _ in range(2)]
    turned = [
        Table(each.vocabulary, each.rows @ ortho_group.rvs(8, random_state=seed)) for seed, each in enumerate(changed)
    ]
    expected = first.rows + 0.5 * (changed[0].rows - first.rows) - (changed[1].rows - first.rows)
    same = merge(changed, method="task", weights=[0.5, -1], base=first, align=False)
    np.testing.assert_allclose(same.rows, expected, atol=1e-6)
    aligned = merge(turned, method="task", weights=[0.5, -1], base=first)
    np.testing.assert_allclose(aligned.rows, expected, atol=0.02)
    one = merge([first], method="task", base=changed[0], align=False)
    np.testing.assert_allclose(one.rows, first.rows, atol=1e-6)


def test_a_token_of_the_base_alone_keeps_its_row(first, second):
    merged = merge([second], method="task", base=first)
    np.testing.assert_allclose(merged[first.vocabulary[:10]], first.rows[:10], atol=1e-6)
    assert merged.counts[merged.id("word0")] == 0  # counts are those of the tables


def test_rows_of_zeros_and_with_nan_count_as_missing(first):
    rows = first.rows.copy()
    rows[3], rows[4, 0] = 0, np.nan
    merged = merge([first, Table(first.vocabulary, rows)])
    np.testing.assert_allclose(merged.rows, first.rows, atol=1e-5)
    neither = merge([Table(first.vocabulary, rows), Table(first.vocabulary, rows)])
    assert not neither.rows[3:5].any()


def test_neighbors_kept_are_those_of_the_shared_rows(first):
    other = Table(first.vocabulary, np.random.default_rng(6).normal(size=first.rows.shape))
    merged = merge([first, other], align=False, neighbors=5)
    expected = [space.neighbors_kept(table.rows, merged.rows, k=5) for table in (first, other)]
    np.testing.assert_allclose(merged.settings["neighbors_kept"], expected, atol=1e-4)
    between = space.neighbors_kept(first.rows, other.rows, k=5)
    np.testing.assert_allclose(merged.settings["neighbors_kept_between"], between, atol=1e-4)
    assert between < min(expected)
    assert "neighbors_kept" not in merge([first, other], align=False, neighbors=0).settings
    assert merge([first, other], align=False, neighbors=60).settings["neighbors_kept"] == [None, None]


def test_a_merged_table_is_saved_with_a_tokenizer_of_all_words(first, second, tmp_path):
    merged = rs.merge([first, second, first])
    merged.save(tmp_path / "merged")
    again = rs.load(tmp_path / "merged", verify=True)
    np.testing.assert_array_equal(again.rows, merged.rows)
    assert again.settings == merged.settings
    encoded = Tokenizer.of_table(again).encode("Word3 word55 other")
    assert [again.vocabulary[each] if each < len(again) else None for each in encoded] == ["word3", "word55", None]


def test_tables_without_a_tokenizer_count_as_tables_of_words(first, second):
    plain = Table(second.vocabulary, second.rows, second.counts)
    assert merge([plain, plain]).tokenizer is None
    mixed = merge([first, plain])
    assert mixed.vocabulary == merge([first, second]).vocabulary
    assert json.loads(mixed.tokenizer)["normalizer"] == {"type": "Lowercase"}


def test_counts_are_added_where_they_are_known(first, second):
    merged = merge([first, Table(second.vocabulary, second.rows)])
    assert merged.vocabulary[:50] == first.vocabulary  # not sorted, as some counts are unknown
    assert merged.counts.tolist() == first.counts.tolist() + [0] * 10
    assert merge([Table(first.vocabulary, first.rows)] * 2).counts is None


def test_quantized_and_half_precision_tables_are_merged(first, tmp_path):
    save_quantized(first, space.quantize(first.rows, "binary"), tmp_path / "binary")
    binary, half = rs.load(tmp_path / "binary"), Table(first.vocabulary, first.rows.astype(np.float16))
    merged = merge([binary, Table(first.vocabulary, first.rows)], align=False)
    np.testing.assert_allclose(merged.rows[:50], (binary.rows[:50] + first.rows) / 2, atol=1e-6)
    assert merged.vocabulary[50:] == ["[UNK]"]  # which quantized tables have, with zeros
    assert not merged.rows[50].any()
    assert merge([half, half]).rows.dtype == np.float16
    assert merge([half, first]).rows.dtype == np.float32


@pytest.mark.parametrize("format", ["sentence-transformers", "word2vec", "npz"])
def test_tables_of_other_formats_are_merged(first, second, tmp_path, format):
    paths = [tmp_path / name for name in ("one", "two")]
    for table, path in zip((first, second), paths, strict=True):
        table.save(path, format=format)
    merged = merge([rs.load(path) for path in paths])
    expected = merge([first, second])
    np.testing.assert_allclose(merged[expected.vocabulary], expected.rows, atol=1e-5)


def test_wrong_input_is_refused(first, second):
    narrow = Table(["word0"], np.ones((1, 3)))
    ngrams = Table(first.vocabulary, first.rows, subwords=Subwords(np.ones((1, 8)), first.rows, np.zeros(1, np.int32)))
    cased = Table(first.vocabulary, first.rows, tokenizer=WordTokenizer(first.vocabulary, cased=True).to_json())
    for tables, options, message in [
        ([first], {}, "at least 2 for method 'average', got 1"),
        (first, {}, "at least 2 for method 'average', got 1"),
        (["a", "b"], {}, "'a' is not a table; open a path with rowspace.load"),
        ([], {"method": "task", "base": first}, "at least 1 for method 'task', got 0"),
        ([first] * 3, {"method": "slerp"}, "merges exactly 2 tables, not 3; use method='average'"),
        ([first] * 2, {"method": "ties"}, "method must be one of average, slerp, task, not 'ties'"),
        ([first] * 2, {"method": "task"}, "method 'task' needs a base"),
        ([first] * 2, {"base": first}, "method 'average' has no base"),
        ([first, narrow], {}, "table 2 has rows of 3 numbers and table 1 of 8"),
        ([first], {"method": "task", "base": narrow}, "the base has rows of 3 numbers"),
        ([first, ngrams], {}, "table 2 has rows of n-grams, which cannot be merged; merge the rows of its words"),
        ([first, cased], {}, r"different tokenizers \(WordLevel, WordLevel\)"),
        ([first, second], {"weights": [1]}, r"weights must be 2 numbers, one for each table, got \[1.0\]"),
        ([first, second], {"weights": "ab"}, "weights must be 2 numbers, one for each table, not 'ab'"),
        ([first, second], {"weights": [1, -1]}, "at least 0 and not all 0, got .*; method='task' takes negative"),
        ([first, second], {"weights": [0, 0]}, "at least 0 and not all 0"),
        ([first, second], {"weights": [1, np.nan]}, "weights must be 2 numbers"),
        ([first, Table(["x"], np.ones((1, 8)))], {}, "share no token .* merge the aligned tables with align=False"),
        ([first, Table(["x"], np.ones((1, 8)))], {"missing": "drop"}, "no token is in all tables"),
        ([first, second], {"way": "average"}, "merge has no option 'way'"),
    ]:
        with pytest.raises(UsageError, match=message):
            merge(tables, **options)


def test_tables_of_one_checkpoint_tokenizer_keep_it(first):
    pieces = json.dumps(json.loads(first.tokenizer) | {"added_tokens": [{"content": "word0"}]})
    one, two = (Table(first.vocabulary, rows, tokenizer=pieces) for rows in (first.rows, first.rows * 2))
    assert merge([one, two], align=False).tokenizer == pieces
    other = Table(first.vocabulary[::-1], first.rows, tokenizer=pieces)
    with pytest.raises(UsageError, match="different tokenizers"):
        merge([one, other])
