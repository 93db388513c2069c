import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

import rowspace as rs
from rowspace.errors import UnknownTokenError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.server.query import Query
from rowspace_lab.shared.sentence import known_sentence, read_sentence


def sentence_of(lab: Lab, text: str):
    return read_sentence(lab, Query({"text": [text]}))


def ids_by_call(lab: Lab, sentence) -> list[int]:
    return sentence.call(lab.table).tolist()


def test_text_is_split_by_the_tokenizer_of_the_table(lab) -> None:
    sentence = sentence_of(lab, "Read the zyzzyva!")
    assert [(piece["text"], piece["token"], piece["row"]) for piece in sentence.fields["pieces"]] == [
        ("Read", "read", True),
        ("the", "the", True),
        ("zyzzyva", "[UNK]", False),
    ]
    assert sentence.ids.tolist() == [lab.table.id("read"), lab.table.id("the")] == ids_by_call(lab, sentence)
    assert sentence.fields["tokens"] == ["read", "the"]


def test_text_is_split_into_words_without_a_tokenizer(small_lab) -> None:
    lab = small_lab(["the", "Cat", "<script>", "שלום"], np.eye(4, dtype=np.float32))
    sentence = sentence_of(lab, "The Cat cat\n<script> שלום")
    assert [piece["id"] for piece in sentence.fields["pieces"]] == [0, 1, None, 2, 3]
    assert [piece["token"] for piece in sentence.fields["pieces"]] == ["the", "Cat", "cat", "<script>", "שלום"]
    assert sentence.ids.tolist() == [0, 1, 2, 3] == ids_by_call(lab, sentence)


def test_word_pieces_keep_their_source_text(tmp_path) -> None:
    library = Tokenizer(BPE({"Ġ": 0, "a": 1, "Ġa": 2}, [("Ġ", "a")]))
    library.pre_tokenizer = ByteLevel(add_prefix_space=False)
    path = str(tmp_path / "table")
    rs.Table(["Ġ", "a", "Ġa"], np.eye(3), tokenizer=library.to_str()).save(path)
    sentence = sentence_of(Lab(rs.load(path), path), "a a")
    assert [(piece["text"], piece["token"]) for piece in sentence.fields["pieces"]] == [("a", "a"), (" a", "Ġa")]


def test_default_text_uses_tokens_of_an_unfamiliar_tokenizer(tmp_path) -> None:
    library = Tokenizer(BPE({"q": 0, "j": 1}, []))
    path = str(tmp_path / "table")
    rs.Table(["q", "j"], np.eye(2), tokenizer=library.to_str()).save(path)
    assert read_sentence(Lab(rs.load(path), path), Query()).ids.tolist() == [0, 1, 0]


@pytest.mark.parametrize(("dim", "kept"), [(2, 64), (50_000, 5), (300_000, 1)])
def test_long_text_is_truncated_with_a_note(small_lab, dim: int, kept: int) -> None:
    lab = small_lab(["a"], np.zeros((1, dim), np.float32))
    sentence = sentence_of(lab, "a " * 100)
    assert (len(sentence.ids), sentence.fields["left_out"]) == (kept, 100 - kept)
    assert ids_by_call(lab, sentence) == [0] * kept


def test_default_text_repeats_a_word(lab) -> None:
    ids = read_sentence(lab, Query()).ids
    assert len(set(ids.tolist())) < len(ids)


@pytest.mark.parametrize("vocabulary", [["q" * 1000], ["zwei", "drei"], ["q" * 5000, "b"], ["\u202e<script>"]])
def test_default_text_uses_tokens_of_an_unfamiliar_table(small_lab, vocabulary: list[str]) -> None:
    sentence = read_sentence(small_lab(vocabulary, np.ones((len(vocabulary), 3))), Query())
    assert any(piece["row"] for piece in sentence.fields["pieces"]) == (len(vocabulary[0]) < 4000)


def test_text_without_known_tokens_is_refused_where_rows_are_required(lab, small_lab) -> None:
    with pytest.raises(UnknownTokenError, match=r"no token of this text has a row .* such as 'a'"):
        known_sentence(small_lab(["a"], np.ones((1, 1))), Query({"text": ["b"]}))
    assert read_sentence(lab, Query({"text": [""]})).ids.tolist() == []


def test_text_longer_than_4000_characters_is_refused(lab) -> None:
    with pytest.raises(UsageError, match="text must have at most 4,000 characters"):
        sentence_of(lab, "a" * 4001)


def test_default_text_matches_the_kind_of_table(lab, bert_lab, small_lab) -> None:
    assert read_sentence(lab, Query()).fields["text"] == "read the list, write the list"
    english = small_lab(["the", "cat", "sat", "on", "mat", "read", "list", "write"], np.ones((8, 2)))
    assert read_sentence(english, Query()).fields["text"] == "the cat sat on the mat"
    text = read_sentence(bert_lab, Query()).fields["text"]
    assert "unused" not in text
    assert "[" not in text


def test_default_text_has_no_commas_without_a_tokenizer(small_lab) -> None:
    words = ["self", "def", "return", "none", "import", "str", "read", "the", "list", "write"]
    sentence = read_sentence(small_lab(words, np.ones((len(words), 2))), Query())
    assert sentence.fields["text"] == "read the list write the list"
    assert all(piece["row"] for piece in sentence.fields["pieces"])
