import hashlib
import json
import socket
import sys
import tempfile
from pathlib import Path

import pytest
import tiktoken.load
from tiktoken_ext import openai_public

from rowspace.errors import FileFormatError, MissingExtraError, UsageError
from rowspace.files.tokenizer_json import bytes_to_alphabet
from rowspace.text.tokenizers.tiktoken_encodings import described, encoding_names, names_of_ranks, require_tiktoken


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(tiktoken.load, "read_file", refuse)


def cache_name(url: str) -> str:
    return hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()


@pytest.mark.parametrize("name", openai_public.ENCODING_CONSTRUCTORS)
def test_description_is_the_owners(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = described(name, with_ranks=False)
    for reader in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
        monkeypatch.setattr(openai_public, reader, lambda *_, **__: {})
    expected = openai_public.ENCODING_CONSTRUCTORS[name]()
    assert (found.name, found.pattern, found.special_tokens) == (name, expected["pat_str"], expected["special_tokens"])


@pytest.mark.parametrize("name", openai_public.ENCODING_CONSTRUCTORS)
def test_data_that_is_not_here_is_not_fetched(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(
        FileFormatError, match=f"{name!r} is not on this machine .{tmp_path}/[0-9a-f]+ is not there"
    ) as caught:
        described(name)
    assert "rowspace downloads nothing; let tiktoken.get_encoding" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(FileFormatError, match=f"{tmp_path}/data-gym-cache/"):
        described("r50k_base")
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path / "gym"))
    with pytest.raises(FileFormatError, match=f"{tmp_path}/gym/"):
        described("r50k_base")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    with pytest.raises(FileFormatError, match="TIKTOKEN_CACHE_DIR is empty"):
        described("r50k_base")


def test_damaged_data_is_told_and_left_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    path = tmp_path / cache_name("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken")
    path.write_bytes(b"damaged")
    with pytest.raises(FileFormatError, match=f"{path}: is damaged: its SHA-256"):
        described("cl100k_base")
    assert path.exists()  # tiktoken itself removes it, to fetch it again


def test_encoder_of_gpt2(tiny_ranks: dict[bytes, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GPT-2's own files hold ranks in another form; the expected ones are those that went into them."""
    encoder = {bytes_to_alphabet(token): rank for token, rank in tiny_ranks.items()} | {"<|endoftext|>": 400}
    data = json.dumps(encoder).encode()
    body = f"""def gpt2():
    return {{
        "name": "gpt2",
        "pat_str": r50k_pat_str,
        "mergeable_ranks": data_gym_to_mergeable_bpe_ranks(
            vocab_bpe_file="https://example.invalid/vocab.bpe",
            encoder_json_file="https://example.invalid/encoder.json",
            vocab_bpe_hash="",
            encoder_json_hash="{hashlib.sha256(data).hexdigest()}",
        ),
        "special_tokens": {{"<|endoftext|>": 400}},
    }}"""
    made = dict(vars(openai_public))
    exec(body, made)  # noqa: S102
    monkeypatch.setitem(openai_public.ENCODING_CONSTRUCTORS, "gpt2", made["gpt2"])
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / cache_name("https://example.invalid/encoder.json")).write_bytes(data)
    assert described("gpt2").ranks == tiny_ranks


def test_description_that_reads_otherwise_fails_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = dict(vars(openai_public)) | {"fetch_anew": tiktoken.load.read_file_cached}
    exec("def gpt2():\n    return fetch_anew('https://example.invalid')", made)  # noqa: S102
    monkeypatch.setitem(openai_public.ENCODING_CONSTRUCTORS, "gpt2", made["gpt2"])
    monkeypatch.setattr(openai_public, "fetch_anew", tiktoken.load.read_file_cached, raising=False)
    with pytest.raises(UsageError, match=r"this version of tiktoken describes 'gpt2' in a way .* 'fetch_anew'"):
        described("gpt2")


def test_file_that_no_encoding_has() -> None:
    assert names_of_ranks(b"IQ== 0\n") == []
    assert "cl100k_base" in encoding_names()


def test_without_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtraError, match=r"^this needs tiktoken: pip install 'rowspace\[tiktoken\]'$"):
        require_tiktoken("this")
