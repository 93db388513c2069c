"""The vectors of a token in its texts, layer by layer, against its one row in the table: `contextual_rows`.

Measures: How Contextual are Contextualized Word Representations? (Ethayarajh, 2019).
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rowspace.contextual.encoder import TokenStates, Vectors, load_encoder
from rowspace.errors import UsageError
from rowspace.space import unit_rows

__all__ = ["ContextualRows", "Measures", "StatesReader", "contextual_rows"]

RANDOM_PAIRS = 2000


@dataclass(frozen=True)
class Measures:
    """Measures of each layer, the first of them the input; (layers,) each.

    Attributes:
        anisotropy: Mean cosine of two vectors of different tokens drawn at random: how much of a cosine says nothing.
        self_similarity: Mean cosine of two vectors of the same token in different texts, minus `anisotropy`; 1 minus it
            is the share that the context decides.
        intra_sentence_similarity: Mean cosine of a vector with the mean of its text, minus `anisotropy`.
    """

    anisotropy: NDArray[np.float64]
    self_similarity: NDArray[np.float64]
    intra_sentence_similarity: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContextualRows:
    """Texts as vectors.

    Attributes:
        tokens: The tokens of each text.
        states: For each text (layers, n, d): the input of the first block, then the output of each block.
        static: For each text (n, d): the tokens' rows in the table.
    """

    tokens: list[list[str]]
    states: list[Vectors]
    static: list[Vectors]

    @property
    def layers(self) -> int:
        """The number of layers, the input among them."""
        return len(self.states[0])

    def occurrences(self, token: str) -> Vectors:
        """Return the vectors of a token, (k, layers, d), in the order of the texts.

        Args:
            token: As in `tokens`.

        Returns:
            One entry for each time it occurs.

        Raises:
            UsageError: It does not occur.
        """
        found = [states[:, place] for states, place in self._places(token)]
        if not found:
            raise UsageError(
                f"token {token!r} does not occur in the texts; their first tokens are {self.tokens[0][:8]}"
            )
        return np.stack(found)

    def static_row(self, token: str) -> Vectors:
        """Return the row of a token in the table, (d,); raises as `occurrences` does."""
        self.occurrences(token)
        return next(
            rows[tokens.index(token)] for tokens, rows in zip(self.tokens, self.static, strict=True) if token in tokens
        )

    def self_similarity(self, token: str) -> NDArray[np.float64]:
        """Return the mean cosine of two occurrences of a token, by layer: (layers,), not corrected.

        Args:
            token: As in `tokens`.

        Returns:
            NaN for a token that occurs once.

        Raises:
            UsageError: It does not occur.
        """
        units = unit_rows(self.occurrences(token))  # (k, layers, d)
        count = len(units)
        if count < 2:
            return np.full(self.layers, np.nan)
        # The sum over all pairs is the square of the sum, minus each with itself.
        similarity: NDArray[np.float64] = ((units.sum(axis=0) ** 2).sum(axis=-1) - count) / (count * (count - 1))
        return similarity

    def measures(self, *, seed: int = 0) -> Measures:
        """Compute the measures of each layer.

        Args:
            seed: Seed of the random pairs of the correction.

        Returns:
            The measures, corrected for anisotropy.

        Raises:
            UsageError: No token occurs twice, or all are the same.
        """
        repeated = [token for token, count in self._counts().items() if count > 1]
        if not repeated:
            raise UsageError("no token occurs twice in the texts, so nothing can be compared; give more texts")
        anisotropy = self._anisotropy(seed)
        own = np.mean([self.self_similarity(token) for token in repeated], axis=0)
        inside = np.mean([_with_mean(states) for states in self.states if states.shape[1] > 1], axis=0)
        return Measures(anisotropy, own - anisotropy, inside - anisotropy)

    def _anisotropy(self, seed: int) -> NDArray[np.float64]:
        """The mean cosine of random pairs of different tokens, (layers,)."""
        names = np.array([token for tokens in self.tokens for token in tokens])
        units = unit_rows(np.concatenate(self.states, axis=1))  # (layers, n, d)
        pairs = np.random.default_rng(seed).integers(0, len(names), (RANDOM_PAIRS, 2))
        if len(names) ** 2 <= RANDOM_PAIRS:
            pairs = np.array(list(combinations(range(len(names)), 2)))
        first, second = pairs[names[pairs[:, 0]] != names[pairs[:, 1]]].T
        if not len(first):
            raise UsageError("all tokens of the texts are the same; give other texts")
        cosines: NDArray[np.float64] = (units[:, first] * units[:, second]).sum(axis=-1).mean(axis=-1)
        return cosines

    def _places(self, token: str) -> Iterator[tuple[Vectors, int]]:
        for tokens, states in zip(self.tokens, self.states, strict=True):
            yield from ((states, place) for place, found in enumerate(tokens) if found == token)

    def _counts(self) -> dict[str, int]:
        counts = dict[str, int]()
        for tokens in self.tokens:
            for token in tokens:
                counts[token] = counts.get(token, 0) + 1
        return counts


class StatesReader(Protocol):
    """A model that `contextual_rows` can read, such as a `LoadedEncoder`."""

    def token_states(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """Yield the tokens of each text, their states (layers, n, d), and their rows in the table (n, d)."""


def contextual_rows(model: StatesReader | str | os.PathLike[str], texts: Sequence[str]) -> ContextualRows:
    """Compute the vectors of all tokens of some texts, in each layer of a model.

    Args:
        model: From `load_encoder`, or the folder that it opens; or another model with `token_states`.
        texts: The texts; a text without tokens is left out.

    Returns:
        The vectors, with the tokens' static rows.

    Raises:
        UsageError: There is no text with tokens, or one is longer than the model reads.
        FileFormatError: The model does not open.
        MissingExtraError: transformers is needed and not installed.
    """
    if isinstance(texts, str):
        raise UsageError("texts must be a list of texts, not one string; put it into a list")
    if isinstance(model, str | os.PathLike):
        model = load_encoder(model)
    found = [each for each in model.token_states(texts) if each[0]]
    if not found:
        raise UsageError("no text has a token; give texts")
    tokens, states, static = zip(*found, strict=True)
    return ContextualRows(list(tokens), list(states), list(static))


def _with_mean(states: Vectors) -> NDArray[np.float64]:
    """The mean cosine of the vectors of a text (layers, n, d) with their mean: (layers,)."""
    means = unit_rows(states.mean(axis=1, keepdims=True))
    cosines: NDArray[np.float64] = (unit_rows(states) * means).sum(axis=-1).mean(axis=-1)
    return cosines
