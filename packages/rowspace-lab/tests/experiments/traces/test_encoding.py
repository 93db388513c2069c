import base64
import json
from functools import cache
from pydoc_data.topics import topics

import pytest
from hypothesis import given, strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import bytes_to_alphabet
from rowspace.text.tokenizers.sentencepiece_reader import open_sentencepiece
from rowspace.text.tokenizers.tiktoken_reader import open_ranks
from rowspace_lab.experiments import trace_encoding

AWKWARD = [
    "",
    "a",
    " ",
    "the class of the object",
    "  \n\n the\tclass  ",
    "🙂🙂 👩‍👩‍👧 class🙂",
    "안녕하세요 세계",
    "e\u0301 é naïve",
    "a\0b \0",
    "aaaaaaaaaaaaaaa",
    "[MASK] the [MASK]class <s>",
    "\ud800 half a character",
    "statement" * 500,
]


@cache
def tokenizer(kind: str) -> Tokenizer:
    """Return a BPE tokenizer trained by the `tokenizers` library, configured like a published one."""
    options: dict[str, object] = {"vocab_size": 600, "show_progress": False, "special_tokens": ["[UNK]", "[MASK]"]}
    model: dict[str, object] = {"unk_token": "[UNK]"}
    if kind == "gpt2":
        model = {}
        options |= {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet(), "special_tokens": ["[MASK]"]}
    elif kind == "prefix":
        options["continuing_subword_prefix"] = "##"
        model["continuing_subword_prefix"] = "##"
    elif kind == "suffix":
        options["end_of_word_suffix"] = model["end_of_word_suffix"] = "</w>"
    elif kind == "fuse":
        model |= {"fuse_unk": True}
    elif kind == "llama":
        options["special_tokens"] = ["[UNK]", *(f"<0x{byte:02X}>" for byte in range(256))]
        options["vocab_size"] = 900
        model |= {"fuse_unk": True, "byte_fallback": True}
    elif kind == "no-unknown":
        model = {}
    library = Tokenizer(models.BPE(**model))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    if kind == "gpt2":
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        library.post_processor = processors.ByteLevel(trim_offsets=True)
        library.decoder = decoders.ByteLevel()
    elif kind == "llama":
        library.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        library.pre_tokenizer = None
    # Half of the lines suffice, and separate lines keep the words of "llama" short.
    library.train_from_iterator("\n".join(topics.values()).split("\n")[::2], trainers.BpeTrainer(**options))
    return library


def with_model_options(library: Tokenizer, **model: object) -> Tokenizer:
    document = json.loads(library.to_str())
    document["model"] |= model
    return Tokenizer.from_str(json.dumps(document))


def final_tokens(text: str, library: Tokenizer) -> list[str]:
    """Return the tokens after the last merge; each merge must have joined as many pairs as it reports."""
    merges = list(trace_encoding(text, library))
    for merge in merges:
        assert len(merge.tokens_before) - len(merge.tokens) == merge.count > 0
    if merges:
        return merges[-1].tokens
    return library.encode(text.replace("\ud800", "�"), add_special_tokens=False).tokens


KINDS = ["plain", "gpt2", "prefix", "suffix", "fuse", "llama", "no-unknown"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", AWKWARD)
def test_final_tokens_equal_the_librarys(kind: str, text: str) -> None:
    # Parity with the `tokenizers` library.
    library = tokenizer(kind)
    assert final_tokens(text, library) == library.encode(text.replace("\ud800", "�"), add_special_tokens=False).tokens


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(st.sampled_from("theclassobjin ĠN\n.é🙂안"), max_size=80) | st.text(max_size=20))
def test_final_tokens_of_random_text_equal_the_librarys(kind: str, text: str) -> None:
    # Parity with the `tokenizers` library.
    library = tokenizer(kind)
    assert final_tokens(text, library) == library.encode(text, add_special_tokens=False).tokens


@given(
    merges=st.lists(
        st.tuples(st.text("ab", min_size=1, max_size=3), st.text("ab", min_size=1, max_size=3)), max_size=8
    ),
    text=st.text("ab", max_size=12),
)
def test_merge_lists_in_any_order_are_supported(merges: list[tuple[str, str]], text: str) -> None:
    # Training never gives such lists: a merge before the merges of its parts, several merges that make one token.
    # Parity with the `tokenizers` library.
    tokens = ["a", "b", *(part for left, right in merges for part in (left, right, left + right))]
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    library = Tokenizer(models.BPE(vocabulary, merges))
    assert final_tokens(text, library) == library.encode(text).tokens


def test_ranks_increase_for_merges_in_training_order() -> None:
    library = tokenizer("gpt2")
    ranks = [merge.rank for merge in trace_encoding("the statement of an object", library)]
    assert ranks == sorted(ranks)
    merges = json.loads(library.to_str())["model"]["merges"]
    for merge in trace_encoding("the statement", library):
        assert [merge.left, merge.right] == merges[merge.rank]


def test_ignore_merges_keeps_vocabulary_words_whole() -> None:
    # "aba" is in the vocabulary but no merge produces it; "bb" is, and a merge does.
    model = models.BPE({"a": 0, "b": 1, "ab": 2, "aba": 3, "bb": 4}, [("a", "b"), ("b", "b")], ignore_merges=True)
    library = Tokenizer(model)
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    merges = list(trace_encoding("aba abb bb", library))
    assert [(merge.rank, merge.count) for merge in merges] == [(0, 1), (1, 1)]
    assert merges[-1].tokens == library.encode("aba abb bb").tokens == ["aba", "ab", "b", "bb"]


@given(text=st.text("theclas \n.é", max_size=60))
def test_ignore_merges_on_random_text_equals_the_library(text: str) -> None:
    # Parity with the `tokenizers` library.
    library = with_model_options(tokenizer("gpt2"), ignore_merges=True)
    assert final_tokens(text, library) == library.encode(text).tokens


def test_dropout_truncation_padding_and_special_tokens_are_ignored() -> None:
    library = with_model_options(tokenizer("plain"), dropout=0.9)
    library.enable_truncation(3)
    library.enable_padding(length=50)
    library.post_processor = processors.TemplateProcessing(single="[MASK] $A", special_tokens=[("[MASK]", 1)])
    text = "the statement of the class"
    assert list(trace_encoding(text, library))[-1].tokens == tokenizer("plain").encode(text).tokens


def test_added_tokens_stay_whole() -> None:
    library = Tokenizer.from_str(tokenizer("plain").to_str())
    library.add_tokens([AddedToken("the class", single_word=False)])
    assert list(trace_encoding("statement the class", library))[-1].tokens[-1] == "the class"


def test_tokenizer_without_merges_is_refused() -> None:
    library = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}))
    with pytest.raises(UsageError, match="of kind WordPiece"):
        trace_encoding("a", library)


@pytest.mark.parametrize("text", AWKWARD)
def test_final_tokens_equal_tiktokens(text: str, ranks_file: bytes) -> None:
    encoding = open_ranks(ranks_file, "x", pattern="cl100k_base")
    merges = list(trace_encoding(text, encoding))
    expected = [bytes_to_alphabet(encoding.token_bytes(number) or b"") for number in encoding.encode(text).tolist()]
    if merges:
        assert merges[-1].tokens == expected
        assert "".join(merges[0].tokens_before) == "".join(expected)
    else:
        assert all(len(token) == 1 for token in expected)


@given(
    tokens=st.lists(st.text("abc", min_size=2, max_size=4), unique=True, max_size=12),
    text=st.text("abc", min_size=1, max_size=30),
)
def test_tiktoken_ranks_in_any_order_are_supported(tokens: list[str], text: str) -> None:
    # Two pairs can make one token, and tiktoken keeps a word with a rank whole even if no merges produce it.
    ranks = {bytes([byte]): byte for byte in range(256)} | {token.encode(): 256 + i for i, token in enumerate(tokens)}
    data = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    encoding = open_ranks(data + b"eno= 300\n", "x", pattern=r"\w+")
    text = f"{text} zz"  # ensures at least one merge
    *_, last = trace_encoding(text, encoding)
    assert last.tokens == [encoding.token(number) for number in encoding.encode(text).tolist()]


def test_merge_ranks_equal_tiktokens(ranks_file: bytes, tiny_ranks: dict[bytes, int]) -> None:
    first, *_, last = trace_encoding(" the", open_ranks(ranks_file, "x", pattern="gpt2"))
    assert (first.left + first.right, first.rank) == (first.merged, tiny_ranks[first.merged.replace("Ġ", " ").encode()])
    assert (last.merged, last.rank) == ("Ġthe", tiny_ranks[b" the"])


def test_sentencepiece_is_refused(bpe_model: bytes) -> None:
    with pytest.raises(UsageError, match=r"a trace of merges needs a tokenizer\.json"):
        trace_encoding("a", open_sentencepiece(bpe_model, "x"))


def test_repeated_words_are_merged_in_one_step_and_counted() -> None:
    # Regression: with merges out of training order, each occurrence used to get steps of its own.
    model = models.BPE({"a": 0, "b": 1, "c": 2, "abc": 3, "ab": 4}, [("ab", "c"), ("a", "b")])
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    merges = list(trace_encoding("abc ab abc", tokenizer))
    assert [(merge.merged, merge.count) for merge in merges] == [("ab", 2), ("abc", 2), ("ab", 1)]
    assert merges[-1].tokens == ["abc", "ab", "abc"]
