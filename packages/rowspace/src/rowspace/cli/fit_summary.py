"""What `rowspace fit` prints at its end: size, speed, losses, where the table is saved, and an example command."""

import heapq
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rowspace._base.plural import plural
from rowspace.cli.lookup import UNKNOWN
from rowspace.cli.output import file_size

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["document", "example_token", "example_word", "losses_line", "speed_line", "summary", "workers_lines"]

SHOWN_LOSSES, SHOWN_PHRASES = 10, 5
SHOWN_MOVED = 5
FREQUENT, MORE = 100, 3000  # tokens


def summary(output: str, table: "Table", seconds: float) -> Iterator[str]:
    """Yield the lines of the summary."""
    settings: Mapping[str, Any] = table.settings
    unit = "words" if settings["tokens"] == "words" else "tokens"
    yield f"{plural(len(table), 'token')} × {table.dim}, learned from {settings['words']:,} {unit}{_unused(table)}"
    yield speed_line(settings, seconds, "words", shown=unit)
    if any(settings["losses"]):  # otherwise there was a warning
        yield losses_line(settings)
    if not settings["same_tokens_again"]:
        yield f"{settings['tokens']} training is not deterministic; --tokens {shlex.quote(output)} reuses these tokens"
    yield from _phrases(settings)
    yield from _went_on(table)
    yield from workers_lines(settings)
    yield from _machines(settings)
    example = table.shown(example_token(table))
    yield f"saved in {output}; try: rowspace near {shlex.quote(output)} {shlex.quote(example)}"


def speed_line(settings: Mapping[str, Any], seconds: float, unit: str, *, shown: str | None = None) -> str:
    """Return how long learning took, and how many words or visits it read per second."""
    rate = f"{_per_second(settings, unit) / 1e6:.2f} M {shown or unit}/s"
    return f"learning took {settings['seconds']:.1f} s at {rate}, this command {seconds:.1f} s"


def losses_line(settings: Mapping[str, Any]) -> str:
    """Return the losses of some epochs, including the first and the last."""
    losses = settings["losses"]
    step = -(-len(losses) // SHOWN_LOSSES)
    few = losses[::-1][::step][::-1]
    shown = few if few[0] == losses[0] else [losses[0], *few]
    return f"loss by epoch: {' '.join(f'{loss:.3f}' for loss in shown)}"


def workers_lines(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield that several workers give other rows in each run, unless the fit is deterministic."""
    if settings["workers"] > 1 and not settings["deterministic"]:
        different = f"{settings['workers']} workers: rows differ slightly between runs"
        yield f"{different}; --deterministic or --workers 1 is reproducible"


def _phrases(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many phrases were found, and those with the highest scores."""
    scores: Mapping[str, float] = settings.get("phrase_scores", {})
    if "phrase_scores" in settings:
        best = ", ".join(f"{phrase} {score:,.0f}" for phrase, score in list(scores.items())[:SHOWN_PHRASES])
        yield f"{plural(len(scores), 'phrase')}" + (f"; the highest scores: {best}" if best else "")


def _went_on(table: "Table") -> Iterator[str]:
    """Yield how many words a continued fit has added, and which rows it has changed most."""
    settings: Mapping[str, Any] = table.settings
    if "init" not in settings:
        return
    init = settings["init"]
    if init["new"] or settings.get("tokens") == "words":
        added = f"{plural(init['new'], 'new one')} {'was' if init['new'] == 1 else 'were'} added"
    else:
        added = "none can be added, since its tokenizer has all tokens"
    continued = f"continued from {plural(init['tokens'], 'token')}"
    yield f"{continued}: {init['in_text']:,} of them occur in the text, and {added}"
    if settings["freeze"] == "old":
        yield "the old rows are unchanged"
    elif init["moved"]:
        moved = ", ".join(f"{table.shown(token)} {cosine:.2f}" for token, cosine in init["moved"][:SHOWN_MOVED])
        yield f"changed most (cosine of the old and the new row): {moved}"


def _machines(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many bytes of rows several processes have exchanged."""
    if settings.get("machines", 1) > 1:
        sent = file_size(settings["bytes_sent"])
        yield f"{settings['machines']} processes, each of which gave {sent} of rows to be merged"


def document(output: str, table: "Table", seconds: float, unit: str = "words") -> dict[str, object]:
    """Return the summary as a JSON document; `unit` is what was read: words, or visits of nodes."""
    return {
        "table": output,
        "num_embeddings": len(table),
        "embedding_dim": table.dim,
        "seconds": round(seconds, 3),
        f"{unit}_per_second": round(_per_second(table.settings, unit)),
        "settings": table.settings,
    }


def _per_second(settings: Mapping[str, Any], unit: str) -> float:
    """Return the words or visits read per second of learning, over all epochs."""
    return float(settings["epochs"] * settings[unit] / max(1e-3, settings["seconds"]))


def _unused(table: "Table") -> str:
    """Return the number of tokens that the text does not use, as text; words are always used."""
    unused = 0 if table.counts is None else int((table.counts == 0).sum())
    unused_rows = plural(unused, "token is unused and has a row of zeros", "tokens are unused and have rows of zeros")
    return f"; {unused_rows}" if unused else ""


def example_token(table: "Table") -> str:
    """Return a token for an example: the frequent one with the most letters that is not special."""
    settings: Mapping[str, Any] = table.settings
    counts = [0] * len(table) if table.counts is None else table.counts.tolist()
    special = {*UNKNOWN, *settings.get("special", ())}
    named = list[str]()
    for number in (FREQUENT, MORE):  # the first tokens of a BERT are not words
        frequent = heapq.nlargest(number, range(len(table)), key=counts.__getitem__)
        tokens = [table.vocabulary[place] for place in frequent]
        named = [token for token in tokens if token not in special]
        if words := [token for token in named if token.isalpha()]:
            return max(words, key=_letters)
    return max(named, key=_letters, default=table.vocabulary[0])


def example_word(table: "Table") -> str:
    """Return the first token that is a word with a row."""
    words = (token for token in table.vocabulary if token.isalpha() and len(token) > 3 and table[token].any())
    return next(words, table.vocabulary[-1])


def _letters(token: str) -> tuple[int, int]:
    """The number of ASCII letters, which the marks of byte-level tokens are not, and of characters."""
    return sum(character.isascii() and character.isalpha() for character in token), len(token.strip())
