"""Do the rows agree with people? The correlation of cosines with judged similarity over a file of word pairs.

The rules, and so the numbers, are those of gensim's `evaluate_word_pairs`, but for lines that cannot be read:
gensim drops them, here they are an error. WordSim-353 and SimLex-999 come in this form. Read next:
`correlation.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.space.correlation import Correlation, pearson, spearman
from rowspace.space.similarity import cosine
from rowspace.space.wordfiles import first_ids, numbered_lines

__all__ = ["PairScores", "evaluate_pairs"]

Rows = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class PairScores:
    """How well cosines follow the judgments of one file.

    `pearson` and `spearman` hold (r, p); `oov_ratio` is the share of pairs with an unknown word, in percent;
    `used` is the number of pairs that the correlations stand on, `composed` those of them in which the row of a word
    that is not in the vocabulary was made of its n-grams.
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
) -> PairScores:
    r"""Correlate the cosines of `rows` (V, d) with the judgments in a file of "word word number" lines.

    Fields are parted by tabs, or by other white space where a line has no tab; lines that start with # are
    comments. Only the first `restrict_vocab` tokens count. A pair with an unknown word is left out, or with
    `dummy4unknown` counts as cosine 0. A zero row has cosine 0. `unseen` may give a row (d,) to a word that is not in
    the vocabulary, which comes to it in lower case where case is ignored; such a word is not unknown then.

    Raises `FileFormatError` for a file that cannot be read, a malformed line (with its number) or a file
    without pairs; `RowspaceError` where fewer than two pairs are left to correlate.

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
            return np.asarray(rows[ids[word]])
        return None if unseen is None else unseen(word.lower() if case_insensitive else word)

    for a, b, judgment in _pairs(path, case_insensitive):
        total += 1
        row_a, row_b = row_of(a), row_of(b)
        known = row_a is not None and row_b is not None
        unknown += not known
        composed += known and not (a in ids and b in ids)
        if known or dummy4unknown:
            judged.append(judgment)
            measured.append(0.0 if row_a is None or row_b is None else float(cosine(row_a, row_b)))
    if not total:
        raise FileFormatError(f"{path} holds no word pair; a line is: word, word, number")
    if len(judged) < 2:
        raise RowspaceError(f"of {total} pairs in {path}, {len(judged)} are in the vocabulary; at least 2 are needed")
    correlations = pearson(judged, measured), spearman(judged, measured)
    return PairScores(*correlations, 100 * unknown / total, len(judged), composed)


def _pairs(path: str | Path, case_insensitive: bool) -> Iterator[tuple[str, str, float]]:
    """Yield (word, word, judgment) of each line."""
    for number, line in numbered_lines(path):
        fields = [field.strip() for field in line.split("\t" if "\t" in line else None)]
        try:
            a, b, judgment = fields[0], fields[1], float(fields[2])
        except (IndexError, ValueError):
            judgment = float("nan")
        if len(fields) != 3 or not isfinite(judgment):
            raise FileFormatError(f"{path}, line {number}: expected word, word, number, got {line[:60]!r}")
        yield (a.upper(), b.upper(), judgment) if case_insensitive else (a, b, judgment)
