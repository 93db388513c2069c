# ruff: noqa: S106  # an unknown token is no password
import json

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from rowspace.errors import UsageError
from rowspace.store.tokenizer import tokenizer_json
from rowspace.table import Table


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
