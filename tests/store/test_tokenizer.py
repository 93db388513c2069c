# ruff: noqa: S106  # an unknown token is no password
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


def own(vocab, *, specials=()):
    tokenizer = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tokenizer.add_special_tokens(list(specials))
    return tokenizer.to_str()


@pytest.mark.parametrize(
    "vocabulary", [[], ["a", "b"], ["b", "[UNK]", "a"], ["", "\0", "\n", '"', "\\", " ", "né", "😀"]]
)
def test_the_one_we_make_is_the_librarys_own(vocabulary):
    text, unknown_rows = tokenizer_json(table_of(vocabulary))
    vocab = {token: number for number, token in enumerate(vocabulary)} | (
        {} if "[UNK]" in vocabulary else {"[UNK]": len(vocabulary)}
    )
    expected = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    expected.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert json.loads(text) == json.loads(expected.to_str())
    assert unknown_rows == len(vocab) - len(vocabulary)


def test_the_one_we_make_splits_at_white_space_and_knows_the_unknown():
    tokenizer = Tokenizer.from_str(tokenizer_json(table_of(["cat", "[UNK]", "dog"]))[0].decode())
    assert tokenizer.encode("cat\u3000dog  Cat cat,\n").ids == [0, 2, 1, 1]


def test_a_tables_own_is_kept_and_its_other_ids_get_rows():
    text = own({"a": 0, "b": 1, "[UNK]": 2}, specials=["[CLS]", "[SEP]"])
    assert tokenizer_json(table_of(["a", "b"], text)) == (text.encode(), 3)


@pytest.mark.parametrize(
    ("tokenizer", "complaint"),
    [
        ("", "does not open"),
        ("\ud800", "does not open"),
        ('{"version": "1.0"}', "does not open"),
        (own({"a": 1, "b": 0, "[UNK]": 2}), "gives 'a' the id 1, but its row is 0"),
        (own({"a": 0, "[UNK]": 1}), "gives 'b' the id None, but its row is 1"),
        (own({"a": 0, "b": 1, "[UNK]": 3}), "the 3 ids of the table's tokenizer are not 0..2"),
    ],
)
def test_a_tables_own_whose_ids_are_not_its_rows_is_refused(tokenizer, complaint):
    with pytest.raises(UsageError, match=complaint):
        tokenizer_json(table_of(["a", "b"], tokenizer))


def test_a_token_that_no_file_can_hold_is_named():
    with pytest.raises(UsageError, match=r"token '\\ud800' \(id 1\) holds half a surrogate pair"):
        tokenizer_json(table_of(["a", "\ud800"]))


def test_tokens_stand_at_their_ids_and_added_ones_too(tmp_path, words, tokenizer_of):
    tokenizer = tokenizer_of()
    tokenizer.add_tokens([AddedToken("New York"), "[MASK]"])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    tokens, text = read_tokens(tmp_path / "tokenizer.json")
    assert tokens == [*words, "New York", "[MASK]"]
    assert Tokenizer.from_str(text).get_vocab() == tokenizer.get_vocab()


def test_an_id_without_a_token_is_named_as_one(tmp_path, tokenizer_of):
    tokenizer_of([4, 0, 1, 3]).save(str(tmp_path / "tokenizer.json"))
    tokens, _ = read_tokens(tmp_path / "tokenizer.json")
    assert tokens == ["cat", "né", "[id 2 has no token]", "한국", "[UNK]"]


def test_of_two_tokens_with_one_id_it_is_always_the_same(tmp_path, tokenizer_of):
    text = tokenizer_of().to_str()
    (tmp_path / "tokenizer.json").write_text(text.replace(':2,"', ':1,"').replace(":3}", ":1}"))
    for _ in range(20):  # the library gives them in any order
        assert read_tokens(tmp_path / "tokenizer.json")[0] == ["[UNK]", "cat"]


@pytest.mark.parametrize("highest", [10_000, 2**32 - 2])
def test_ids_that_are_absurd_are_refused_before_memory_is_taken(tmp_path, tokenizer_of, highest):
    (tmp_path / "tokenizer.json").write_text(tokenizer_of().to_str().replace(":3}", f":{highest}}}"))
    with pytest.raises(FileFormatError, match=f"tokenizer.json: has ids up to {highest:,} for 4 tokens; restore"):
        read_tokens(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("content", [b"", b"{}", b"null", b"\xff", b'{"model": 1}', b"[" * 10_000])
def test_what_is_no_tokenizer_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(
        FileFormatError, match=r"tokenizer\.json: does not open as a tokenizer \(.*\); restore the file"
    ):
        read_tokens(tmp_path / "tokenizer.json")


def test_a_tokenizer_that_makes_the_library_panic_is_refused(tmp_path, tokenizer_of, capfd):
    document = json.loads(tokenizer_of().to_str()) | {"normalizer": {"type": "Precompiled", "precompiled_charsmap": ""}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: does not open as a tokenizer \(Precompiled: "):
        read_tokens(tmp_path / "tokenizer.json")
    assert "panicked" in capfd.readouterr().err  # which Rust says by itself


def test_a_tokenizer_that_is_not_there_is_told_how_to_make_one(tmp_path):
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: missing, .* AutoTokenizer\.from_pretrained"):
        read_tokens(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").mkdir()
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: a directory is there, expected a file"):
        read_tokens(tmp_path / "tokenizer.json")


@pytest.fixture
def folder(tmp_path, tokenizer_of):
    tokenizer_of().save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_rows_and_tokens_are_joined(folder, words, tokenizer_of):
    table = table_of_tensor(ROWS, folder, "rows", limit=None, settings={"normalize": True})
    assert table.vocabulary == words
    assert table.rows is ROWS or np.shares_memory(table.rows, ROWS)
    assert json.loads(table.tokenizer) == json.loads(tokenizer_of().to_str())
    assert table.settings == {"normalize": True}


@pytest.mark.parametrize("limit", [None, 9, 4])
def test_rows_beyond_the_ids_are_left_out_with_a_warning(folder, words, limit):
    rows = np.eye(7, 3)
    with pytest.warns(UserWarning, match=r"^rows: the last 3 of 7 rows belong to no token of tokenizer.json"):
        table = table_of_tensor(rows, folder, "rows", limit=None)
    assert (table.vocabulary, table.rows.tolist()) == (words, rows[:4].tolist())
    if limit == 4:
        assert table_of_tensor(rows[:4], folder, "rows", limit=4).tokenizer is not None


@pytest.mark.parametrize("limit", [1, 3])
def test_the_first_rows_keep_no_tokenizer_whose_ids_go_further(folder, words, limit):
    table = table_of_tensor(ROWS[:limit], folder, "rows", limit=limit)
    assert (table.vocabulary, table.tokenizer) == (words[:limit], None)


@pytest.mark.parametrize("limit", [None, 3, 4])
def test_fewer_rows_than_ids_are_refused_where_it_shows(folder, limit):
    with pytest.raises(
        FileFormatError, match=r"rows: has 2 rows, but .* has 4 ids: the first without a row is 2, 'né'"
    ):
        table_of_tensor(ROWS[:2], folder, "rows", limit=limit)


@pytest.mark.parametrize("rows", [ROWS[0], ROWS[None], ROWS.astype(int), ROWS[:, :0]])
def test_rows_that_are_none_are_refused(folder, rows):
    with pytest.raises(RowspaceError, match=r"expected \(V, d\) floats|rows must be at least 1 wide"):
        table_of_tensor(rows, folder, "rows", limit=None)
