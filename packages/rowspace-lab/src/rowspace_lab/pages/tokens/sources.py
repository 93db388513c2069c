"""The tokenizers of the Tokens page, truncated to several vocabulary sizes and cached."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import tokenizers

from rowspace.errors import UsageError
from rowspace.text import (
    HuggingFaceTokenizer,
    Tokenizer,
    cached_default_tokenizer,
    default_tokenizer,
    minimum_size,
    truncate_counts,
    truncate_vocabulary,
)
from rowspace_lab.jobs.callbacks import iterate_callbacks
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab

__all__ = ["JOB_KINDS", "SOURCES", "Cut", "Source", "cut_of", "is_ready", "source_of", "token_kinds"]


SOURCES = ("table", "default")

_MAX_SIZES = 8
_MAX_TRUNCATED = 300_000  # tokens; larger vocabularies take too long to truncate


@dataclass(frozen=True, eq=False)
class Cut:
    """A tokenizer at one vocabulary size.

    `counts` are the counts of its tokens, None if unknown, and `most` is the largest count, 0 if unknown. `kinds` maps
    the ids of special, added and unknown tokens to their kind.
    """

    tokenizer: HuggingFaceTokenizer
    counts: Mapping[str, int] | None
    most: int
    kinds: Mapping[int, str]


class Source:
    """A full tokenizer, its token `ids`, `counts` if known, and the `sizes` that it can be truncated to, ascending."""

    def __init__(
        self, tokenizer: HuggingFaceTokenizer, counts: Mapping[str, int] | None, *, max_truncated: int = _MAX_TRUNCATED
    ) -> None:
        self.tokenizer, self.counts = tokenizer, counts
        self.ids: Mapping[str, int] = tokenizer.library.get_vocab(with_added_tokens=True)
        most = tokenizer.library.get_vocab_size(with_added_tokens=True)
        self.sizes: Sequence[int] = [most] if most > max_truncated else _sizes(minimum_size(tokenizer), most)

    def cut(self, size: int) -> Cut:
        """Truncate the vocabulary to one of its `sizes`."""
        whole = size == self.sizes[-1]
        library = self.tokenizer.library if whole else truncate_vocabulary(self.tokenizer, size)
        counts = None if self.counts is None else truncate_counts(self.tokenizer, self.counts, size, truncated=library)
        tokenizer = self.tokenizer if whole else HuggingFaceTokenizer(library)
        return Cut(tokenizer, counts, max((counts or {}).values(), default=0), token_kinds(tokenizer))


def source_of(lab: Lab, name: str) -> Source:
    """Return the tokenizer of this name; raise `UsageError` if the table has none.

    Learning the default tokenizer takes some seconds if it is not cached; see `is_ready`.
    """
    if name == "default":
        return lab.cached(("tokens", name), lambda: _counted(*default_tokenizer()))
    if not lab.table.tokenizer:
        raise UsageError("this table has no tokenizer; use tokenizer=default")
    return lab.cached(("tokens", name), partial(_of_table, lab))


def is_ready(lab: Lab, name: str) -> bool:
    """Return whether the tokenizer exists and need not be learned first."""
    if name == "default":
        return cached_default_tokenizer() is not None
    return bool(lab.table.tokenizer)


def cut_of(lab: Lab, name: str, size: int) -> Cut:
    """Return the tokenizer of this name at one of its sizes."""
    return lab.cached(("tokens", name, size), lambda: source_of(lab, name).cut(size))


def learn_default_tokenizer(texts: Iterable[str] | None = None) -> Iterator[Progress]:
    """Learn the default tokenizer from `texts`, by default the standard library, and cache it for `source_of`."""

    def work(report: Callable[[float], None]) -> None:
        report(0.0)
        default_tokenizer(on_share=report, texts=texts)

    percent = -1
    for share in iterate_callbacks(work):
        if int(100 * share) > percent:
            percent = int(100 * share)
            yield Progress(share, f"{percent} % read, the first half for learning, the second for counting")


JOB_KINDS = {
    "default-tokenizer": JobKind(run=learn_default_tokenizer, read=lambda lab, query: {}, arrays=lambda lab: {}),
}


def _sizes(minimum: int, full: int) -> list[int]:
    """Return the minimum, powers of two and the full size, or only the largest of these."""
    doubling = (1 << power for power in range(32) if minimum < 1 << power < full)
    return sorted({minimum, *doubling, full})[-_MAX_SIZES:]


def _counted(tokenizer: tokenizers.Tokenizer, counts: Mapping[str, int]) -> Source:
    return Source(HuggingFaceTokenizer(tokenizer), counts)


def _of_table(lab: Lab) -> Source:
    table = lab.table
    counts = None if table.counts is None else dict(zip(table.vocabulary, table.counts.tolist(), strict=True))
    return Source(Tokenizer.of_table(table), counts)


def token_kinds(tokenizer: Tokenizer) -> dict[int, str]:
    """Return the kind of special, added and unknown tokens by id."""
    kinds = dict.fromkeys(tokenizer.special_ids, "special")
    if isinstance(tokenizer, HuggingFaceTokenizer):
        added = tokenizer.library.get_added_tokens_decoder()
        kinds = {number: "special" if token.special else "added" for number, token in added.items()}
    return kinds if tokenizer.unknown_id is None else kinds | {tokenizer.unknown_id: "unknown"}
