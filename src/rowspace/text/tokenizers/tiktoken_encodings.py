"""tiktoken's encodings by name, where their files are on this machine: nothing here goes over a network.

What an encoding is (pattern, special tokens, files and their SHA-256) is its owner's own description in
`tiktoken_ext.openai_public`. It is run with our readers of files in the place of those that download, and without any
other, so that a description that wants more fails instead of going out. Read next: tiktoken_reader.py.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from rowspace.errors import FileFormatError, MissingExtraError, UsageError
from rowspace.files.tokenizer_json import bytes_from_alphabet
from rowspace.text.tokenizers.folder_files import read_bytes
from rowspace.text.tokenizers.tiktoken_ranks import Ranks, parse_ranks, validate_ranks

__all__ = ["Description", "described", "encoding_names", "names_of_ranks", "require_tiktoken"]

_NO_MERGES = {"<|endoftext|>", "<|startoftext|>"}  # in encoder.json, though no merge makes them


class Description(NamedTuple):
    """What an encoding is: a regular expression that cuts text into words, special tokens and ranks."""

    name: str
    pattern: str
    special_tokens: dict[str, int]
    ranks: Ranks


def require_tiktoken(what: str) -> None:
    """Raise MissingExtraError, saying `what` needs tiktoken, where it is not installed."""
    try:
        import tiktoken  # noqa: F401, PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError(f"{what} needs tiktoken: pip install 'rowspace[tiktoken]'") from error


def encoding_names() -> list[str]:
    """Return the names of the encodings that tiktoken knows."""
    from tiktoken_ext import openai_public  # noqa: PLC0415  # an extra

    return list(openai_public.ENCODING_CONSTRUCTORS)


def described(name: str, *, with_ranks: bool = True) -> Description:
    """Return what the encoding `name` is, with its ranks, read from tiktoken's folder on this machine, or without.

    Raises FileFormatError where the ranks are not there, saying where that is, or are damaged.
    """
    if not with_ranks:
        return _run(name, lambda *_, **__: {}, lambda *_, **__: {})

    def of_ranks(url: str, expected_hash: str) -> Ranks:
        path = _cached(name, url)
        return parse_ranks(_checked(path, expected_hash), str(path))

    def of_encoder(*, encoder_json_file: str, encoder_json_hash: str, **_: str) -> Ranks:
        path = _cached(name, encoder_json_file)
        return _ranks_of_encoder(_checked(path, encoder_json_hash), str(path))

    return _run(name, of_ranks, of_encoder)


def names_of_ranks(data: bytes) -> list[str]:
    """Return the encodings whose file of ranks has this content; some share one."""
    digest, found = hashlib.sha256(data).hexdigest(), list[str]()
    for name in encoding_names():

        def compare(url: str, expected_hash: str, name: str = name) -> Ranks:
            found.extend([name] * (expected_hash == digest))
            return {}

        _run(name, compare, lambda **_: {})
    return found


def _run(name: str, of_ranks: Callable[..., Ranks], of_encoder: Callable[..., Ranks]) -> Description:
    """Run the description of an encoding with these two readers."""
    from tiktoken_ext import openai_public  # noqa: PLC0415  # an extra

    names: dict[str, Any] = {
        key: value
        for key, value in vars(openai_public).items()
        if getattr(value, "__module__", None) != "tiktoken.load"
    }
    names |= {"load_tiktoken_bpe": of_ranks, "data_gym_to_mergeable_bpe_ranks": of_encoder}
    try:
        for key, constructor in openai_public.ENCODING_CONSTRUCTORS.items():  # one builds on another
            names[key] = FunctionType(constructor.__code__, names)
        made = names[name]()
        return Description(name, made["pat_str"], made["special_tokens"], made["mergeable_ranks"])
    except (NameError, TypeError, KeyError) as error:
        message = f"this version of tiktoken describes {name!r} in a way that is not known here ({error})"
        raise UsageError(f"{message}; open its file of ranks") from error


def _cached(name: str, url: str) -> Path:
    """Return where tiktoken keeps the file at `url`; raises FileFormatError where it is not there."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = str(Path(tempfile.gettempdir(), "data-gym-cache"))
    path = Path(folder, hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest())
    if folder and path.is_file():
        return path
    looked = f"{path} is not there" if folder else "TIKTOKEN_CACHE_DIR is empty"
    raise FileFormatError(
        f"the data of the tiktoken encoding {name!r} is not on this machine ({looked}), and rowspace downloads nothing;"
        f" let tiktoken.get_encoding({name!r}) fetch {url} once, or open a file of ranks"
    )


def _checked(path: Path, digest: str) -> bytes:
    data = read_bytes(path)
    if hashlib.sha256(data).hexdigest() != digest:
        raise FileFormatError(f"{path}: is damaged: its SHA-256 is not the one that tiktoken knows; fetch it again")
    return data


def _ranks_of_encoder(data: bytes, source: str) -> Ranks:
    """Return the ranks of GPT-2's encoder.json, whose tokens are in its alphabet."""
    ids: dict[str, int] = json.loads(data)
    ranks = {bytes_from_alphabet(token) or b"": rank for token, rank in ids.items() if token not in _NO_MERGES}
    validate_ranks(ranks, source)
    return ranks
