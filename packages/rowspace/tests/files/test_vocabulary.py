import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.vocabulary import StoredVocabulary, decode_vocabulary, encode_token_list, encode_vocabulary


@given(st.lists(st.text()))
def test_vocabulary_round_trips(vocabulary):
    assert decode_vocabulary(*encode_vocabulary(vocabulary), "x") == vocabulary


@pytest.mark.parametrize("part", [slice(1, 4), slice(None, None, 2), slice(None, None, -1), slice(4, 1), slice(9, 12)])
def test_slices_of_a_stored_vocabulary_equal_slices_of_the_list(part):
    tokens = ["a", "", "né", "\n", "한국"]
    assert StoredVocabulary(*encode_vocabulary(tokens), "x")[part] == tokens[part]


@pytest.mark.parametrize("tokens", [[], [""], ["\n"], ["", "\n", ""], ["a\nb", "c"], ["\r\n", "\x85", "\u2028"]])
def test_newlines_within_tokens_round_trip(tokens):
    assert decode_vocabulary(*encode_vocabulary(tokens), "x") == tokens


@pytest.mark.parametrize(
    ("run", "offsets", "complaint"),
    [
        (b"a\n", [1, 2], "do not increase from 0 to 2"),
        (b"a\n", [0, 3], "do not increase"),
        (b"a\nb\n", [0, 4, 2, 4], "do not increase"),
        (b"a\nb\n", [0, 2, 2, 4], "do not increase"),
        (b"a\nb\n", [0, -(2**63), 4], "do not increase"),
        (b"a\nb", [0, 2, 3], "token 1 does not end where"),
        (b"a\nb\n", [0, 1, 4], "token 0 does not end where"),
        (b"a\n\xff\n", [0, 2, 4], "token 1 is not valid UTF-8"),
        (b"a\nb\n\xc3\n", [0, 4, 6], "token 1 is not valid UTF-8"),
    ],
)
def test_inconsistent_offsets_and_invalid_utf8_are_refused(run, offsets, complaint):
    with pytest.raises(FileFormatError, match=f"^x: .*{complaint}"):
        decode_vocabulary(run, np.array(offsets, np.int64), "x")


def test_lone_surrogate_is_refused_with_its_id():
    with pytest.raises(UsageError, match=r"\(id 2\) holds half a surrogate pair"):
        encode_token_list(["a", "😀", "\udc80"])
