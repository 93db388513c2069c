"""Provisional ids of words of which some are phrases without spaces → those of the words that they are made of.

Only the distinct words are divided, each once, and the text is not read again.
"""

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import CorpusWarning
from rowspace.table import Table
from rowspace.text.characters import character_table
from rowspace.text.ids.provisional_ids import ProvisionalIds
from rowspace.text.ids.renumber import MANY_PHRASES, choose_words
from rowspace.text.options import TextOptions
from rowspace.text.words.kernels import END
from rowspace.text.words.lexicon import Lexicon
from rowspace.text.words.unspaced import Separator, find_words, is_unspaced

__all__ = ["divide_phrases", "warn_of_other_words", "words_within"]


def words_within(corpus: object, provisional: ProvisionalIds, options: TextOptions) -> list[str]:
    """Return the words of scripts without spaces that phrases are made of; none if little of the text is phrases.

    Args:
        corpus: What was read, for messages.
        provisional: The words of the text, with the phrases.
        options: Which words are kept, and the segmenter.

    Raises:
        CorpusError: No word is as frequent as `min_count`.
        MissingExtraError: The library of the segmenter is not installed.
    """
    if options.segmenter == "none" or (options.segmenter == "learned" and provisional.unspaced < MANY_PHRASES):
        return []
    words = provisional.words()
    found = find_words(words, provisional.counts, segmenter=options.segmenter, min_count=options.min_count)
    while found:
        divided = divide_phrases(provisional, found)
        chosen = choose_words(corpus, divided, options.min_count, options.max_vocabulary)
        kept = {divided.token(index).decode() for index in chosen}
        if kept.issuperset(found):
            break
        found = [word for word in found if word in kept]  # others have no id, and shorter words are found instead
    return found


def warn_of_other_words(divided: ProvisionalIds, table: Table) -> None:
    """Warn if much of a text is in words of scripts without spaces that a table with such words lacks.

    Args:
        divided: The words of the text, as the words of the table divide it.
        table: The table from which a fit of the text continues.
    """
    if divided.unspaced >= MANY_PHRASES or not any(map(is_unspaced, table.vocabulary)):
        return  # there is another warning, or nothing to divide
    words = [word.decode() for word in divided.words()]
    sizes = divided.counts * np.array([len(word) for word in words])
    unspaced = np.array([place for place, word in enumerate(words) if is_unspaced(word)], np.int64)
    other = unspaced[table.find([words[place] for place in unspaced]) < 0]
    share = sizes[other].sum() / max(1, sizes.sum())
    if share >= MANY_PHRASES:
        warnings.warn(
            f"{share:.0%} of the letters are in words of scripts without spaces that the table of init lacks, such as "
            f"{words[other[0]]!r}: its words divide the text, and what is between them is a new word; to learn the "
            "words of both texts, fit both together",
            CorpusWarning,
            stacklevel=2,
        )


def divide_phrases(provisional: ProvisionalIds, words: Sequence[str], path: Path | None = None) -> ProvisionalIds:
    """Divide phrases into the longest of some words at each place, and rewrite the ids at `path`.

    Args:
        provisional: The words of the text, and the ids at `path`.
        words: Words of scripts without spaces; with none, nothing is changed.
        path: The file of the ids; None if only the words are needed.
    """
    if not words:
        return provisional
    divided, parts, ends = _divide(provisional, words)
    lengths = [] if path is None else _rewrite(path, provisional, parts, ends)
    return dataclasses.replace(divided, lengths=lengths)


def _divide(
    provisional: ProvisionalIds, found: Sequence[str]
) -> tuple[ProvisionalIds, NDArray[np.int32], NDArray[np.int64]]:
    """Return the words that words are made of, their ids in turn, and where those of each word end."""
    words = provisional.words()
    data, ends = Separator(found).separate(b"".join(words), np.cumsum([len(word) for word in words]))
    lexicon = Lexicon(character_table(cased=True))  # the words have their case
    ids, _ = lexicon.scan(data, ends)
    is_end = ids == END
    parts, ends = ids[~is_end], np.cumsum(~is_end)[is_end]
    counts = np.zeros(len(lexicon), np.int64)
    np.add.at(counts, parts, np.repeat(provisional.counts, np.diff(ends, prepend=0)))
    divided = dataclasses.replace(
        provisional,
        merged=[np.arange(len(counts), dtype=np.int32)],
        counts=counts,
        token=lexicon.all_words().__getitem__,
        unspaced=0.0,
    )
    return divided, parts, ends


def _rewrite(path: Path, provisional: ProvisionalIds, parts: NDArray[np.int32], ends: NDArray[np.int64]) -> list[int]:
    """Replace each id in a file by those of its parts, a block at a time; return how many each block has."""
    parts = np.append(parts, np.int32(END))  # an end has itself
    starts = np.concatenate([[0], ends])
    sizes = np.append(np.diff(starts), 1)
    lengths, target = list[int](), path.with_name(f"{path.name}.words")
    try:
        with path.open("rb") as source, target.open("wb") as file:
            for index, length in enumerate(provisional.lengths):
                ids = np.fromfile(source, "<i4", length)
                merged = provisional.merged[index % len(provisional.merged)]
                word = np.where(ids == END, len(ends), np.append(merged, 0)[ids])
                size = sizes[word]
                first = np.repeat(starts[word] - np.cumsum(size) + size, size)
                block = parts[first + np.arange(first.size)]
                file.write(block.astype("<i4").data)
                lengths.append(len(block))
        target.replace(path)
    finally:
        target.unlink(missing_ok=True)
    return lengths
