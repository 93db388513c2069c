"""`train_classifier`: texts with labels → a classifier, and its accuracy on held-out texts."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rowspace.errors import UsageError
from rowspace.learn.tuning.classifier import TextClassifier
from rowspace.learn.tuning.labels import Labeled

__all__ = ["train_classifier", "wilson_interval"]

NORMAL_95 = 1.959963984540054  # the 97.5 % quantile of the normal distribution


def train_classifier(
    classifier: TextClassifier, examples: Sequence[Labeled], *, held_out: float = 0.1, seed: int = 0
) -> TextClassifier:
    """Fit a classifier to a part of the texts, and measure its accuracy on the others.

    Args:
        classifier: Is fitted.
        examples: Texts and labels.
        held_out: The share of the texts that is not learned from; each label has about the same share of it, where it
            has enough texts.
        seed: Seed of the held-out texts.

    Returns:
        The classifier, with `facts_`: the numbers of texts, and for the held-out ones accuracy, its 95 % interval, and
        the accuracy of always the most frequent label.

    Raises:
        UsageError: There are too few texts, or less than two labels.
    """
    from sklearn.model_selection import train_test_split

    texts, labels = [text for text, _ in examples], [label for _, label in examples]
    cut, counts = round(held_out * len(texts)), Counter(labels)
    if len(texts) - cut < 2 or len(counts) < 2:
        raise UsageError(
            f"a classifier needs texts with at least two labels, got {len(texts):,} with {len(counts)}; give more"
        )
    facts: dict[str, Any] = {"texts": len(texts) - cut, "held_out_texts": cut, "labels": dict(counts)}
    if cut == 0:
        classifier.fit(texts, labels).facts_ = facts
        return classifier
    even = labels if min(counts.values()) > 1 and cut >= len(counts) <= len(texts) - cut else None
    split: list[list[str]] = train_test_split(texts, labels, test_size=cut, random_state=seed, stratify=even)
    learned, tests, learned_labels, test_labels = split
    classifier.fit(learned, learned_labels)
    right = int((classifier.predict(tests) == test_labels).sum())
    usual = Counter(learned_labels).most_common(1)[0][0]
    facts |= {"accuracy": right / cut, "interval": list(wilson_interval(right, cut))}
    classifier.facts_ = facts | {"accuracy_of_most_frequent": test_labels.count(usual) / cut}
    return classifier


def wilson_interval(right: int, number: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927).

    >>> [round(bound, 3) for bound in wilson_interval(8, 10)]
    [0.49, 0.943]
    """
    share, square = right / number, NORMAL_95**2 / number
    middle = share + square / 2
    width = NORMAL_95 * math.sqrt(share * (1 - share) / number + square / number / 4)
    return (middle - width) / (1 + square), (middle + width) / (1 + square)
