"""`rowspace merges`: byte-pair encoding step by step, learned from a text or applied to it."""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from rowspace._base.validate import check_whole_number
from rowspace.cli.arguments import AsJson
from rowspace.cli.output import print_json, print_line, print_table
from rowspace.cli.tokenizers import Pattern, open_source, standard_input
from rowspace.files.byte_tokens import kept_tokens, shown_token

if TYPE_CHECKING:
    from rowspace.text import Tokenizer
    from rowspace_lab.experiments import Merge

__all__ = ["merges"]

STEPS = 20
MAX_STEPS = 1_000_000
SHOWN_CHARACTERS = 60  # of the tokens after a step


def merges(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text, or - for standard input.")],
    *,
    tokens: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENIZER|TABLE",
            help="Apply the merges of this tokenizer; by default, they are learned from the text.",
        ),
    ] = None,
    pattern: Pattern = None,
    steps: Annotated[int, typer.Option(help="How many merges to show.")] = STEPS,
    as_json: AsJson = False,
) -> None:
    """Show byte-pair encoding, merge by merge.

    Without --tokens, merges are learned from the text: each joins the most frequent pair within words, or the first of
    several such pairs, until no pair occurs twice. With --tokens, each is the applicable merge with the lowest rank.

    Example:
      rowspace merges "the cat sat on the mat the cat"
      rowspace merges "unbelievable results" --tokens tokenizer.json
    """
    check_whole_number("--steps", steps, 1, MAX_STEPS)
    if text == "-":
        text = standard_input()
    tokenizer = None if tokens is None else open_source(tokens, pattern=pattern).tokenizer
    every = iter(_trace(text, tokenizer, steps + 1))
    found = list(islice(every, steps))
    if as_json:
        print_json({"text": text, "tokenizer": tokens, "merges": [_document(merge) for merge in found]})
    elif found:
        _print(text, found, tokenizer)
        if next(every, None):
            print_line(f"more merges follow; --steps {2 * steps} shows twice as many")
    else:
        print_line("no merge of the tokenizer applies" if tokens else "no pair of characters occurs twice within words")


def _trace(text: str, tokenizer: "Tokenizer | None", steps: int) -> "Iterable[Merge]":
    from rowspace_lab.experiments import trace_encoding, trace_training

    return trace_training(text, steps) if tokenizer is None else trace_encoding(text, tokenizer)


def _document(merge: "Merge") -> dict[str, object]:
    names = ("step", "rank", "left", "right", "merged", "count")
    return {name: getattr(merge, name) for name in names} | {"tokens": merge.tokens}


def _print(text: str, found: "list[Merge]", tokenizer: "Tokenizer | None") -> None:
    first, count = ("step", "count") if tokenizer is None else ("rank", "joined")
    written = shown_token if tokenizer is not None and _is_byte_level(tokenizer) else str
    rows = list[tuple[str, ...]]()
    for merge in found:
        after = list(map(written, merge.tokens))
        pair = f"{written(merge.left)} + {written(merge.right)}"
        rows.append((f"{getattr(merge, first):,}", pair, f"{merge.count:,}", f"{len(after):,}", _shortened(after)))
    print_table(_shortened([text]), (first, "merge", count, "tokens", "after it"), rows, words=(1, 4))


def _is_byte_level(tokenizer: "Tokenizer") -> bool:
    return tokenizer.json is not None and kept_tokens(tokenizer.json, (), ()) is not None


def _shortened(tokens: list[str]) -> str:
    """Return the first tokens, as many as fit into a line."""
    line = " ".join(tokens[:SHOWN_CHARACTERS])
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[: SHOWN_CHARACTERS - 1]}…"
