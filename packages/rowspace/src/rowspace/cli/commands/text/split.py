"""`rowspace split`: the tokens of texts, at one vocabulary size or several side by side."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson
from rowspace.cli.output import message, print_json, print_table
from rowspace.cli.tokenizers import TOKENIZERS, Pattern, Source, open_source, texts_of
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from rowspace.text import AnyTokenizer, SplitToken, Tokenizer

__all__ = ["split"]

# What truncation means where it does not equal training to the smaller size.
INEXACT = {
    "unigram": "these sizes keep the best tokens; a unigram tokenizer trained to fewer tokens would have other scores",
    "wordpiece": "these sizes keep the first tokens; a tokenizer trained to fewer tokens may have others",
}

Splits = Mapping[int, "list[SplitToken]"]


def split(
    texts: Annotated[
        list[str], typer.Argument(metavar="TEXT", help="Texts to split, or - for lines of standard input.")
    ],
    *,
    tokens: Annotated[str, typer.Option(metavar="TOKENIZER|TABLE", help=TOKENIZERS)],
    pattern: Pattern = None,
    sizes: Annotated[str | None, typer.Option(help="Vocabulary sizes to compare, for example 1000,4000,16000.")] = None,
    corpus: Annotated[
        str | None, typer.Option(help="Count tokens in this text, instead of showing a table's counts.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the tokens of texts, with their ids and counts.

    --sizes truncates the vocabulary; BPE keeps its first merges, which equals training to that size.

    Example:
      rowspace split "unbelievable results" --tokens my-table
      rowspace split unbelievable --tokens tokenizer.json --sizes 1000,4000
    """
    if corpus == "-" and "-" in texts:
        raise UsageError("standard input cannot be both TEXT and --corpus; use a file for one")
    source = open_source(tokens, pattern=pattern)
    vocabulary_sizes = [source.size] if sizes is None else _numbers(sizes)
    found = texts_of(texts)
    if sizes is not None:
        _say_what_is_inexact(source.tokenizer.kind)
    split_by_text = _split_all(found, source, vocabulary_sizes, corpus)
    if as_json:
        documents = [_document(text, splits) for text, splits in zip(found, split_by_text, strict=True)]
        print_json({"tokenizer": tokens, "num_tokens": source.size, "texts": documents})
        return
    for text, splits in zip(found, split_by_text, strict=True):
        _print(text, splits, source.tokenizer, side_by_side=sizes is not None)


def _numbers(sizes: str) -> list[int]:
    try:
        return [int(size) for size in sizes.split(",")]
    except ValueError as error:
        raise UsageError(
            f"--sizes must be whole numbers separated by commas, for example 1000,4000; got {sizes!r}"
        ) from error


def _say_what_is_inexact(kind: str) -> None:
    if kind in INEXACT:
        message(INEXACT[kind])


def _split_all(texts: Sequence[str], source: Source, sizes: Sequence[int], corpus: str | None) -> list[Splits]:
    """Return, for each text, its tokens at each size."""
    from rowspace.text import split_tokens

    splits: list[dict[int, list[SplitToken]]] = [{} for _ in texts]
    for size in sizes:
        cut, counts, ids = _cut(source, size)
        counts = counts if corpus is None else _counted(cut, corpus)
        for text, found in zip(texts, splits, strict=True):
            found[size] = split_tokens(text, cut, counts=counts, ids=ids)
    return list(splits)


def _cut(source: Source, size: int) -> "tuple[AnyTokenizer, Mapping[str, int] | None, Mapping[str, int] | None]":
    """Return the tokenizer at a size, its counts if known, and the full tokenizer's ids if it is truncated."""
    from rowspace.text import truncate_counts, truncate_vocabulary

    if size == source.size:
        return source.tokenizer, source.counts, None
    ids = {token: number for number, token in enumerate(source.tokenizer.vocabulary)}
    counts = None if source.counts is None else truncate_counts(source.tokenizer, source.counts, size)
    return truncate_vocabulary(source.tokenizer, size), counts, ids


def _counted(tokenizer: "AnyTokenizer", corpus: str) -> dict[str, int]:
    from rowspace.text import measure_coverage

    coverage = measure_coverage(tokenizer, Path(corpus))
    return dict(zip(coverage.vocabulary, coverage.counts.tolist(), strict=True))


def _document(text: str, splits: Splits) -> dict[str, object]:
    return {
        "text": text,
        "splits": [{"size": size, "tokens": [vars(token) for token in tokens]} for size, tokens in splits.items()],
    }


def _print(text: str, splits: Splits, tokenizer: "Tokenizer", *, side_by_side: bool) -> None:
    """Print a token per row, with columns for each size."""
    counted = any(token.count is not None for tokens in splits.values() for token in tokens)
    width = 3 if counted else 2
    columns = list[str]()
    for size, tokens in splits.items():
        number = plural(len(tokens), "token")
        title = f"{number} of {size:,}" if side_by_side else number
        columns += [title, "id", "count"][:width]
    cells = [[list(_cells(token, tokenizer))[:width] for token in tokens] for tokens in splits.values()]
    rows = (list(chain.from_iterable(row)) for row in zip_longest(*cells, fillvalue=[""] * width))
    print_table(text, columns, rows, words=range(0, len(columns), width))


def _cells(token: "SplitToken", tokenizer: "Tokenizer") -> Iterator[str]:
    is_text = token.id == tokenizer.unknown_id  # unigram shows the text of an unknown token
    yield token.token if is_text else tokenizer.shown(token.id)
    yield f"{token.id}"
    yield "–" if token.count is None else f"{token.count:,}"
