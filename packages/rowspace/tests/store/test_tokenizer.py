import json

import numpy as np
import pytest
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.store.tokenizer import read_tokens, table_of_tensor, tokenizer_json
from rowspace.table import Table

ROWS = np.eye(4, 3, dtype=np.float32)


def table_of(vocabulary, tokenizer=None):
    return Table(vocabulary, np.zeros((len(vocabulary), 1)), tokenizer=tokenizer)


def word_level(vocab, *, specials=()):
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tokenizer.add_special_tokens(list(specials))
    return tokenizer.to_str()


@pytest.mark.parametrize(
    "vocabulary", [[], ["a", "b"], ["b", "[UNK]", "a"], ["", "\0", "\n", '"', "\\", " ", "né", "😀"]]
)
def test_generated_tokenizer_equals_the_librarys(vocabulary):
    text, unknown_rows = tokenizer_json(table_of(vocabulary))
    vocab = {token: number for number, token in enumerate(vocabulary)} | (
        {} if "[UNK]" in vocabulary else {"[UNK]": len(vocabulary)}
    )
    expected = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    expected.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert json.loads(text) == json.loads(expected.to_str())
    assert unknown_rows == len(vocab) - len(vocabulary)


def test_generated_tokenizer_splits_at_whitespace_and_maps_unknown_words():
    tokenizer = Tokenizer.from_str(tokenizer_json(table_of(["cat", "[UNK]", "dog"]))[0].decode())
    assert tokenizer.encode("cat\u3000dog  Cat cat,\n").ids == [0, 2, 1, 1]


def test_tokenizer_of_the_table_is_kept_and_extra_ids_are_counted():
    text = word_level({"a": 0, "b": 1, "[UNK]": 2}, specials=["[CLS]", "[SEP]"])
    assert tokenizer_json(table_of(["a", "b"], text)) == (text.encode(), 3)


@pytest.mark.parametrize(
    ("tokenizer", "complaint"),
    [
        ("", "does not open"),
        ("\ud800", "does not open"),
        ('{"version": "1.0"}', "does not open"),
        (word_level({"a": 1, "b": 0, "[UNK]": 2}), "gives 'a' the id 1, but its row is 0"),
        (word_level({"a": 0, "[UNK]": 1}), "gives 'b' the id None, but its row is 1"),
        (word_level({"a": 0, "b": 1, "[UNK]": 3}), "the 3 ids of the table's tokenizer are not 0..2"),
    ],
)
def test_tokenizer_whose_ids_differ_from_the_rows_is_refused(tokenizer, complaint):
    with pytest.raises(UsageError, match=complaint):
        tokenizer_json(table_of(["a", "b"], tokenizer))


def test_token_with_a_lone_surrogate_is_named_in_the_error():
    with pytest.raises(UsageError, match=r"token '\\ud800' \(id 1\) holds half a surrogate pair"):
        tokenizer_json(table_of(["a", "\ud800"]))


def test_tokens_and_added_tokens_are_ordered_by_id(tmp_path, words, tokenizer_of):
    tokenizer = tokenizer_of()
    tokenizer.add_tokens([AddedToken("New York"), "[MASK]"])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    tokens, text = read_tokens(tmp_path / "tokenizer.json")
    assert tokens == [*words, "New York", "[MASK]"]
    assert Tokenizer.from_str(text).get_vocab() == tokenizer.get_vocab()


def test_id_without_a_token_gets_a_placeholder(tmp_path, tokenizer_of):
    tokenizer_of([4, 0, 1, 3]).save(str(tmp_path / "tokenizer.json"))
    tokens, _ = read_tokens(tmp_path / "tokenizer.json")
    assert tokens == ["cat", "né", "[id 2 has no token]", "한국", "[UNK]"]


def test_choice_between_two_tokens_with_one_id_is_deterministic(tmp_path, tokenizer_of):
    text = tokenizer_of().to_str()
    (tmp_path / "tokenizer.json").write_text(text.replace(':2,"', ':1,"').replace(":3}", ":1}"))
    for _ in range(20):  # the library returns them in random order
        assert read_tokens(tmp_path / "tokenizer.json")[0] == ["[UNK]", "cat"]


@pytest.mark.parametrize("highest", [10_000, 2**32 - 2])
def test_implausibly_large_ids_are_refused_before_allocating(tmp_path, tokenizer_of, highest):
    (tmp_path / "tokenizer.json").write_text(tokenizer_of().to_str().replace(":3}", f":{highest}}}"))
    with pytest.raises(FileFormatError, match=f"tokenizer.json: has ids up to {highest:,} for 4 tokens; restore"):
        read_tokens(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("content", [b"", b"{}", b"null", b"\xff", b'{"model": 1}', b"[" * 10_000])
def test_file_that_is_not_a_tokenizer_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(
        FileFormatError, match=r"tokenizer\.json: does not open as a tokenizer \(.*\); restore the file"
    ):
        read_tokens(tmp_path / "tokenizer.json")


def test_tokenizer_that_makes_the_library_panic_is_refused(tmp_path, tokenizer_of, capfd):
    document = json.loads(tokenizer_of().to_str()) | {"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: does not open as a tokenizer \(Precompiled: "):
        read_tokens(tmp_path / "tokenizer.json")
    assert "panicked" in capfd.readouterr().err  # printed by Rust


def test_missing_tokenizer_error_says_how_to_write_one(tmp_path):
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: missing, .* AutoTokenizer\.from_pretrained"):
        read_tokens(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").mkdir()
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: a folder is there, expected a file"):
        read_tokens(tmp_path / "tokenizer.json")


@pytest.fixture
def folder(tmp_path, tokenizer_of):
    tokenizer_of().save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_table_combines_rows_and_tokens(folder, words, tokenizer_of):
    table = table_of_tensor(ROWS, folder, "rows", limit=None, settings={"normalize": True})
    assert table.vocabulary == words
    assert table.rows is ROWS or np.shares_memory(table.rows, ROWS)
    assert json.loads(table.tokenizer) == json.loads(tokenizer_of().to_str())
    assert table.settings == {"normalize": True}


@pytest.mark.parametrize("limit", [None, 9, 4])
def test_rows_without_a_token_are_dropped_with_a_warning(folder, words, limit):
    rows = np.eye(7, 3)
    with pytest.warns(UserWarning, match=r"^rows: the last 3 of 7 rows belong to no token of tokenizer.json"):
        table = table_of_tensor(rows, folder, "rows", limit=None)
    assert (table.vocabulary, table.rows.tolist()) == (words, rows[:4].tolist())
    if limit == 4:
        assert table_of_tensor(rows[:4], folder, "rows", limit=4).tokenizer is not None


@pytest.mark.parametrize("limit", [1, 3])
def test_limit_below_the_number_of_ids_drops_the_tokenizer(folder, words, limit):
    table = table_of_tensor(ROWS[:limit], folder, "rows", limit=limit)
    assert (table.vocabulary, table.tokenizer) == (words[:limit], None)


@pytest.mark.parametrize("limit", [None, 3, 4])
def test_fewer_rows_than_ids_are_refused(folder, limit):
    with pytest.raises(
        FileFormatError, match=r"rows: has 2 rows, but .* has 4 ids: the first without a row is 2, 'né'"
    ):
        table_of_tensor(ROWS[:2], folder, "rows", limit=limit)


@pytest.mark.parametrize("rows", [ROWS[0], ROWS[None], ROWS.astype(int), ROWS[:, :0]])
def test_unsuitable_rows_are_refused(folder, rows):
    with pytest.raises(RowspaceError, match=r"expected \(V, d\) floats|rows must be at least 1 wide"):
        table_of_tensor(rows, folder, "rows", limit=None)
