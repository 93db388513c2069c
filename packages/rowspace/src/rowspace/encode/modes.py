"""The rules of other libraries for unknown tokens, long texts and normalization, and our own; `Plan`: what they mean.

| mode | unknown token | ids without a row | a text is cut | normalized |
|---|---|---|---|---|
| rowspace | left out | left out | never | no |
| model2vec | left out, after the cut | zeros | at `max_length` tokens | as config.json says |
| sentence-transformers | its row | zeros | as tokenizer.json says | as modules.json says |

"contextual" is not a rule for rows: it runs the model in a folder (`ContextualEncoder`).

model2vec first cuts a text at `max_length` times the median length of tokens, in characters. A text without tokens is
zeros in all modes. Sources: model2vec 0.10, `StaticModel`; sentence-transformers 6,
`StaticEmbedding` and `Normalize`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tokenizers

from rowspace.contextual.pipeline import MODULES, is_contextual, read_modules
from rowspace.encode.options import EncodeOptions, Mode, pool_rule
from rowspace.encode.precision import stored_form
from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import names_json
from rowspace.store import format_of
from rowspace.table import Table

__all__ = [
    "ModeRules",
    "Plan",
    "check_modules",
    "check_rows_alone",
    "check_static",
    "is_contextual_at",
    "median_token_length",
    "mode_at",
    "rules_of",
    "with_cut",
    "with_names",
]

MODEL2VEC_LENGTH = 512  # tokens
NO_ID = 2**31 - 1  # no token has it, while the tokenizer may have a token with the id V
THINGS = {"node", "item", "user", "category", "document"}  # kinds of rows, as the fits record them


class ModeRules(NamedTuple):
    """What a mode means for one table.

    Attributes:
        keep_unknown: The unknown token has its row, rather than being left out.
        count_missing: An id without a row counts as zeros, rather than being left out.
        max_tokens: Maximum number of tokens of a text; `None`: all.
        max_characters: Maximum number of characters of a text; `None`: all.
        keep_end: Long texts lose their first tokens, not their last.
        normalize: Vectors have length 1.
        half: Vectors are rounded to float16, as those of a float16 model are.
        prompt: What is written before each text.
    """

    keep_unknown: bool = False
    count_missing: bool = False
    max_tokens: int | None = None
    max_characters: int | None = None
    keep_end: bool = False
    normalize: bool = False
    half: bool = False
    prompt: str = ""


def rules_of(options: EncodeOptions, table: Table, library: tokenizers.Tokenizer | None) -> ModeRules:
    """Return the rules of a mode for a table, with those that the options replace.

    Args:
        options: The options.
        table: The table, whose settings and tokenizer.json hold what its folder says.
        library: Its tokenizer; `None` if the table has words only.

    Raises:
        UsageError: The mode needs a tokenizer.
    """
    if options.mode == "contextual":
        raise UsageError(
            "mode 'contextual' runs a model, not a table; open its folder with Encoder.load(PATH, mode='contextual')"
        )
    if library is None and options.mode != "rowspace":
        raise UsageError(
            f"mode {options.mode!r} needs a table with a tokenizer.json, and this one has none; use mode 'rowspace'"
        )
    rules = _RULES[options.mode](options, table, library)
    if options.normalize is not None:
        rules = rules._replace(normalize=options.normalize)
    return rules


def with_cut(options: EncodeOptions, table: Table) -> EncodeOptions:
    """Return options with the `truncate_dim` of a table's folder as `dim`, in the mode of sentence-transformers.

    Raises:
        UsageError: The folder also normalizes, which sentence-transformers does before it cuts.
    """
    width = table.settings.get("truncate_dim")
    if options.mode != "sentence-transformers" or options.dim is not None or type(width) is not int:
        return options
    if options.normalize is None and table.settings.get("normalize") is True:
        raise UsageError(
            f"this model normalizes vectors and then cuts them to {width} columns; give normalize=True (--normalize) "
            f"for vectors of length 1 after the cut, or dim={table.dim} (--dim) for no cut"
        )
    return replace(options, dim=min(width, table.dim))


def mode_at(path: str | Path) -> Mode:
    """Return the mode for a table: that of the library that wrote it, else "rowspace".

    Args:
        path: A folder or a file.

    Raises:
        UsageError: There is nothing at `path`.
        FileFormatError: What is there has no known format.
    """
    name = format_of(path).name
    return next((mode for mode in _RULES if mode == name), "rowspace")


def median_token_length(library: tokenizers.Tokenizer) -> int:
    """Return the median number of characters of a tokenizer's tokens, rounded down.

    >>> from rowspace.text import whitespace_json
    >>> median_token_length(tokenizers.Tokenizer.from_str(whitespace_json(["a", "bcd"])))
    3
    """
    return int(np.median([len(token) for token in library.get_vocab()]))


def is_contextual_at(path: Path) -> bool:
    """Whether what is at `path` is a model that decides the vector of a token by its context.

    Raises:
        FileFormatError: It is damaged, or has no known format.
    """
    known = path.is_dir() and ((path / MODULES).is_file() or format_of(path).name == "transformers")
    return known and is_contextual(path)


def check_static(path: Path, *, option: str = "mode='contextual' (--mode contextual)") -> None:
    """Raise `UsageError` for a model that decides the vector of a token by its context; `option` runs it."""
    if is_contextual_at(path):
        raise UsageError(
            f"{path}: the rows of this model's tokens are not its vectors, which depend on the context; make a table "
            f"of it with rowspace distill {path}, or run it with {option}"
        )


def check_rows_alone(table: Table) -> None:
    """Raise `UsageError` for a table of the rows of a model that decides the vector of a token by its context."""
    if table.settings.get("contextual") is True:
        raise UsageError(
            "the rows of this model's tokens are not its vectors, which depend on the context; make a table of the "
            "model's folder with rowspace distill, run it with mode='contextual' (--mode contextual), or take the mean "
            "of the rows alone with mode='rowspace' (--mode rowspace)"
        )


def check_modules(folder: Path) -> None:
    """Check that a model of sentence-transformers is nothing but a static table and a normalization.

    Raises:
        FileFormatError: A file is damaged.
        UsageError: It names another module, whose result would be missing.
    """
    if not (folder / MODULES).is_file():
        return
    for kind, _ in read_modules(folder):
        if kind not in ("StaticEmbedding", "Normalize"):
            raise UsageError(
                f"{folder / MODULES}: has a module {kind!r}, which an encoder cannot run; for the mean of the rows "
                "alone, give mode='rowspace'"
            )


def _rowspace(options: EncodeOptions, table: Table, library: tokenizers.Tokenizer | None) -> ModeRules:
    return ModeRules(max_tokens=options.max_tokens or None)


def _model2vec(options: EncodeOptions, table: Table, library: tokenizers.Tokenizer | None) -> ModeRules:
    max_tokens = options.max_tokens
    if max_tokens is None:
        max_tokens = table.settings.get("max_length", MODEL2VEC_LENGTH)  # type: ignore[assignment]  # settings hold any object
    elif max_tokens == 0:
        max_tokens = None
    return ModeRules(
        count_missing=True,
        max_tokens=max_tokens,
        max_characters=max_tokens
        if max_tokens is None or library is None
        else max_tokens * median_token_length(library),
        normalize=table.settings.get("normalize") is True,
        half=table.settings.get("embedding_dtype", table.rows.dtype.name) == "float16",
    )


def _sentence_transformers(options: EncodeOptions, table: Table, library: tokenizers.Tokenizer | None) -> ModeRules:
    truncation = json.loads(table.tokenizer or "{}").get("truncation") or {}
    max_tokens = truncation.get("max_length") if options.max_tokens is None else options.max_tokens or None
    return ModeRules(
        keep_unknown=True,
        count_missing=True,
        max_tokens=max_tokens,
        keep_end=truncation.get("direction") == "Left",
        normalize=table.settings.get("normalize") is True,
        half=table.rows.dtype == np.float16,
        prompt=str(table.settings.get("default_prompt") or ""),
    )


_RULES: dict[Mode, Callable[[EncodeOptions, Table, tokenizers.Tokenizer | None], ModeRules]] = {
    "rowspace": _rowspace,
    "model2vec": _model2vec,
    "sentence-transformers": _sentence_transformers,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with texts and their ids.

    Attributes:
        options: The options.
        rules: The rules of the mode.
        unknown: The id of the unknown token, or `NO_ID`.
        rule: How ids become a vector, see `pool_rule`.
        composes: Whether unseen words get the rows of their n-grams.
        is_direct: Whether pooled vectors are the result, without rounding or packing.
        form: The numbers that store a vector, and their NumPy dtype.
    """

    options: EncodeOptions
    rules: ModeRules
    unknown: int
    rule: int
    composes: bool
    is_direct: bool
    form: tuple[int, np.dtype[Any]]

    @classmethod
    def of(
        cls, options: EncodeOptions, table: Table, library: tokenizers.Tokenizer | None, unknown_id: int | None
    ) -> "Plan":
        """Return the plan for a table.

        Args:
            options: The options.
            table: The table.
            library: Its tokenizer, if it has one.
            unknown_id: The id of the unknown token, if there is one.
        """
        rules = rules_of(options, table, library)
        return cls(
            options=options,
            rules=rules,
            unknown=NO_ID if unknown_id is None else unknown_id,
            rule=pool_rule(
                options.pooling,
                keep_unknown=rules.keep_unknown,
                count_missing=rules.count_missing,
                # Rounded to float16 first, as model2vec does, so vectors are normalized afterwards.
                normalize=rules.normalize and not rules.half,
            ),
            composes=table.subwords is not None and options.mode == "rowspace",
            is_direct=options.dtype == "float32" and not rules.half,
            form=stored_form(options.dim or table.dim, options.dtype),
        )


def with_names(table: Table) -> Table:
    """Return a table of things with a tokenizer that looks a whole text up; any other table as it is.

    >>> import numpy as np
    >>> table = Table(["green tea", "milk"], np.eye(2), settings={"kind": "item"})
    >>> with_names(table).tokenizer is None, table.tokenizer is None
    (False, True)
    """
    if table.tokenizer is not None or table.subwords is not None or table.settings.get("kind") not in THINGS:
        return table
    named = Table(
        table.vocabulary, table.rows, table.counts, tokenizer=names_json(table.vocabulary), settings=table.settings
    )
    named.path = table.path
    return named
