"""The tokenizers that the Tokens page splits with, cut to several sizes of their vocabulary, each made once.

Read next: `rowspace/text/pieces.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Thread

from rowspace.errors import RowspaceError, UsageError
from rowspace.lab.state import Lab
from rowspace.text import STANDARD_SIZE, cut_counts, cut_tokenizer, smallest_size, standard_tokenizer
from rowspace.text.library import LibraryTokenizer, parsed

__all__ = ["SOURCES", "Cut", "Learning", "Source", "cut_of", "learning", "source_of"]


SOURCES = ("table", "standard")

_MOST_SIZES = 10
_KEPT_IS_READ = 0.3  # seconds in which one that was kept is there, so that the first answer need not say "not yet"


@dataclass
class Learning:
    """How far the standard tokenizer is: `share` of its text read, 0 … 1, or the `fault` that ended it."""

    share: float = 0.0
    ready: bool = False
    fault: str | None = None


@dataclass(frozen=True, eq=False)
class Cut:
    """A tokenizer at one size of its vocabulary; `kinds`: which ids are special, added or unknown.

    `counts` of its tokens, None where they are not known, and the `most` of them, 0 there.
    """

    tokenizer: LibraryTokenizer
    counts: Mapping[str, int] | None
    most: int
    kinds: Mapping[int, str]


class Source:
    """A whole tokenizer; `ids` by token; `counts` of its tokens, if known; `sizes` that it can be cut to, rising."""

    def __init__(self, tokenizer: LibraryTokenizer, counts: Mapping[str, int] | None) -> None:
        self.tokenizer, self.counts = tokenizer, counts
        self.ids: Mapping[str, int] = tokenizer.library.get_vocab(with_added_tokens=True)
        least, most = smallest_size(tokenizer), tokenizer.library.get_vocab_size(with_added_tokens=True)
        doubling = [1 << power for power in range(32) if least < 1 << power < most]
        self.sizes: Sequence[int] = sorted({least, *doubling[-_MOST_SIZES:], most})

    def cut(self, size: int) -> Cut:
        """Cut it to one of its `sizes`."""
        whole = size == self.sizes[-1]
        tokenizer = self.tokenizer if whole else LibraryTokenizer(cut_tokenizer(self.tokenizer, size))
        counts = None if self.counts is None else cut_counts(self.tokenizer, self.counts, size)
        return Cut(tokenizer, counts, max((counts or {}).values(), default=0), _kinds(tokenizer))


def source_of(lab: Lab, name: str) -> Source:
    """The tokenizer of this name; raises `UsageError` where the table has none. The standard one may take seconds."""
    if name == "standard":
        return lab.once(("tokens", name), partial(_learned, lab))
    if not lab.table.tokenizer:
        raise UsageError("this table has no tokenizer; ask for tokenizer=standard")
    return lab.once(("tokens", name), partial(_of_table, lab))


def cut_of(lab: Lab, name: str, size: int) -> Cut:
    """The tokenizer of this name at one of its sizes."""
    return lab.once(("tokens", name, size), lambda: source_of(lab, name).cut(size))


def learning(lab: Lab) -> Learning:
    """How far the standard tokenizer is; the first call begins to learn it, in the background."""
    return lab.once("tokens/learning", partial(_begin, lab))


def _begin(lab: Lab) -> Learning:
    progress = _progress(lab)

    def learn() -> None:
        try:
            source_of(lab, "standard")
        except RowspaceError as error:
            progress.fault = str(error)

    thread = Thread(target=learn, daemon=True)
    thread.start()
    thread.join(_KEPT_IS_READ)
    return progress


def _progress(lab: Lab) -> Learning:
    return lab.once("tokens/progress", Learning)


def _learned(lab: Lab) -> Source:
    progress = _progress(lab)

    def on_share(share: float) -> None:
        progress.share = share

    tokenizer, counts = standard_tokenizer(STANDARD_SIZE, on_share=on_share)
    source = Source(LibraryTokenizer(tokenizer), counts)
    progress.share, progress.ready = 1.0, True
    return source


def _of_table(lab: Lab) -> Source:
    table = lab.table
    counts = None if table.counts is None else dict(zip(table.vocabulary, table.counts.tolist(), strict=True))
    return Source(parsed(str(table.tokenizer), "the table's tokenizer"), counts)


def _kinds(tokenizer: LibraryTokenizer) -> dict[int, str]:
    added = tokenizer.library.get_added_tokens_decoder()
    kinds = {number: "special" if token.special else "added" for number, token in added.items()}
    return kinds if tokenizer.unknown_id is None else kinds | {tokenizer.unknown_id: "unknown"}
