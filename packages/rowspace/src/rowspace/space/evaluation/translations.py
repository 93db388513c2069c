"""The share of a dictionary's words whose translation is found among the nearest rows of another table.

The rules are those of MUSE (Conneau et al. 2018): a source word with a known translation is a question, and it is
answered if any of its translations is among the first k. A file has two words on each line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.space.cross_domain import csls
from rowspace.space.evaluation.files import numbered_lines
from rowspace.space.neighbors import nearest, validate_k

__all__ = ["TranslationScores", "evaluate_translations", "read_dictionary"]

Rows = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class TranslationScores:
    """The precision on a dictionary.

    Attributes:
        precision: The share of questions that are answered among the first k, by k: `precision[1]` is P@1.
        used: The number of questions.
        oov_ratio: The share of source words that are no question, since they or all their translations are unknown, in
            percent.
    """

    precision: dict[int, float]
    used: int
    oov_ratio: float


def evaluate_translations(
    pairs: Sequence[tuple[str, str]],
    vocabulary: Sequence[str],
    rows: Rows,
    to_vocabulary: Sequence[str],
    to_rows: Rows,
    *,
    k: Sequence[int] = (1, 5, 10),
    by_csls: bool = True,
    neighborhood: int = 10,
) -> TranslationScores:
    """Return the precision of a search for the translations of words, in rows that are aligned.

    Args:
        pairs: A word and its translation, as of `read_dictionary`; a word may have several translations.
        vocabulary: V tokens.
        rows: (V, d), aligned to `to_rows`.
        to_vocabulary: W tokens.
        to_rows: (W, d).
        k: The numbers of answers to count.
        by_csls: Search by CSLS (`rowspace.space.csls`), otherwise by cosine.
        neighborhood: As for `rowspace.space.csls`.

    Raises:
        UsageError: A k or neighborhood is below 1, or widths differ.
        RowspaceError: No pair is in both vocabularies.

    >>> found = evaluate_translations([("cat", "chat"), ("dog", "chien")], ["cat", "dog"], np.eye(2),
    ...                               ["chien", "chat"], np.eye(2), k=[1, 2], neighborhood=1)
    >>> found.precision, found.used
    ({1: 0.0, 2: 1.0}, 2)
    """
    widest = max(validate_k(each) for each in k)
    translations = _known_translations(pairs, vocabulary, to_vocabulary)
    words = {word for word, _ in pairs}
    if not translations:
        raise RowspaceError(
            f"none of the {len(words):,} words of the dictionary is in the first table with a translation in the "
            "second; check the order of the tables and of the columns"
        )
    queries = np.asarray(rows[list(translations)])
    if by_csls:
        ids, _ = csls(queries, to_rows, widest, sources=rows, neighborhood=neighborhood)
    else:
        ids, _ = nearest(queries, to_rows, widest)
    is_right = [
        [each in known for each in line] for line, known in zip(ids.tolist(), translations.values(), strict=True)
    ]
    precision = {each: float(np.mean([any(line[:each]) for line in is_right])) for each in k}
    return TranslationScores(precision, len(translations), 100 * (1 - len(translations) / len(words)))


def read_dictionary(path: str | Path) -> list[tuple[str, str]]:
    """Return the pairs of words in a file: two on each line, separated by a tab or else by white space.

    Raises:
        FileFormatError: The file cannot be read or has no pairs, or a line has not two words (with its number).
    """
    pairs = []
    for number, line in numbered_lines(path):
        fields = [field.strip() for field in (line.split("\t") if "\t" in line else line.split())]
        if len(fields) != 2 or not all(fields):
            raise FileFormatError(f"{path}, line {number}: expected two words, got {line[:60]!r}")
        pairs.append((fields[0], fields[1]))
    if not pairs:
        raise FileFormatError(f"{path} has no pairs; expected lines of two words")
    return pairs


def _known_translations(
    pairs: Sequence[tuple[str, str]], vocabulary: Sequence[str], to_vocabulary: Sequence[str]
) -> dict[int, set[int]]:
    """Return the ids of the translations of each id, of those pairs that are in both vocabularies."""
    ids, to_ids = ({token: row for row, token in enumerate(each)} for each in (vocabulary, to_vocabulary))
    known: dict[int, set[int]] = {}
    for word, translation in pairs:
        if word in ids and translation in to_ids:
            known.setdefault(ids[word], set()).add(to_ids[translation])
    return known
