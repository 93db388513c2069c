"""Tokenizers that commands open, written by the libraries of their formats."""

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import pytest
import sentencepiece
import tiktoken
from tiktoken import _educational
from tiktoken_ext import openai_public

Run = Callable[..., Any]
TEXT = "the naïve cat sat on the mat, the cat <|endoftext|>"


@pytest.fixture(scope="module")
def encoding() -> tiktoken.Encoding:
    pattern = openai_public.r50k_pat_str
    ranks = _educational.bpe_train("\n".join(topics.values())[:20_000], 350, pattern, visualise=None)
    return tiktoken.Encoding("tiny", pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={})


@pytest.fixture
def ranks_path(tmp_path: Path, encoding: tiktoken.Encoding) -> str:
    path = tmp_path / "tiny.tiktoken"
    by_rank = {encoding.encode_single_token(token): token for token in encoding.token_byte_values()}
    path.write_bytes(b"".join(base64.b64encode(by_rank[rank]) + b" %d\n" % rank for rank in sorted(by_rank)))
    return str(path)


@pytest.fixture
def model_path(tmp_path: Path) -> str:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([TEXT] * 20), model_writer=model, model_type="bpe", vocab_size=40, minloglevel=2
    )
    path = tmp_path / "tiny.model"
    path.write_bytes(model.getvalue())
    return str(path)


def ids(run: Run, *arguments: str) -> list[int]:
    document = json.loads(run("split", TEXT, *arguments, "--json").stdout)
    return [token["id"] for token in document["texts"][0]["splits"][0]["tokens"]]


def test_split_with_tiktoken(run: Run, ranks_path: str, encoding: tiktoken.Encoding) -> None:
    assert ids(run, "--tokens", ranks_path, "--pattern", "gpt2") == encoding.encode_ordinary(TEXT)


def test_split_with_sentencepiece(run: Run, model_path: str) -> None:
    processor = sentencepiece.SentencePieceProcessor(model_file=model_path)
    assert ids(run, "--tokens", model_path) == processor.encode(TEXT)


def test_corpus_is_counted(run: Run, model_path: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the cat the\n")
    shown = run("split", "the", "--tokens", model_path, "--corpus", str(corpus)).stdout
    assert shown.splitlines()[3].split()[::2] == ["▁the", "2"]


def test_merges_of_tiktoken(run: Run, ranks_path: str) -> None:
    document = json.loads(run("merges", " the", "--tokens", ranks_path, "--pattern", "gpt2", "--json").stdout)
    assert document["merges"][-1]["tokens"] == ["Ġthe"]


def test_coverage_of_both(run: Run, ranks_path: str, model_path: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the cat sat\n")
    for arguments in ((ranks_path, str(corpus), "--pattern", "gpt2"), (model_path, str(corpus))):
        document = json.loads(run("coverage", *arguments, "--json").stdout)
        assert (document["words"], document["covered"]) == (3, 1.0)


@pytest.mark.parametrize("command", ["split", "merges"])
def test_sentencepiece_errors_are_reported(run: Run, command: str, model_path: str) -> None:
    more = ["--sizes", "10"] if command == "split" else []
    message = run(command, TEXT, "--tokens", model_path, *more, status=2).stderr
    assert "needs a tokenizer.json, and this tokenizer has none" in message


@pytest.mark.filterwarnings("default:.*holds ranks only")
def test_default_pattern_gives_a_warning(run: Run, ranks_path: str) -> None:
    assert "split with the pattern of cl100k_base" in run("split", TEXT, "--tokens", ranks_path).stderr


def test_encoding_that_was_not_downloaded_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert str(tmp_path) in run("split", TEXT, "--tokens", "o200k_base", status=1).stderr
