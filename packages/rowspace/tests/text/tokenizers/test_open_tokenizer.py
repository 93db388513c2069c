import base64
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tokenizers import Tokenizer

import rowspace as rs
from rowspace.errors import FileFormatError, MissingExtraError, RowspaceError, UsageError
from rowspace.text import open_tokenizer, whitespace_json
from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer
from rowspace.text.tokenizers.sentencepiece_reader import SentencePieceTokenizer
from rowspace.text.tokenizers.tiktoken_reader import TiktokenTokenizer

WORDS = whitespace_json(["the", "cat"])
FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.parametrize("name", ["tokenizer.json", "anything", "x.model", "x.tiktoken"])
def test_format_is_recognized_from_content(name: str, tmp_path: Path, ranks_file: bytes, unigram_model: bytes) -> None:
    path = tmp_path / name
    for data, kind in ((WORDS.encode(), HuggingFaceTokenizer), (unigram_model, SentencePieceTokenizer)):
        path.write_bytes(data)
        assert type(open_tokenizer(path)) is type(open_tokenizer(str(path))) is kind
    path.write_bytes(ranks_file)
    assert type(open_tokenizer(path, pattern="gpt2")) is TiktokenTokenizer


def test_tokenizer_json_with_a_byte_order_mark_opens(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes("\ufeff \n".encode() + WORDS.encode())
    assert open_tokenizer(tmp_path / "t").encode("the cat").tolist() == [0, 1]


def test_native_table_opens(tmp_path: Path) -> None:
    rs.Table(["the", "cat"], np.eye(2, dtype=np.float32)).save(tmp_path / "table")
    assert open_tokenizer(tmp_path / "table").vocabulary == ["the", "cat", "[UNK]"]


def test_static_sentence_transformers_folder_opens(tmp_path: Path) -> None:
    (tmp_path / "0_StaticEmbedding").mkdir()
    (tmp_path / "0_StaticEmbedding" / "tokenizer.json").write_text(WORDS)
    assert open_tokenizer(tmp_path).encode("cat").tolist() == [1]


def test_tokenizer_json_takes_precedence_over_other_files(tmp_path: Path, unigram_model: bytes) -> None:
    (tmp_path / "tokenizer.json").write_text(WORDS)
    (tmp_path / "vocab.txt").write_text("[UNK]\n")
    (tmp_path / "tokenizer.model").write_bytes(unigram_model)
    assert open_tokenizer(tmp_path).kind == "words"


@pytest.mark.parametrize("name", ["tokenizer.model", "spiece.model", "spm.model"])
def test_sentencepiece_model_opens_unless_its_ids_are_renumbered(
    name: str, tmp_path: Path, unigram_model: bytes
) -> None:
    (tmp_path / name).write_bytes(unigram_model)
    assert open_tokenizer(tmp_path).kind == "unigram"
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    assert open_tokenizer(tmp_path).kind == "unigram"
    # XLM-R shifts the model's ids.
    (tmp_path / "config.json").write_text('{"model_type": "xlm-roberta"}')
    with pytest.raises(FileFormatError, match=f"its {name} are for a xlm-roberta tokenizer, and do not say"):
        open_tokenizer(tmp_path)


@pytest.mark.parametrize("name", ["tokenizer.model", "qwen.tiktoken"])
def test_folder_with_tiktoken_ranks_opens(name: str, tmp_path: Path, ranks_file: bytes) -> None:
    (tmp_path / name).write_bytes(ranks_file)  # Llama 3 names its rank file tokenizer.model
    (tmp_path / "config.json").write_text('{"model_type": "any"}')
    assert type(open_tokenizer(tmp_path, pattern="cl100k_base")) is TiktokenTokenizer


def test_tokens_added_to_a_sentencepiece_model_give_a_warning(tmp_path: Path, unigram_model: bytes) -> None:
    (tmp_path / "tokenizer.model").write_bytes(unigram_model)
    size = len(open_tokenizer(tmp_path))
    added = {0: {"content": "<unk>"}, size: {"content": "<|im_start|>"}, size + 1: {"content": "<|im_end|>"}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}))
    with pytest.warns(UserWarning, match=r"2 added tokens that tokenizer.model does not contain, .*'<\|im_start\|>'"):
        assert len(open_tokenizer(tmp_path)) == size


def test_vocabulary_files_of_older_transformers_folders_open(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\ncat\n")
    assert open_tokenizer(tmp_path).kind == "wordpiece"
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1, "ab": 2}')
    (tmp_path / "merges.txt").write_text("a b\n")
    assert open_tokenizer(tmp_path).encode("ab").tolist() == [2]


@pytest.mark.parametrize("name", ["nothing", "", "a\0b", "x" * 300, "no/such/tokenizer.json"])
def test_missing_path_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"there is no file or folder .*; name a tokenizer\.json, a folder with one, "):
        open_tokenizer(name)


def test_encoding_names_are_looked_up_in_tiktokens_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(FileFormatError, match="'cl100k_base' is not on this machine"):
        open_tokenizer("cl100k_base")
    with pytest.raises(
        UsageError, match="there is no file or folder 'c9k_base', and the encodings of tiktoken are gpt2, "
    ):
        open_tokenizer("c9k_base")
    with pytest.raises(UsageError, match="pattern is for a tiktoken file of ranks, which 'gpt2' is not"):
        open_tokenizer("gpt2", pattern="gpt2")
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtraError, match="the encoding 'gpt2' needs tiktoken: pip install"):
        open_tokenizer("gpt2")


def test_existing_path_takes_precedence_over_an_encoding_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gpt2").mkdir()
    Path("gpt2", "tokenizer.json").write_text(WORDS)
    assert open_tokenizer("gpt2").kind == "words"


@pytest.mark.parametrize("data", [b"", b"the cat", b"\0\1\2", b"\n\n\n", b"\x89PNG", b"[1]"])
def test_other_files_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=f"^{path}: is not a supported tokenizer"):
        open_tokenizer(path)


def test_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=f"^{tmp_path}: has no supported tokenizer"):
        open_tokenizer(tmp_path)


def test_pattern_is_refused_for_other_formats(tmp_path: Path, unigram_model: bytes) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\n")
    (tmp_path / "json").write_text(WORDS)
    (tmp_path / "model").write_bytes(unigram_model)
    for path in (tmp_path, tmp_path / "json", tmp_path / "model"):
        with pytest.raises(UsageError, match="pattern is for a tiktoken file of ranks"):
            open_tokenizer(path, pattern="gpt2")


def test_code_in_a_folder_is_never_executed(tmp_path: Path) -> None:
    config = {"tokenizer_class": "EvilTokenizer", "auto_map": {"AutoTokenizer": ["evil.EvilTokenizer", None]}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (tmp_path / "vocab.txt").write_text("[UNK]\n")
    with pytest.raises(FileFormatError, match="for a Evil tokenizer"):
        open_tokenizer(tmp_path)
    assert not (tmp_path / "ran").exists()


@FIXED
@given(data=st.data())
def test_mutated_files_give_a_tokenizer_or_a_rowspace_error(data: st.DataObject, tmp_path: Path) -> None:
    ranks = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
    whole = data.draw(st.sampled_from([WORDS.encode(), ranks, b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02"]))
    place = data.draw(st.integers(0, len(whole) - 1))
    path = tmp_path / "file"
    path.write_bytes(whole[:place] + data.draw(st.binary(max_size=3)) + whole[place + data.draw(st.integers(0, 3)) :])
    try:
        tokenizer = open_tokenizer(path, pattern=data.draw(st.sampled_from([None, "gpt2"])))
    except (RowspaceError, UserWarning):
        return
    assert len(tokenizer.vocabulary) == len(tokenizer)


def test_json_can_be_opened_by_the_library(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(WORDS)
    assert Tokenizer.from_str(open_tokenizer(tmp_path).json or "").encode("cat").ids == [1]
