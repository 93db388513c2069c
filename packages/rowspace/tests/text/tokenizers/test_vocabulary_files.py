"""Vocabulary files of older folders; the expected ids come from transformers, which opens the same folders."""

import json
from pathlib import Path
from typing import Any

import pytest
import transformers
from hypothesis import HealthCheck, given, settings, strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.text.tokenizers.vocabulary_files import open_bert, open_gpt2

PIECES = [
    "the ",
    " cat",
    "CAT",
    "naïve",
    "e\u0301",
    "안녕",
    "中文",
    "👩‍👩‍👧",
    "\0",
    "\n\n",
    "  \t",
    "<mask>",
    "[MASK]",
    "<|endoftext|>",
]
TEXT = st.text() | st.lists(st.sampled_from([*PIECES, "zz", "zq"])).map("".join)
FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(scope="module")
def lines(english: Path) -> list[str]:
    return english.read_text(encoding="utf-8")[:50_000].split("\n")


@pytest.fixture(scope="module")
def bert_tokens(lines: list[str]) -> str:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(
        [*lines, "naïve 中文"], trainers.WordPieceTrainer(vocab_size=500, special_tokens=special, show_progress=False)
    )
    ids = made.get_vocab()
    return "".join(f"{token}\n" for token in sorted(ids, key=ids.__getitem__))


@pytest.fixture(scope="module")
def gpt2_model(lines: list[str]) -> dict[str, Any]:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False))
    model: dict[str, Any] = json.loads(made.to_str())["model"]
    return model


def write(folder: Path, **files: object) -> Path:
    for name, content in files.items():
        path = folder / (f"{name}.txt" if isinstance(content, str) else f"{name}.json")
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def merges_text(model: dict[str, Any]) -> str:
    return "#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in model["merges"])


BERTS: list[dict[str, Any]] = [
    {},
    {"do_lower_case": False},
    {"do_lower_case": False, "strip_accents": True},
    {"strip_accents": False, "tokenize_chinese_chars": False},
    {"additional_special_tokens": ["zz"]},
]


@pytest.mark.longer
@pytest.mark.parametrize("settings_", BERTS)
def test_bert_ids_equal_those_of_transformers(bert_tokens: str, settings_: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, vocab=bert_tokens, tokenizer_config=settings_, config={"model_type": "bert"})
    theirs, ours = transformers.AutoTokenizer.from_pretrained(tmp_path), open_bert(tmp_path)
    assert (len(ours), ours.kind) == (len(theirs), "wordpiece")

    @FIXED
    @given(TEXT)
    def check(text: str) -> None:
        assert ours.encode(text).tolist() == theirs(text, add_special_tokens=False)["input_ids"]

    check()


GPTS: list[tuple[str, dict[str, Any]]] = [
    ("gpt2", {}),
    ("gpt2", {"add_prefix_space": True}),
    ("gpt2", {"mask_token": "<mask>", "additional_special_tokens": ["zz", "zq"]}),
    ("roberta", {}),
    ("roberta", {"add_prefix_space": False, "mask_token": "zz"}),
]


@pytest.mark.longer
@pytest.mark.parametrize(("kind", "settings_"), GPTS)
def test_gpt2_and_roberta_ids_equal_those_of_transformers(
    gpt2_model: dict[str, Any], kind: str, settings_: dict[str, Any], tmp_path: Path
) -> None:
    write(tmp_path, vocab=gpt2_model["vocab"], merges=merges_text(gpt2_model))
    write(tmp_path, tokenizer_config=settings_, config={"model_type": kind})
    theirs, ours = transformers.AutoTokenizer.from_pretrained(tmp_path), open_gpt2(tmp_path)
    assert (len(ours), ours.kind) == (len(theirs), "bpe")

    @FIXED
    @given(TEXT)
    def check(text: str) -> None:
        assert ours.encode(text).tolist() == theirs(text, add_special_tokens=False)["input_ids"]

    check()


def token(content: str, *, special: bool = False, **flags: bool) -> dict[str, Any]:
    plain = dict.fromkeys(("lstrip", "rstrip", "normalized", "single_word"), False)
    return {"content": content, "special": special} | plain | flags


def test_added_tokens_equal_those_of_transformers(gpt2_model: dict[str, Any], tmp_path: Path) -> None:
    added = {"400": token("<|endoftext|>", special=True), "401": token("zz", lstrip=True), "402": token("zq")}
    write(tmp_path, vocab=gpt2_model["vocab"], merges=merges_text(gpt2_model), config={"model_type": "gpt2"})
    write(tmp_path, tokenizer_config={"added_tokens_decoder": added})
    theirs, ours = transformers.AutoTokenizer.from_pretrained(tmp_path), open_gpt2(tmp_path)
    text = "the  zz cat zq <|endoftext|>"
    assert ours.encode(text).tolist() == theirs(text, add_special_tokens=False)["input_ids"]
    assert (len(ours), ours.special_ids, ours.token(401)) == (403, {400}, "zz")


def test_added_tokens_json_of_older_folders_is_read(bert_tokens: str, tmp_path: Path) -> None:
    write(tmp_path, vocab=bert_tokens, added_tokens={"zq": 501, "zz": 500}, config={"model_type": "bert"})
    ours = open_bert(tmp_path)
    assert (len(ours), ours.token(500), ours.token(501)) == (502, "zz", "zq")
    assert ours.encode("zq zz").tolist() == [501, 500]


@pytest.mark.parametrize("added", [{"zz": 700}, {"zz": "many"}, {"zz": None}])
def test_invalid_added_tokens_are_refused(bert_tokens: str, added: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, vocab=bert_tokens, added_tokens=added)
    with pytest.raises(FileFormatError, match="added token"):
        open_bert(tmp_path)


def test_windows_line_endings_are_accepted(bert_tokens: str, tmp_path: Path) -> None:
    write(tmp_path, vocab=bert_tokens)
    expected = open_bert(tmp_path).vocabulary
    (tmp_path / "vocab.txt").write_bytes(bert_tokens.replace("\n", "\r\n").encode())
    assert open_bert(tmp_path).vocabulary == expected


def test_json_can_be_opened_by_the_library(bert_tokens: str, tmp_path: Path) -> None:
    ours = open_bert(write(tmp_path, vocab=bert_tokens))
    assert (
        Tokenizer.from_str(ours.json).encode("The cat", add_special_tokens=False).ids == ours.encode("The cat").tolist()
    )


@pytest.mark.parametrize(
    "config",
    [
        {"tokenizer_config": {"tokenizer_class": "CLIPTokenizer"}},
        {"tokenizer_config": {"tokenizer_class": "Qwen2TokenizerFast"}},
        {"config": {"tokenizer_class": "OpenAIGPTTokenizer"}},
        {"config": {"model_type": "ctrl"}},
    ],
)
def test_folders_of_other_tokenizer_classes_are_refused(
    gpt2_model: dict[str, Any], config: dict[str, Any], tmp_path: Path
) -> None:
    write(tmp_path, vocab=gpt2_model["vocab"], merges=merges_text(gpt2_model), **config)
    with pytest.raises(
        FileFormatError, match=r"are for a \w+ tokenizer, .* make a tokenizer.json: transformers.AutoTok"
    ):
        open_gpt2(tmp_path)
    (tmp_path / "vocab.txt").write_text("a\n")
    with pytest.raises(FileFormatError, match=r"vocab.txt are for a \w+ tokenizer"):
        open_bert(tmp_path)


def test_bert_without_its_basic_tokenizer_is_refused(bert_tokens: str, tmp_path: Path) -> None:
    write(tmp_path, vocab=bert_tokens, tokenizer_config={"do_basic_tokenize": False})
    with pytest.raises(FileFormatError, match="without its basic tokenizer"):
        open_bert(tmp_path)


@pytest.mark.parametrize(
    "settings_", [{"unk_token": "\ud800"}, {"added_tokens_decoder": {"500": {"content": "\ud800"}}}]
)
def test_tokens_with_lone_surrogates_are_refused(bert_tokens: str, settings_: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, vocab=bert_tokens, tokenizer_config=settings_)
    with pytest.raises(FileFormatError, match=str(tmp_path)):
        open_bert(tmp_path)


def test_settings_of_other_types_are_converted_to_bool(bert_tokens: str, tmp_path: Path) -> None:
    write(tmp_path, vocab=bert_tokens, tokenizer_config={"strip_accents": 0, "do_lower_case": 1})
    strange = open_bert(tmp_path).json
    write(tmp_path, vocab=bert_tokens, tokenizer_config={"strip_accents": False, "do_lower_case": True})
    assert open_bert(tmp_path).json == strange


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ({"a": 0, "b": 1}, "a b c\n", "line 1: expected two tokens, not 'a b c'"),
        ({"a": 0, "b": 1}, "#version: 0.2\n\nab\n", "line 3: expected two tokens"),
        ({"a": 0, "b": 1}, "a b\n", "vocab.json with merges.txt: does not open as a tokenizer"),
        ({"a": 0, "b": "1"}, "", "an id that is not a 31-bit number"),
        ({"a": 0, "b": -1}, "", "an id that is not a 31-bit number"),
        ({"a": 0, "b": 2**31}, "", "an id that is not a 31-bit number"),
        ({"a": 0, "b": 2**30}, "", "has ids up to"),
    ],
)
def test_damaged_files_are_refused(vocab: dict[str, Any], merges: str, message: str, tmp_path: Path) -> None:
    write(tmp_path, vocab=vocab, merges=merges)
    with pytest.raises(FileFormatError, match=str(tmp_path)) as caught:
        open_gpt2(tmp_path)
    assert message in str(caught.value)


@FIXED
@given(data=st.data())
def test_mutated_files_give_a_tokenizer_or_a_rowspace_error(data: st.DataObject, tmp_path: Path) -> None:
    files = {
        "vocab.json": '{"a": 0, "b": 1, "ab": 2}',
        "merges.txt": "#version: 0.2\na b\n",
        "tokenizer_config.json": "{}",
    }
    for name, text in files.items():
        place = data.draw(st.integers(0, len(text) - 1))
        mutated = text[:place] + data.draw(st.text(max_size=3)) + text[place + data.draw(st.integers(0, 3)) :]
        (tmp_path / name).write_bytes(mutated.encode())
    try:
        open_gpt2(tmp_path).encode("ab")
    except RowspaceError:
        return
