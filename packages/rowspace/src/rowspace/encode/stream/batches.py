"""Lists of texts → batches of bounded size; on resumption, without the texts that are done."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from rowspace._base.plural import plural
from rowspace.errors import UsageError

__all__ = ["TextDigest", "batches_of", "skip_texts"]

MAX_CHARACTERS = 1 << 21
MIN_TEXTS = 1 << 12  # enough for all threads of an encoder; fewer only if they are long


class TextDigest:
    """A hash of texts in order, regardless of how they are split into lists.

    >>> first, second = TextDigest(), TextDigest()
    >>> first.add(["a", "b"])
    >>> second.add(["a"])
    >>> second.add(["b"])
    >>> first.hex() == second.hex()
    True
    """

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def add(self, texts: list[str]) -> None:
        """Add the next texts."""
        if texts:
            self._hash.update("\0".join([*texts, ""]).encode("utf-8", "surrogatepass"))

    def hex(self) -> str:
        """Return the hash of the texts so far."""
        return self._hash.copy().hexdigest()


def batches_of(lists: Iterable[list[str]], *, limit: int) -> Iterator[list[str]]:
    """Yield texts in batches of at most `limit` texts and about `MAX_CHARACTERS`; a longer text is a separate batch.

    >>> list(batches_of([["a"], ["b", "c", "d", "e"]], limit=2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    batch, characters = list[str](), 0
    for texts in lists:
        size = sum(map(len, texts))
        if len(batch) + len(texts) <= limit and characters + size <= MAX_CHARACTERS:
            batch += texts
            characters += size
            if len(batch) >= min(limit, MIN_TEXTS):
                yield batch
                batch, characters = [], 0
            continue
        for text in texts:
            if batch and (len(batch) == limit or characters + len(text) > MAX_CHARACTERS):
                yield batch
                batch, characters = [], 0
            batch.append(text)
            characters += len(text)
    if batch:
        yield batch


def skip_texts(lists: Iterator[list[str]], count: int, expected: str, digest: TextDigest) -> Iterator[list[str]]:
    """Yield the lists after the first `count` texts, and add these to `digest`.

    Raises:
        UsageError: The hash of the first `count` texts is not `expected`, or there are fewer.
    """
    missing = count
    for texts in lists:
        digest.add(texts[:missing])
        if missing <= len(texts):
            _check(digest, expected, count)
            yield texts[missing:]
            yield from lists
            return
        missing -= len(texts)
    raise UsageError(
        f"the source has only {plural(count - missing, 'text')}, but {count:,} were encoded before; {REDO}"
    )


REDO = "it is not the source of the interrupted run: give that one, or start again without resume"


def _check(digest: TextDigest, expected: str, count: int) -> None:
    if digest.hex() != expected:
        raise UsageError(f"the first {plural(count, 'text')} of the source differ from those encoded before; {REDO}")
