"""`rowspace coverage`: how well a tokenizer fits a corpus."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson
from rowspace.cli.output import file_size, print_facts, print_json, shown
from rowspace.cli.progress.fit import progress_reporter
from rowspace.cli.tokenizers import Pattern, TokenizerPath, open_source
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from rowspace.text import Coverage, Tokenizer

__all__ = ["coverage"]


def coverage(
    tokenizer: TokenizerPath,
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS",
            help="Files (.gz, .xz, .bz2 and .zst too), folders, patterns, or - for standard input.",
        ),
    ],
    *,
    k: Annotated[int, typer.Option("-k", help="The number of frequent and of unused tokens to show.")] = 10,
    column: Annotated[
        str | None, typer.Option(help="The column with the text, in files with records (JSON, CSV, Parquet).")
    ] = None,
    pattern: Pattern = None,
    as_json: AsJson = False,
) -> None:
    """Show how well a tokenizer fits a corpus.

    The output has tokens per word, bytes per token, unknown text, and unused tokens. A word is a run of letters, marks
    and numbers, regardless of the tokenizer.

    Example:
      rowspace coverage my-table my-text.txt
    """
    from rowspace.text import corpus_bytes, measure_coverage

    if k < 0:
        raise UsageError(f"-k must be 0 or more, not {k}")
    source = open_source(tokenizer, pattern=pattern)
    paths = [Path(name) for name in corpus]
    with cleanup_on_interrupt(), progress_reporter(corpus_bytes(paths)) as progress:
        measured = measure_coverage(source.tokenizer, paths, column=column, on_bytes=progress.on_bytes)
    if as_json:
        print_json({"tokenizer": tokenizer, "corpus": corpus, **_document(measured, k)})
    else:
        print_facts(f"{tokenizer} on {', '.join(corpus)}", _lines(measured, source.tokenizer, k))


def _document(measured: "Coverage", k: int) -> dict[str, Any]:
    return {
        "bytes": measured.bytes,
        "words": measured.words,
        "tokens": measured.tokens,
        "tokens_per_word": measured.tokens_per_word,
        "bytes_per_token": measured.bytes_per_token,
        "characters_per_token": measured.characters_per_token,
        "one_piece": measured.one_piece,
        "covered": measured.covered,
        "characters": measured.characters,
        "unknown_characters": measured.unknown_characters,
        "dropped_characters": measured.dropped_characters,
        "unknown_tokens": measured.unknown_tokens,
        "num_tokens": len(measured.vocabulary),
        "num_unused": len(measured.unused),
        "unused": [{"token": measured.vocabulary[number], "id": number} for number in measured.unused[:k].tolist()],
        "most_frequent": [{"token": token, "count": count} for token, count in measured.most_frequent(k)],
    }


def _lines(measured: "Coverage", tokenizer: "Tokenizer", k: int) -> list[tuple[str, str]]:
    """Return the measurements as text."""
    unused = [shown(tokenizer.shown(number)) for number in measured.unused[:k].tolist()]
    ids = {token: number for number, token in enumerate(measured.vocabulary)}
    frequent = [f"{shown(tokenizer.shown(ids[token]))} {count:,}" for token, count in measured.most_frequent(k)]
    covered = measured.characters - measured.unknown_characters - measured.dropped_characters
    missing = (
        f"{_percent(measured.unknown_characters, measured.characters)} in unknown tokens, "
        f"{_percent(measured.dropped_characters, measured.characters)} in no token"
    )
    return [
        ("text", f"{file_size(measured.bytes)}, {plural(measured.words, 'word')}, {plural(measured.tokens, 'token')}"),
        ("tokens per word", _ratio(measured.tokens_per_word)),
        ("words in one token", _percent(measured.words_in_one_piece, measured.words)),
        ("bytes per token", _ratio(measured.bytes_per_token)),
        ("characters per token", _ratio(measured.characters_per_token)),
        ("text covered", f"{_percent(covered, measured.characters)} of the characters; {missing}"),
        ("unused", f"{len(measured.unused):,} of {len(measured.vocabulary):,} tokens{_listed(unused)}"),
        ("most frequent", ", ".join(frequent)),
    ]


def _ratio(ratio: float) -> str:
    return "–" if math.isnan(ratio) else f"{ratio:.3f}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _listed(tokens: list[str]) -> str:
    return f": {' '.join(tokens)}" if tokens else ""
