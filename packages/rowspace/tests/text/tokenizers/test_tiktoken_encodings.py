import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tiktoken_ext import openai_public

from rowspace.errors import FileFormatError, MissingExtraError
from rowspace.files.tokenizer_json import bytes_to_alphabet
from rowspace.text.tokenizers.tiktoken_encodings import (
    ENCODINGS,
    PublishedEncoding,
    encodings_with_ranks,
    read_cached_ranks,
    require_tiktoken,
)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that refuses connections, so that a download raises another error than the expected one."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")


def cache_name(url: str) -> str:
    return hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()


def test_table_equals_the_installed_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, tuple[str, str]] = {}
    for name, constructor in openai_public.ENCODING_CONSTRUCTORS.items():

        def ranks(url: str, expected_hash: str, name: str = name) -> dict[bytes, int]:
            files[name] = (url, expected_hash)
            return {}

        def encoder(*, encoder_json_file: str, encoder_json_hash: str, name: str = name, **_: str) -> dict[bytes, int]:
            return ranks(encoder_json_file, encoder_json_hash, name)

        # A real call would download the data.
        monkeypatch.setattr(openai_public, "load_tiktoken_bpe", ranks)
        monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", encoder)
        expected = constructor()
        assert ENCODINGS[name] == (expected["pat_str"], expected["special_tokens"], *files[name])
    assert list(ENCODINGS) == list(openai_public.ENCODING_CONSTRUCTORS)


@pytest.mark.parametrize("name", ENCODINGS)
def test_missing_data_is_not_downloaded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(
        FileFormatError, match=f"{name!r} is not on this machine .{tmp_path}/[0-9a-f]+ is not there"
    ) as caught:
        read_cached_ranks(name)
    assert "rowspace downloads nothing; let tiktoken.get_encoding" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_cache_directory_follows_tiktokens_environment_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    # Python reads TMPDIR once, so this needs a new process.
    code = f"from {read_cached_ranks.__module__} import read_cached_ranks; read_cached_ranks('r50k_base')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"'r50k_base' is not on this machine ({tmp_path}/data-gym-cache/" in done.stderr
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path / "gym"))
    with pytest.raises(FileFormatError, match=f"{tmp_path}/gym/"):
        read_cached_ranks("r50k_base")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    with pytest.raises(FileFormatError, match="TIKTOKEN_CACHE_DIR is empty"):
        read_cached_ranks("r50k_base")


def test_damaged_data_is_refused_and_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    path = tmp_path / cache_name("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken")
    path.write_bytes(b"damaged")
    with pytest.raises(FileFormatError, match=f"{path}: is damaged: its SHA-256"):
        read_cached_ranks("cl100k_base")
    assert path.exists()  # tiktoken would delete it and download it again


def test_gpt2s_own_file_format_is_read(
    tiny_ranks: dict[bytes, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GPT-2's file is JSON with the byte alphabet; the ranks written to it are expected."""
    encoder = {bytes_to_alphabet(token): rank for token, rank in tiny_ranks.items()} | {"<|endoftext|>": 400}
    data = json.dumps(encoder).encode()
    published = PublishedEncoding("", {}, "https://example.invalid/encoder.json", hashlib.sha256(data).hexdigest())
    monkeypatch.setitem(ENCODINGS, "gpt2", published)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / cache_name("https://example.invalid/encoder.json")).write_bytes(data)
    assert read_cached_ranks("gpt2") == tiny_ranks


def test_unknown_ranks_match_no_encoding() -> None:
    assert encodings_with_ranks(b"IQ== 0\n") == []


def test_missing_tiktoken_error_gives_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtraError, match=r"^this needs tiktoken: pip install 'rowspace\[tiktoken\]'$"):
        require_tiktoken("this")
