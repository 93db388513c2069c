"""`distill`: a sentence encoder on disk → a table, each row the encoder's vector of one token.

Every token goes through the model alone, with the special tokens around it; the vectors are centered and reduced by
PCA, and multiplied by weights, so that their mean over a text is close to the model's vector of the text. Source:
model2vec (van Dongen & Tulkens, 2024).
"""

import dataclasses
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.atomic import scratch_folder
from rowspace._base.options import check_option_names, shows_options
from rowspace.encode.pooling import shares_of_counts, sif_weights
from rowspace.errors import FileFormatError, UsageError
from rowspace.learn.distillation.options import DistillKeywords, DistillOptions
from rowspace.learn.distillation.student_tokens import StudentTokens, student_tokens
from rowspace.learn.distillation.teacher import Teacher, open_teacher
from rowspace.table import Table
from rowspace.text import Corpus, IdCorpus, TextOptions, TokenizerOptions, encode_corpus, encode_tokens

__all__ = ["DistillProgress", "DistillReports", "distill"]

USUAL_DIM = 256


@dataclasses.dataclass(frozen=True)
class DistillProgress:
    """How far the model has read the tokens.

    Attributes:
        tokens: Those read.
        total: All that it reads.
        seconds: Since the first.
    """

    tokens: int
    total: int
    seconds: float


@dataclasses.dataclass(frozen=True)
class DistillReports:
    """Callbacks, each optional.

    Attributes:
        on_bytes: Called with the number of corpus bytes read since the last call; the corpus is read twice.
        on_tokens: Called after each batch of tokens.
    """

    on_bytes: Callable[[int], None] | None = None
    on_tokens: Callable[[DistillProgress], None] | None = None


SILENT = DistillReports()


@shows_options(DistillOptions)
def distill(
    model: str | os.PathLike[str],
    *,
    words: Iterable[str] | None = None,
    corpus: Corpus | None = None,
    reports: DistillReports = SILENT,
    **options: Unpack[DistillKeywords],
) -> Table:
    """Make a table of the vectors that a sentence encoder gives to single tokens.

    Args:
        model: The folder of a model of sentence-transformers or transformers, with safetensors weights and
            tokenizer.json. Nothing is downloaded, and no code in it is run.
        words: Extra words or phrases that get a row; those that are tokens already are left out.
        corpus: Text whose frequent words get a row, and whose counts give the weights; see `rowspace.fit`. It is read
            twice. Without it, the weights are those of Zipf's law for the tokens in the order of their ids.
        reports: Callbacks for progress.
        **options: The fields of `DistillOptions`: dim=256, sif=1e-4, pooling=None, ...

    Returns:
        The table, with float32 rows (V, dim). The tokens of the model have their ids, and extra words follow. Special
        tokens and unused ones have zeros. `table.settings` records the options and `variance`, the share of the
        vectors' variance that is left after PCA; `table.counts` are those of the corpus.

    Raises:
        UsageError: An option is unknown or invalid, or `model` is not a model of transformers.
        CorpusError: The corpus cannot be read.
        FileFormatError: The model is damaged, or has modules that cannot be distilled.
        MissingExtraError: PyTorch or transformers is not installed.
    """
    check_option_names("distill", options, DistillOptions)
    chosen = DistillOptions(**options)
    if isinstance(words, str):
        raise UsageError("words must be a list of words, not one string; put it into a list")
    teacher = open_teacher(model, pooling=chosen.pooling)
    dim = _dim(chosen, teacher)
    with scratch_folder("distill") as folder:
        text = None if corpus is None else _Text(corpus, folder, reports)
        extra = [*(words or ()), *(text.words(teacher, chosen) if text else ())]
        tokens = student_tokens(teacher.tokenizer, extra, source=os.fspath(model))
        _check_inputs(tokens, teacher, dim)
        counts = text.counts(tokens) if text else None
    vectors = _vectors(teacher, tokens, chosen.batch_size, reports)
    settings = dataclasses.asdict(chosen) | {"dim": dim, "pooling": teacher.pooling}
    return _table(teacher, tokens, vectors, counts, settings)


def _dim(options: DistillOptions, teacher: Teacher) -> int:
    """Return the length of a row."""
    if options.dim is None:
        return min(USUAL_DIM, teacher.dim)
    if options.dim > teacher.dim:
        raise UsageError(f"dim must be at most the length of the model's vectors, {teacher.dim}, not {options.dim}")
    return options.dim


class _Text:
    """A corpus: its words, and how often it has each token."""

    def __init__(self, corpus: Corpus, folder: Path, reports: DistillReports) -> None:
        if corpus == "-":
            raise UsageError("the corpus is read twice, so it cannot be standard input; give a file")
        self._corpus: Corpus = list(corpus) if isinstance(corpus, Iterator) else corpus
        self._folder, self._on_bytes = folder, reports.on_bytes

    def words(self, teacher: Teacher, options: DistillOptions) -> list[str]:
        """Return the words that are frequent enough, the most frequent first."""
        if not options.max_words:
            return []
        text = TextOptions(cased=_keeps_case(teacher), min_count=options.min_count, max_vocabulary=options.max_words)
        found = encode_corpus(self._corpus, self._folder, options=text, on_bytes=self._on_bytes)
        return list(found.vocabulary)

    def counts(self, tokens: StudentTokens) -> NDArray[np.int64]:
        """Return how often each token occurs, (V,)."""
        path = self._folder / "tokenizer.json"
        path.write_text(tokens.tokenizer, "utf-8")
        found: IdCorpus = encode_tokens(
            self._corpus, self._folder, tokens=TokenizerOptions(str(path)), on_bytes=self._on_bytes
        )
        counts = np.zeros(len(tokens.vocabulary), np.int64)
        counts[found.token_ids] = found.counts
        return counts


def _keeps_case(teacher: Teacher) -> bool:
    """Whether the tokenizer sees a difference between a word and its capitalized form."""
    from tokenizers import Tokenizer

    normalizer = Tokenizer.from_str(teacher.tokenizer).normalizer
    return normalizer is None or normalizer.normalize_str("A") != normalizer.normalize_str("a")


def _check_inputs(tokens: StudentTokens, teacher: Teacher, dim: int) -> None:
    """Raise an error for tokens that the teacher cannot read, or too few of them."""
    largest = max((max(ids, default=0) for ids in tokens.inputs), default=0)
    if largest >= teacher.num_embeddings:
        raise FileFormatError(
            f"{teacher.name}: tokenizer.json has id {largest:,}, but the model has {teacher.num_embeddings:,} rows; "
            "restore the tokenizer"
        )
    for token, ids in zip(tokens.vocabulary, tokens.inputs, strict=True):
        if teacher.max_length is not None and len(ids) > teacher.max_length:
            raise UsageError(
                f"the word {token[:40]!r} has {len(ids):,} tokens, but the model reads {teacher.max_length:,}; omit it"
            )
    learned = sum(map(bool, tokens.inputs))
    if learned <= dim:
        raise UsageError(
            f"dim must be below the number of tokens with text, {learned:,}, not {dim}; give a smaller dim"
        )


def _vectors(teacher: Teacher, tokens: StudentTokens, batch_size: int, reports: DistillReports) -> NDArray[np.float32]:
    """Return the teacher's vector of each token, (V, teacher.dim); NaN for tokens without text."""
    vectors = np.full((len(tokens.inputs), teacher.dim), np.nan, np.float32)
    lengths = np.array([len(ids) for ids in tokens.inputs])
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    began = time.monotonic()
    for start in range(0, len(order), batch_size):
        batch = order[start : start + batch_size]
        vectors[batch] = teacher.vectors([tokens.inputs[number] for number in batch])
        if reports.on_tokens:
            reports.on_tokens(DistillProgress(start + len(batch), len(order), time.monotonic() - began))
    return vectors


def _table(
    teacher: Teacher,
    tokens: StudentTokens,
    vectors: NDArray[np.float32],
    counts: NDArray[np.int64] | None,
    settings: dict[str, Any],
) -> Table:
    """Reduce the vectors and weight them."""
    found = space.pca(vectors, settings["dim"])
    learned = np.isfinite(found.positions[:, 0])
    rows = np.where(learned[:, None], found.positions, 0)
    if counts is None:
        probabilities = np.zeros(len(rows))
        probabilities[learned] = probabilities_of_ranks(int(learned.sum()))
    else:
        probabilities = shares_of_counts(counts)
    rows *= sif_weights(probabilities, settings["sif"])[:, None].astype(np.float32)
    return Table(
        tokens.vocabulary,
        rows,
        counts,
        tokenizer=tokens.tokenizer,
        settings={
            "model": teacher.name,
            **settings,
            "weights": ("corpus" if counts is not None else "ranks") if settings["sif"] else "none",
            "model_dim": teacher.dim,
            "variance": float(found.share.sum()),
            "distilled": int(learned.sum()),
            "extra_words": tokens.extra,
            "skipped_words": tokens.skipped,
            "normalize": teacher.normalizes,
        },
    )


def probabilities_of_ranks(size: int) -> NDArray[np.float64]:
    """Return Zipf's estimate for tokens in the order of their frequency, (size,): p is proportional to 1 / (rank + 1).

    The ids of trained tokenizers are in about that order. Source: model2vec 0.10, `compute_weights`.

    >>> probabilities_of_ranks(2).round(3)
    array([0.6, 0.4])
    """
    inverse = 1.0 / np.arange(2, size + 2)
    share: NDArray[np.float64] = inverse / inverse.sum()
    return share
