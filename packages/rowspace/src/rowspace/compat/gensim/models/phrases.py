"""`Phrases` and `FrozenPhrases`: words that often occur together become one word."""

import itertools
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Self

from rowspace.compat.gensim.saving import Arrays, SaveLoad
from rowspace.compat.gensim.training.phrase_scorers import (
    Scorer,
    checked_scorer,
    npmi_scorer,
    original_scorer,
    scorer_name,
    scorer_of,
)
from rowspace.compat.gensim.training.vocabulary import prune
from rowspace.errors import UsageError

__all__ = [
    "ENGLISH_CONNECTOR_WORDS",
    "FrozenPhrases",
    "Phraser",
    "Phrases",
    "npmi_scorer",
    "original_scorer",
]

ENGLISH_CONNECTOR_WORDS = frozenset(
    ("a", "an", "the", "for", "of", "with", "without", "at", "from", "to", "in", "on", "by", "and", "or")
)
"""Articles, prepositions and conjunctions, which may stand inside of a phrase but neither begin nor end it."""

Candidate = tuple[str, float] | tuple[None, None]


class _PhrasesTransformation(SaveLoad):
    """Joins phrases in sentences; a subclass says what a phrase is.

    Args:
        connector_words: Words that may stand inside of a phrase.
    """

    delimiter: str
    scoring: Scorer

    def __init__(self, connector_words: Iterable[str]) -> None:
        self.connector_words = frozenset(connector_words)

    @abstractmethod
    def score_candidate(self, word_a: str, word_b: str, in_between: list[str]) -> Candidate:
        """Return the phrase of two words with connector words between, and its score; two None if it is none.

        Args:
            word_a: The first word.
            word_b: The last word.
            in_between: The connector words.
        """

    def analyze_sentence(self, sentence: Iterable[str]) -> Iterator[tuple[str, float | None]]:
        """Yield the words and phrases of a sentence, each phrase with its score and each word with None."""
        first: str | None = None
        in_between: list[str] = []
        for word in sentence:
            if word in self.connector_words:
                if first is None:
                    yield word, None
                else:
                    in_between.append(word)
                continue
            if first is not None:
                phrase, score = self.score_candidate(first, word, in_between)
                if phrase is not None:
                    yield phrase, score
                    first, in_between = None, []
                    continue
                yield from ((each, None) for each in (first, *in_between))
            first, in_between = word, []
        if first is not None:
            yield from ((each, None) for each in (first, *in_between))

    def __getitem__(self, sentence: Iterable[Any]) -> Any:
        """Return a sentence with its phrases joined, or an iterable of sentences as an iterable of such."""
        is_single, items = _is_single(sentence)
        return [token for token, _ in self.analyze_sentence(items)] if is_single else _Transformed(self, items)

    def find_phrases(self, sentences: Iterable[Iterable[str]]) -> dict[str, float]:
        """Return the phrases of sentences, with their scores.

        Args:
            sentences: Lists of words.
        """
        found = (pair for sentence in sentences for pair in self.analyze_sentence(sentence))
        return {phrase: score for phrase, score in found if score is not None}

    def _parts(self) -> tuple[dict[str, Any], Arrays]:
        settings = vars(self) | {"connector_words": sorted(self.connector_words), "scoring": scorer_name(self.scoring)}
        return settings, {}

    @classmethod
    def _from_parts(
        cls, settings: dict[str, Any], arrays: Arrays, scoring: Scorer | None = None, **options: Any
    ) -> Self:
        phrases = cls.__new__(cls)
        restored: dict[str, Any] = {"connector_words": frozenset(settings["connector_words"])}
        restored["scoring"] = scoring or scorer_of(settings["scoring"])
        if "vocab" in settings:
            restored["vocab"] = Counter(settings["vocab"])
        vars(phrases).update(settings | restored)
        return phrases


class _Transformed:
    """Sentences with their phrases joined, as often as they are read."""

    def __init__(self, phrases: _PhrasesTransformation, sentences: Iterable[Any]) -> None:
        self.phrases, self.sentences = phrases, sentences

    def __iter__(self) -> Iterator[list[str]]:
        for sentence in self.sentences:
            yield [token for token, _ in self.phrases.analyze_sentence(sentence)]


class Phrases(_PhrasesTransformation):
    """Phrases of two words, found by counting; applied again to its own output it finds longer ones.

    Args:
        sentences: Lists of words to count.
        min_count: Pairs that occur less often are no phrases.
        threshold: Minimum score of a phrase.
        max_vocab_size: Whenever there are more words and pairs, the rarest are dropped.
        delimiter: What joins the words of a phrase.
        progress_per: Not used.
        scoring: "default" (`original_scorer`), "npmi" (`npmi_scorer`), or a function with their arguments.
        connector_words: Words that may stand inside of a phrase, such as `ENGLISH_CONNECTOR_WORDS`.

    Attributes:
        vocab: How often each word and each pair occurs.
        corpus_word_count: The number of words.

    Raises:
        UsageError: `min_count` or `threshold` is out of range, or the scorer is none.

    Example:
        >>> phrases = Phrases([["new", "york", "is", "big"], ["in", "new", "york"]], min_count=1, threshold=1)
        >>> phrases[["see", "new", "york"]]
        ['see', 'new_york']
    """

    def __init__(
        self,
        sentences: Iterable[Any] | None = None,
        min_count: float = 5,
        threshold: float = 10.0,
        max_vocab_size: int = 40_000_000,
        delimiter: str = "_",
        progress_per: int = 10_000,
        scoring: str | Scorer = "default",
        connector_words: Iterable[str] = frozenset(),
    ) -> None:
        super().__init__(connector_words)
        if min_count <= 0:
            raise UsageError(f"min_count must be at least 1, got {min_count}")
        if threshold <= 0 and scoring in ("default", original_scorer):
            raise UsageError(f"threshold must be positive for the default scoring, got {threshold}")
        if scoring in ("npmi", npmi_scorer) and not -1 <= threshold <= 1:
            raise UsageError(f"threshold must be from -1 to 1 for npmi scoring, got {threshold}")
        if not isinstance(delimiter, str):
            raise UsageError(f"delimiter must be text, got {delimiter!r}")
        self.min_count, self.threshold, self.max_vocab_size = min_count, threshold, max_vocab_size
        self.delimiter, self.progress_per = delimiter, progress_per
        self.scoring = checked_scorer(scoring)
        self.vocab: Counter[str] = Counter()
        self.min_reduce, self.corpus_word_count = 1, 0
        if sentences is not None:
            self.add_vocab(sentences)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<{len(self.vocab)} vocab, min_count={self.min_count}, threshold={self.threshold}, "
            f"max_vocab_size={self.max_vocab_size}>"
        )

    def add_vocab(self, sentences: Iterable[Iterable[str]]) -> None:
        """Count the words and pairs of more sentences.

        Args:
            sentences: Lists of words.
        """
        counted: Counter[str] = Counter()
        min_reduce = 1
        for sentence in sentences:
            self._count(sentence, counted)
            if len(counted) > self.max_vocab_size:
                prune(counted, min_reduce)
                min_reduce += 1
        is_first = not self.vocab
        self.vocab.update(counted)
        if len(self.vocab) > self.max_vocab_size and not is_first:
            prune(self.vocab, self.min_reduce)
            self.min_reduce += 1

    def _count(self, sentence: Iterable[str], vocab: Counter[str]) -> None:
        """Add the words and pairs of a sentence to `vocab`."""
        first, in_between = None, list[str]()
        for word in sentence:
            self.corpus_word_count += 1
            if word not in self.connector_words:
                vocab[word] += 1
                if first is not None:
                    vocab[self.delimiter.join((first, *in_between, word))] += 1
                first, in_between = word, []
            elif first is not None:
                in_between.append(word)

    def score_candidate(self, word_a: str, word_b: str, in_between: list[str]) -> Candidate:
        """Return the phrase of the words and its score by their counts; two None if it is not above the threshold."""
        phrase = self.delimiter.join((word_a, *in_between, word_b))
        counts = [self.vocab.get(each, 0) for each in (word_a, word_b, phrase)]
        if min(counts) <= 0:
            return None, None
        score = self.scoring(
            worda_count=counts[0],
            wordb_count=counts[1],
            bigram_count=counts[2],
            len_vocab=len(self.vocab),
            min_count=self.min_count,
            corpus_word_count=self.corpus_word_count,
        )
        return (phrase, score) if score > self.threshold else (None, None)

    def export_phrases(self) -> dict[str, float]:
        """Return all phrases that were counted, with their scores."""
        found = {}
        for token in self.vocab:
            words = token.split(self.delimiter)
            if len(words) >= 2:
                phrase, score = self.score_candidate(words[0], words[-1], words[1:-1])
                if phrase is not None and score is not None:
                    found[phrase] = score
        return found

    def freeze(self) -> "FrozenPhrases":
        """Return a smaller object with the phrases only, which cannot count more sentences."""
        return FrozenPhrases(self)


class FrozenPhrases(_PhrasesTransformation):
    """The phrases of a `Phrases`, without the counts of all other words and pairs.

    Args:
        phrases_model: A `Phrases` or a `FrozenPhrases`.

    Attributes:
        phrasegrams: The score of each phrase.
    """

    def __init__(self, phrases_model: Any) -> None:
        super().__init__(phrases_model.connector_words)
        self.threshold, self.min_count = phrases_model.threshold, phrases_model.min_count
        self.delimiter, self.scoring = phrases_model.delimiter, phrases_model.scoring
        is_frozen = isinstance(phrases_model, FrozenPhrases)
        grams: dict[str, float] = phrases_model.phrasegrams if is_frozen else phrases_model.export_phrases()
        self.phrasegrams = dict(grams)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<{len(self.phrasegrams)} phrases, min_count={self.min_count}, "
            f"threshold={self.threshold}>"
        )

    def score_candidate(self, word_a: str, word_b: str, in_between: list[str]) -> Candidate:
        """Return the phrase of the words and its stored score; two None if it is none."""
        phrase = self.delimiter.join((word_a, *in_between, word_b))
        score = self.phrasegrams.get(phrase)
        return (None, None) if score is None else (phrase, score)


Phraser = FrozenPhrases


def _is_single(items: Iterable[Any]) -> tuple[bool, Iterable[Any]]:
    """Return whether items are the words of one sentence, and the same items, of which none is lost."""
    iterator = iter(items)
    first = next(iterator, None)
    if iterator is iter(items):  # it can be read only once
        items = iterator if first is None else itertools.chain([first], iterator)
    return first is None or isinstance(first, str), items
