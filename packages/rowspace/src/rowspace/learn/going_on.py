"""The options of a fit that continues from a table: what the table determines, and what it was learned with."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from rowspace.errors import UsageError
from rowspace.store import load
from rowspace.table import Table
from rowspace.text import WORDS_ONLY

__all__ = ["INIT_NAME", "continued_options", "has_phrases", "open_initial", "refuse_other_tokens"]

INIT_NAME = "init"  # the copy of the table in the run folder
CONTINUED = ("model", "window", "shrink_windows", "negatives", "ns_exponent", "sample", "cbow_mean", "cbow_gradient")
LOOKED_AT = 100_000  # words, to see whether a table has capital letters


def open_initial(init: Table | str | Path) -> Table:
    """Return the table of `init`, opened if it is a path.

    Raises:
        UsageError: A fit cannot continue from this table.
    """
    table = init if isinstance(init, Table) else load(init)
    kind = table.settings.get("kind")
    if kind not in (None, "word", "token"):
        raise UsageError(
            f"the rows of init are of kind {kind!r}, and a fit of text can only continue from words or tokens"
        )
    if table.subwords is not None and table.subwords.is_pruned:
        raise UsageError("the n-grams of init are pruned, so that none can be learned; give the table before pruning")
    if table.subwords is not None and not is_of_words(table):
        raise UsageError("the table of init has n-grams and a tokenizer of pieces; give one without n-grams")
    return table


def is_of_words(table: Table) -> bool:
    """Whether a table is of words, to which others can be added; otherwise its tokenizer has all tokens."""
    return table.tokenizer is None or (table.settings.get("tokens") == "words" and not has_phrases(table))


def has_phrases(table: Table) -> bool:
    """Whether phrases of several words are tokens of the table, which its tokenizer finds."""
    return table.settings.get("phrases") is not None


def continued_options(table: Table, keywords: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the options of a fit that continues from a table.

    Options that are given replace those that the table was learned with, where it was learned by a fit. What the rows
    determine cannot be replaced.

    Args:
        table: The table.
        keywords: The options that are given.
        folder: A folder with the table's tokenizer.json.

    Raises:
        UsageError: An option does not agree with the table.
    """
    determined = {"dim": table.dim, **_subword_options(table)}
    if is_of_words(table):
        determined |= {"tokens": "words", "cased": _is_cased(table), "phrases": None}
        determined["segmenter"] = table.settings.get("segmenter", "none")
        determined |= {name: table.settings[name] for name in ("split", "pattern") if name in table.settings}
    else:
        determined["tokens"] = str(folder)
        for name in WORDS_ONLY:
            if name in keywords:
                raise UsageError(f"{name} has no meaning with init, whose tokenizer has all tokens; leave it out")
    for name, value in keywords.items():
        if name in determined and name != "cased" and value != determined[name]:
            shown = "its own tokenizer" if determined[name] == str(folder) else f"{name}={determined[name]!r}"
            raise UsageError(f"the table of init has {shown}, not {value!r}; omit the option")
    return _learned_with(table) | determined | dict(keywords)


def _learned_with(table: Table) -> dict[str, Any]:
    """Return the options that a fit has recorded; nothing for other tables, whose settings mean other things."""
    if not table.settings.keys() >= {*CONTINUED, "sentences"}:
        return {}
    return {name: table.settings[name] for name in (*CONTINUED, "sentences")}


def refuse_other_tokens(table: Table, tokens: list[str]) -> None:
    """Raise `UsageError` unless these, a tokenizer's, are the tokens of the table."""
    if tokens != list(table.vocabulary):
        raise UsageError(
            f"the tokenizer of init has {len(tokens):,} tokens, and they are not those of its {len(table):,} rows; "
            "give a table whose rows are the tokens of its tokenizer"
        )


def _subword_options(table: Table) -> dict[str, Any]:
    """Return the options of n-grams that the table determines."""
    if table.subwords is None:
        return {"subwords": False}
    sizes = {"min_n": table.subwords.min_n, "max_n": table.subwords.max_n}
    return {"subwords": True, "buckets": len(table.subwords.places), **sizes}


def _is_cased(table: Table) -> bool:
    """Whether a table of words has capital letters: by its settings or, without them, by its first words."""
    if "cased" in table.settings:
        return bool(table.settings["cased"])
    return any(word != word.lower() for word in islice(table.vocabulary, LOOKED_AT))
