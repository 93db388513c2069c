"""The ids that the library of Hugging Face gives, and the comparison of a scanner's with them."""

from collections.abc import Iterable, Iterator, Sequence

from tokenizers import Tokenizer

from rowspace.encode.texts import FlatIds

BATCH = 4096  # texts: an encoding has offsets and masks too, so that a million of them take gigabytes


def library_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the ids of each text; one half of a surrogate pair, which the library refuses, counts as U+FFFD."""
    for start in range(0, len(texts), BATCH):
        batch = [text.replace("\ud800", "\ufffd") for text in texts[start : start + BATCH]]
        yield from (each.ids for each in tokenizer.encode_batch_fast(batch, add_special_tokens=False))


def expect_ids(found: FlatIds, texts: Sequence[str], expected: Iterable[list[int]]) -> None:
    """Compare ids text by text."""
    for text, ids, first, last in zip(texts, expected, found.indptr[:-1], found.indptr[1:], strict=True):
        assert found.ids[first:last].tolist() == ids, text[:200]
