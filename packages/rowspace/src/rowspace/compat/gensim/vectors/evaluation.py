"""Accuracy on files of analogies and word pairs, with the numbers and the results that gensim returns."""

import logging
from pathlib import Path
from typing import Any, NamedTuple

from rowspace import space
from rowspace.compat.gensim.errors import MissingAttributeError
from rowspace.compat.gensim.opening import check_exists, read_text
from rowspace.compat.gensim.vectors.distances import VectorDistances
from rowspace.compat.gensim.vectors.queries import COSMUL_EPSILON

__all__ = ["SignificanceResult", "VectorEvaluation"]

logger = logging.getLogger(__name__)


class SignificanceResult(NamedTuple):
    """A correlation and its two-sided p-value, by scipy's names."""

    statistic: float
    pvalue: float


class VectorEvaluation(VectorDistances):
    """Evaluation on files."""

    def evaluate_word_analogies(
        self,
        analogies: str | Path,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        similarity_function: str = "most_similar",
    ) -> tuple[float, list[dict[str, Any]]]:
        """Answer the questions of a file of analogies: "a b c expected" on a line, ": name" before a section.

        Args:
            analogies: A text file in UTF-8.
            restrict_vocab: Use only the first rows.
            case_insensitive: Ignore case.
            dummy4unknown: Count a question with an unknown word as wrong instead of leaving it out.
            similarity_function: "most_similar" or "most_similar_cosmul".

        Returns:
            The share of correct answers, and for each section a dict of its name ("section") and the questions
            answered right ("correct") and wrong ("incorrect"); the last is "Total accuracy".

        Raises:
            MissingFileError: There is no such file.
            FileFormatError: The file cannot be read, or a line is malformed; gensim leaves such lines out.
            MissingAttributeError: There is no such function.
        """
        solvers: dict[str, Any] = {"most_similar": space.cos_add, "most_similar_cosmul": _cos_mul}
        if similarity_function not in solvers:
            raise MissingAttributeError(
                f"similarity_function must be 'most_similar' or 'most_similar_cosmul', got {similarity_function!r}"
            )
        check_exists(analogies)
        answered = space.answer_analogies(
            analogies,
            self.index_to_key,
            self.vectors,
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            row_norms=self.filled_norms(),
            solve=solvers[similarity_function],
        )
        sections: list[dict[str, Any]] = [{"section": name, "correct": [], "incorrect": []} for name in answered.names]
        for words, section, is_known, is_correct in answered.questions():
            if is_known or dummy4unknown:
                sections[section]["correct" if is_correct else "incorrect"].append(words)
        total: dict[str, Any] = {"section": "Total accuracy", "correct": [], "incorrect": []}
        for kind in ("correct", "incorrect"):
            total[kind] = [words for each in sections for words in each[kind]]
        for each in (*sections, total):
            self.log_accuracy(each)
        return _share(total), [*sections, total]

    @staticmethod
    def log_accuracy(section: dict[str, Any]) -> float:
        """Log the share of correct answers of a section and return it; 0 for no questions."""
        if section["correct"] or section["incorrect"]:
            count = len(section["correct"]) + len(section["incorrect"])
            logger.info("%s: %.1f%% of %i", section["section"], 100 * _share(section), count)
        return _share(section)

    def evaluate_word_pairs(
        self,
        pairs: str | Path,
        delimiter: str = "\t",
        encoding: str = "utf8",
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> tuple[SignificanceResult, SignificanceResult, float]:
        """Correlate cosines with the judgments of a file of "word word number" lines.

        Args:
            pairs: A text file.
            delimiter: What separates the fields.
            encoding: The encoding of the file.
            restrict_vocab: Use only the first rows.
            case_insensitive: Ignore case.
            dummy4unknown: Count a pair with an unknown word as cosine 0 instead of leaving it out.

        Returns:
            Pearson's and Spearman's (statistic, pvalue), and the share of pairs with an unknown word in percent.

        Raises:
            MissingFileError: There is no such file.
            FileFormatError: The file has no pairs, or a line is malformed; gensim leaves such lines out.
            UsageError: Fewer than two pairs are left.
        """
        scores = space.evaluate_pairs(
            pairs,
            self.index_to_key,
            self.vectors,
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            dummy4unknown=dummy4unknown,
            text=read_text(pairs, encoding).removeprefix("\ufeff").replace(delimiter, "\t"),
        )
        pearson, spearman = SignificanceResult(*scores.pearson), SignificanceResult(*scores.spearman)
        self.log_evaluate_word_pairs(pearson, spearman, scores.oov_ratio, pairs)
        return pearson, spearman, scores.oov_ratio

    @staticmethod
    def log_evaluate_word_pairs(
        pearson: SignificanceResult, spearman: SignificanceResult, oov: float, pairs: str | Path
    ) -> None:
        """Log the result of `evaluate_word_pairs`."""
        logger.info("Pearson correlation coefficient against %s: %.4f", pairs, pearson[0])
        logger.info("Spearman rank-order correlation coefficient against %s: %.4f", pairs, spearman[0])
        logger.info("Pairs with unknown words ratio: %.1f%%", oov)


def _share(section: dict[str, Any]) -> float:
    correct, total = len(section["correct"]), len(section["correct"]) + len(section["incorrect"])
    return correct / total if total else 0.0


def _cos_mul(*arguments: Any, memory: int, **keywords: Any) -> Any:
    """Return `cos_mul` with gensim's epsilon; it reads the rows once for each question, in constant memory."""
    return space.cos_mul(*arguments, epsilon=COSMUL_EPSILON, **keywords)
