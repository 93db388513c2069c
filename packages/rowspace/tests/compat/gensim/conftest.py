"""A corpus of two topics, which every model should tell apart."""

import numpy as np
import pytest

TOPICS = (["cat", "dog", "horse", "sheep"], ["copper", "iron", "silver", "gold"])


@pytest.fixture(scope="session")
def sentences():
    generator = np.random.default_rng(3)
    return [["the", *generator.choice(TOPICS[number % 2], 6).tolist()] for number in range(400)]


def assert_topics_apart(vectors, groups=TOPICS):
    """Every key is nearer to the others of its group than to those of the other group."""
    for group, others in (groups, groups[::-1]):
        for key in group:
            inside = min(vectors.similarity(key, other) for other in group)
            outside = max(vectors.similarity(key, other) for other in others)
            assert inside > outside, f"{key}: {inside} in its group, {outside} outside"
