"""`open_tokenizer`: a file, folder or name → a tokenizer with the ids of the library that it was made for.

The content of a file decides what it is, not its name. Nothing is downloaded, and no code that comes with a checkpoint
is run.
"""

import codecs
import os
import re
import warnings
from pathlib import Path

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError, missing_file
from rowspace.files.foreign import hub_hint
from rowspace.files.hub import local_path
from rowspace.text.tokenizers.folder_files import class_of, read_bytes, read_text
from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer
from rowspace.text.tokenizers.sentencepiece_reader import is_sentencepiece, open_sentencepiece
from rowspace.text.tokenizers.tiktoken_encodings import ENCODINGS, require_tiktoken
from rowspace.text.tokenizers.tiktoken_ranks import are_ranks
from rowspace.text.tokenizers.tiktoken_reader import open_encoding, open_ranks
from rowspace.text.tokenizers.tokenizer import Tokenizer
from rowspace.text.tokenizers.vocabulary_files import MAKE_JSON, added_tokens, open_bert, open_gpt2, unsupported

__all__ = ["open_tokenizer"]

OPENS = (
    "a tokenizer.json, a folder with one, a transformers folder with vocab.txt, vocab.json and merges.txt or a "
    "SentencePiece model, such a model, a tiktoken file of ranks, or the name of a tiktoken encoding"
)
# The files of tokenizers in a folder, the most reliable first.
NAMED = ("tokenizer.json", "0_StaticEmbedding/tokenizer.json")
MODELS = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model", "spm.model")
# Tokenizers of transformers that give the ids of their SentencePiece model unchanged.
PLAIN = {None, "Llama", "T5", "MT5", "Gemma", "llama", "mistral", "t5", "mt5", "gemma", "gemma2"}
_START = 1 << 16
_ENCODING = re.compile("gpt2|[a-z]+[0-9]+k_[a-z]+")


def open_tokenizer(source: str | Path, *, pattern: str | None = None) -> Tokenizer:
    """Open the tokenizer at a path, or a tiktoken encoding by name.

    Args:
        source: A path, the name of a tiktoken encoding, or that of a repository in the local cache of the Hugging Face
            Hub.
        pattern: The pattern that splits text, for a tiktoken file of ranks, which does not contain it: a regular
            expression, or the name of the encoding that has it.

    Raises:
        UsageError: `source` does not exist.
        FileFormatError: the file is damaged or not a tokenizer, or the data of an encoding is not on this machine.
        MissingExtraError: tiktoken or sentencepiece is needed and not installed.

    >>> import tempfile
    >>> from rowspace.text import whitespace_json
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "tokenizer.json").write_text(whitespace_json(["the", "cat"]))
    ...     tokenizer = open_tokenizer(folder)
    >>> tokenizer.kind, len(tokenizer), tokenizer.encode("the cat").tolist(), tokenizer.token(1)
    ('words', 3, [0, 1], 'cat')
    """
    name, path = str(source), Path(local_path(source))
    if not name or not os.path.exists(path):  # noqa: PTH110  # Path.exists raises for long names
        return _by_name(name, pattern)
    return _of_folder(path, pattern) if path.is_dir() else _of_file(path, pattern)


def _of_folder(folder: Path, pattern: str | None) -> Tokenizer:
    for name in NAMED + MODELS:
        file = folder / name
        if file.is_file():
            plain = name in NAMED or class_of(folder) in PLAIN
            tokenizer = _of_file(file, pattern, for_class=None if plain else class_of(folder))
            if name in MODELS:
                _warn_of_ignored_tokens(folder, name, len(tokenizer))
            return tokenizer
    ranks = sorted(folder.glob("*.tiktoken"))
    if ranks:
        return _of_file(ranks[0], pattern)
    _check_no_pattern(pattern, folder)
    if (folder / "merges.txt").is_file():
        return open_gpt2(folder)
    if (folder / "vocab.txt").is_file():
        return open_bert(folder)
    raise FileFormatError(f"{folder}: has no supported tokenizer; name {OPENS}")


def _warn_of_ignored_tokens(folder: Path, name: str, size: int) -> None:
    """Warn of tokens that a folder adds to its SentencePiece model, which does not contain them."""
    added = [token.content for number, token in sorted(added_tokens(folder).items()) if number >= size]
    if added:
        warnings.warn(
            f"{folder}: ignored {plural(len(added), 'added token')} that {name} does not contain, the first is "
            f"{added[0]!r}; they are encoded as ordinary text; {MAKE_JSON}",
            stacklevel=4,
        )


def _of_file(path: Path, pattern: str | None, *, for_class: str | None = None) -> Tokenizer:
    """Open a file by its content; `for_class`: a tokenizer class that does more than its SentencePiece model says."""
    data = read_bytes(path)
    if are_ranks(data[:_START]):
        return open_ranks(data, str(path), pattern=pattern)
    _check_no_pattern(pattern, path)
    if is_sentencepiece(data[:_START]):
        if for_class is not None:
            raise unsupported(path.parent, path.name)
        return open_sentencepiece(data, str(path))
    if data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
        return HuggingFaceTokenizer.from_json(read_text(path), str(path))
    raise FileFormatError(f"{path}: is not a supported tokenizer; name {OPENS}")


def _by_name(name: str, pattern: str | None) -> Tokenizer:
    if _ENCODING.fullmatch(name):
        require_tiktoken(f"the encoding {name!r}")
        if name in ENCODINGS:
            _check_no_pattern(pattern, name)
            return open_encoding(name)
        raise UsageError(
            f"there is no file or folder {name!r}, and the encodings of tiktoken are {', '.join(ENCODINGS)}"
        )
    raise missing_file(name, f"name {OPENS}{hub_hint(name)}")


def _check_no_pattern(pattern: str | None, source: str | Path) -> None:
    if pattern is not None:
        raise UsageError(f"pattern is for a tiktoken file of ranks, which {str(source)!r} is not; remove it")
