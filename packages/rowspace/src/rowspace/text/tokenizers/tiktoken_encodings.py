"""tiktoken's encodings by name: their patterns, special tokens and files of ranks, if these are on this machine.

Nothing is downloaded: files are read from tiktoken's own cache. Source: `tiktoken_ext.openai_public` of tiktoken 0.14,
with which the tests compare this table.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from rowspace._base.lazy import import_extra
from rowspace.errors import FileFormatError
from rowspace.files.tokenizer_json import bytes_from_alphabet
from rowspace.text.tokenizers.folder_files import read_bytes
from rowspace.text.tokenizers.tiktoken_ranks import Ranks, parse_ranks, validate_ranks

__all__ = ["ENCODINGS", "PublishedEncoding", "encodings_with_ranks", "read_cached_ranks", "require_tiktoken"]

_SITE = "https://openaipublic.blob.core.windows.net"
_END = "<|endoftext|>"
_END_OF_PROMPT = "<|endofprompt|>"
_NO_MERGES = {_END, "<|startoftext|>"}  # in encoder.json, though no merge makes them

_GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
_CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
_O200K_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
_O200K_SPECIAL = {_END: 199999, _END_OF_PROMPT: 200018}
_HARMONY_NAMES = {
    "startoftext": 199998,
    "return": 200002,
    "constrain": 200003,
    "channel": 200005,
    "start": 200006,
    "end": 200007,
    "message": 200008,
    "call": 200012,
}
_HARMONY_RESERVED = (200000, 200001, 200004, 200009, 200010, 200011, *range(200013, 201088))


class PublishedEncoding(NamedTuple):
    """An encoding: a regular expression that splits text into words, special tokens, and a file of ranks.

    `url` is where tiktoken downloads the file from, which also names it in tiktoken's cache; `sha256` is that of its
    content.
    """

    pattern: str
    special_tokens: Mapping[str, int]
    url: str
    sha256: str


def _ranks_at(name: str) -> str:
    return f"{_SITE}/encodings/{name}.tiktoken"


_P50K_SHA256 = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"
_O200K_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

ENCODINGS: dict[str, PublishedEncoding] = {
    "gpt2": PublishedEncoding(
        _GPT2_PATTERN,
        {_END: 50256},
        f"{_SITE}/gpt-2/encodings/main/encoder.json",
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    ),
    "r50k_base": PublishedEncoding(
        _GPT2_PATTERN,
        {_END: 50256},
        _ranks_at("r50k_base"),
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    ),
    "p50k_base": PublishedEncoding(_GPT2_PATTERN, {_END: 50256}, _ranks_at("p50k_base"), _P50K_SHA256),
    "p50k_edit": PublishedEncoding(
        _GPT2_PATTERN,
        {_END: 50256, "<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283},
        _ranks_at("p50k_base"),
        _P50K_SHA256,
    ),
    "cl100k_base": PublishedEncoding(
        _CL100K_PATTERN,
        {
            _END: 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            _END_OF_PROMPT: 100276,
        },
        _ranks_at("cl100k_base"),
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": PublishedEncoding(_O200K_PATTERN, _O200K_SPECIAL, _ranks_at("o200k_base"), _O200K_SHA256),
    "o200k_harmony": PublishedEncoding(
        _O200K_PATTERN,
        _O200K_SPECIAL
        | {f"<|{name}|>": number for name, number in _HARMONY_NAMES.items()}
        | {f"<|reserved_{number}|>": number for number in _HARMONY_RESERVED},
        _ranks_at("o200k_base"),
        _O200K_SHA256,
    ),
}


def require_tiktoken(purpose: str) -> None:
    """Raise MissingExtraError, saying that `purpose` needs tiktoken, if it is not installed."""
    import_extra("tiktoken", f"{purpose} needs tiktoken", "tiktoken")


def read_cached_ranks(name: str) -> Ranks:
    """Return the ranks of the encoding `name` from tiktoken's cache on this machine.

    Raises:
        FileFormatError: they are not there, or are damaged.
    """
    published = ENCODINGS[name]
    path = _cached(name, published.url)
    data = read_bytes(path)
    if hashlib.sha256(data).hexdigest() != published.sha256:
        raise FileFormatError(
            f"{path}: is damaged: its SHA-256 is not that of the encoding {name!r}; download it again"
        )
    return _ranks_of_encoder(data, str(path)) if published.url.endswith(".json") else parse_ranks(data, str(path))


def encodings_with_ranks(data: bytes) -> list[str]:
    """Return the names of the encodings whose file of ranks has this content; some share one."""
    digest = hashlib.sha256(data).hexdigest()
    return [name for name, published in ENCODINGS.items() if published.sha256 == digest]


def _cached(name: str, url: str) -> Path:
    """Return where tiktoken caches the file at `url`; raises FileFormatError where it is not there."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = str(Path(tempfile.gettempdir(), "data-gym-cache"))
    path = Path(folder, hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest())
    if folder and path.is_file():
        return path
    reason = f"{path} is not there" if folder else "TIKTOKEN_CACHE_DIR is empty"
    raise FileFormatError(
        f"the data of the tiktoken encoding {name!r} is not on this machine ({reason}), and rowspace downloads nothing;"
        f" let tiktoken.get_encoding({name!r}) download {url} once, or open a file of ranks"
    )


def _ranks_of_encoder(data: bytes, source: str) -> Ranks:
    """Return the ranks of GPT-2's encoder.json, whose tokens are in its byte alphabet."""
    ids: dict[str, int] = json.loads(data)
    ranks = {bytes_from_alphabet(token) or b"": rank for token, rank in ids.items() if token not in _NO_MERGES}
    validate_ranks(ranks, source)
    return ranks
