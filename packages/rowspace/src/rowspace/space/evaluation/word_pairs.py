"""The correlation of cosines with human similarity judgments over a file of word pairs.

The rules, and so the numbers, are those of gensim's `evaluate_word_pairs`, except that malformed lines are an error
here; gensim drops them. WordSim-353 and SimLex-999 come in this form.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, UsageError
from rowspace.space.evaluation.correlation import Correlation, pearson, spearman
from rowspace.space.evaluation.files import first_ids, numbered_lines
from rowspace.space.similarity import cosine

__all__ = ["PairScores", "evaluate_pairs"]

Rows = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class PairScores:
    """The correlation of cosines with the judgments of a file.

    Attributes:
        pearson, spearman: (r, p).
        oov_ratio: the share of pairs with an unknown word, in percent.
        used: the number of pairs that were correlated.
        composed: the number of these with an out-of-vocabulary word, whose row was computed from its n-grams.
    """

    pearson: Correlation
    spearman: Correlation
    oov_ratio: float
    used: int
    composed: int = 0


def evaluate_pairs(
    path: str | Path,
    vocabulary: Sequence[str],
    rows: Rows,
    *,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
    unseen: Callable[[str], Rows | None] | None = None,
    text: str | None = None,
) -> PairScores:
    r"""Correlate the cosines of `rows` (V, d) with the judgments in a file of "word word number" lines.

    Fields are separated by tabs, or by other white space where a line has no tab; lines that start with # are comments.
    A zero row has cosine 0; a word whose row has NaN or infinity is unknown.

    Args:
        path: a text file in UTF-8.
        vocabulary: V tokens.
        rows: (V, d).
        restrict_vocab: use only the first `restrict_vocab` tokens.
        case_insensitive: ignore case.
        dummy4unknown: count a pair with an unknown word as cosine 0 instead of skipping it.
        unseen: returns a row (d,) or None for an out-of-vocabulary word, which is in lower case if case is ignored.
        text: the content of the file if it was read already, for example from another encoding; `path` is then only
            named in messages.

    Raises:
        FileFormatError: the file cannot be read or has no pairs, or a line is malformed (with its number).
        UsageError: fewer than two pairs are left to correlate.

    >>> import tempfile
    >>> from pathlib import Path
    >>> vocabulary = ["cat", "dog", "the"]
    >>> rows = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.tsv")
    ...     _ = path.write_text("cat dog 9\ncat the 1\nthe dog 2\ncat fish 5\n")
    ...     scores = evaluate_pairs(path, vocabulary, rows)
    >>> round(scores.spearman.r, 3), scores.oov_ratio, scores.used
    (1.0, 25.0, 3)
    """
    ids = first_ids(vocabulary, restrict_vocab, case_insensitive)
    judged: list[float] = []
    measured: list[float] = []
    total = unknown = composed = 0

    def row_of(word: str) -> Rows | None:
        if word in ids:
            return np.asarray(rows[ids[word]]) if np.isfinite(rows[ids[word]]).all() else None
        return None if unseen is None else unseen(word.lower() if case_insensitive else word)

    for a, b, judgment in _pairs(path, text, case_insensitive):
        total += 1
        row_a, row_b = row_of(a), row_of(b)
        known = row_a is not None and row_b is not None
        unknown += not known
        composed += known and not (a in ids and b in ids)
        if known or dummy4unknown:
            judged.append(judgment)
            measured.append(0.0 if row_a is None or row_b is None else float(cosine(row_a, row_b)))
    if not total:
        raise FileFormatError(f"{path} has no word pairs; expected lines of word, word, number")
    if len(judged) < 2:
        raise UsageError(f"of {total} pairs in {path}, {len(judged)} are in the vocabulary; at least 2 are needed")
    correlations = pearson(judged, measured), spearman(judged, measured)
    return PairScores(*correlations, 100 * unknown / total, len(judged), composed)


def _pairs(path: str | Path, text: str | None, case_insensitive: bool) -> Iterator[tuple[str, str, float]]:
    """Yield (word, word, judgment) of each line."""
    for number, line in numbered_lines(path, text):
        fields = [field.strip() for field in line.split("\t" if "\t" in line else None)]
        try:
            a, b, judgment = fields[0], fields[1], float(fields[2])
        except (IndexError, ValueError):
            judgment = float("nan")
        if len(fields) != 3 or not isfinite(judgment):
            raise FileFormatError(f"{path}, line {number}: expected word, word, number, got {line[:60]!r}")
        yield (a.upper(), b.upper(), judgment) if case_insensitive else (a, b, judgment)
