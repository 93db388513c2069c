"""The tokenizers that the Tokens page splits with, cut to several sizes of their vocabulary, each made once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import tokenizers

from rowspace.errors import UsageError
from rowspace.lab.jobs.callbacks import iterate_callbacks
from rowspace.lab.jobs.kinds import JobKind, Progress
from rowspace.lab.lab import Lab
from rowspace.text import (
    HuggingFaceTokenizer,
    Tokenizer,
    cached_default_tokenizer,
    default_tokenizer,
    minimum_size,
    truncate_counts,
    truncate_vocabulary,
)

__all__ = ["JOB_KINDS", "SOURCES", "Cut", "Source", "cut_of", "is_ready", "source_of"]


SOURCES = ("table", "default")

_MOST_SIZES = 8
_LARGEST_CUT = 300_000  # tokens; a larger vocabulary takes too long to cut, and is shown whole


@dataclass(frozen=True, eq=False)
class Cut:
    """A tokenizer at one size of its vocabulary; `kinds`: which ids are special, added or unknown.

    `counts` of its tokens, None where they are not known, and the `most` of them, 0 there.
    """

    tokenizer: HuggingFaceTokenizer
    counts: Mapping[str, int] | None
    most: int
    kinds: Mapping[int, str]


class Source:
    """A whole tokenizer; `ids` by token; `counts` of its tokens, if known; `sizes` that it can be cut to, rising."""

    def __init__(
        self, tokenizer: HuggingFaceTokenizer, counts: Mapping[str, int] | None, *, largest_cut: int = _LARGEST_CUT
    ) -> None:
        self.tokenizer, self.counts = tokenizer, counts
        self.ids: Mapping[str, int] = tokenizer.library.get_vocab(with_added_tokens=True)
        most = tokenizer.library.get_vocab_size(with_added_tokens=True)
        self.sizes: Sequence[int] = [most] if most > largest_cut else _sizes(minimum_size(tokenizer), most)

    def cut(self, size: int) -> Cut:
        """Cut it to one of its `sizes`."""
        whole = size == self.sizes[-1]
        library = self.tokenizer.library if whole else truncate_vocabulary(self.tokenizer, size)
        counts = None if self.counts is None else truncate_counts(self.tokenizer, self.counts, size, truncated=library)
        tokenizer = self.tokenizer if whole else HuggingFaceTokenizer(library)
        return Cut(tokenizer, counts, max((counts or {}).values(), default=0), _kinds(tokenizer))


def source_of(lab: Lab, name: str) -> Source:
    """The tokenizer of this name; raises `UsageError` where the table has none.

    The default one takes some seconds to train if it is not cached; see `is_ready`.
    """
    if name == "default":
        return lab.cached(("tokens", name), lambda: _counted(*default_tokenizer()))
    if not lab.table.tokenizer:
        raise UsageError("this table has no tokenizer; ask for tokenizer=default")
    return lab.cached(("tokens", name), partial(_of_table, lab))


def is_ready(lab: Lab, name: str) -> bool:
    """Whether there is such a tokenizer, without a wait."""
    if name == "default":
        return cached_default_tokenizer() is not None
    return bool(lab.table.tokenizer)


def cut_of(lab: Lab, name: str, size: int) -> Cut:
    """The tokenizer of this name at one of its sizes."""
    return lab.cached(("tokens", name, size), lambda: source_of(lab, name).cut(size))


def learn_default_tokenizer(texts: Iterable[str] | None = None) -> Iterator[Progress]:
    """Train the default tokenizer on `texts`, or on the standard library; `source_of` then finds it in the cache."""

    def work(report: Callable[[float], None]) -> None:
        report(0.0)
        default_tokenizer(on_share=report, texts=texts)

    percent = -1
    for share in iterate_callbacks(work):
        if int(100 * share) > percent:
            percent = int(100 * share)
            yield Progress(share, f"{percent} % read, the first half to learn and the second to count")


JOB_KINDS = {
    "default-tokenizer": JobKind(run=learn_default_tokenizer, read=lambda lab, query: {}, arrays=lambda lab: {}),
}


def _sizes(least: int, most: int) -> list[int]:
    """The smallest and the whole, and between them the powers of two; the largest few of these."""
    doubling = (1 << power for power in range(32) if least < 1 << power < most)
    return sorted({least, *doubling, most})[-_MOST_SIZES:]


def _counted(tokenizer: tokenizers.Tokenizer, counts: Mapping[str, int]) -> Source:
    return Source(HuggingFaceTokenizer(tokenizer), counts)


def _of_table(lab: Lab) -> Source:
    table = lab.table
    counts = None if table.counts is None else dict(zip(table.vocabulary, table.counts.tolist(), strict=True))
    return Source(Tokenizer.of_table(table), counts)


def _kinds(tokenizer: HuggingFaceTokenizer) -> dict[int, str]:
    added = tokenizer.library.get_added_tokens_decoder()
    kinds = {number: "special" if token.special else "added" for number, token in added.items()}
    return kinds if tokenizer.unknown_id is None else kinds | {tokenizer.unknown_id: "unknown"}
