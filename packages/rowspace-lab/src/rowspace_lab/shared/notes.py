"""Notes about a house, and questions about them, for the lesson on search and the Search page; and their rankings."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode import Encoder
from rowspace.table import Table

__all__ = [
    "NAMED",
    "NOTES",
    "OTHER_WORDS",
    "NoteScores",
    "bm25",
    "inverse_places",
    "note_encoder",
    "places",
    "score_notes",
    "words_of",
]

NOTES = (
    "To keep bread from going hard, wrap it in a clean cloth and put it in a closed box.",
    "Boil the eggs for four minutes, then put them in cold water, so that the shell comes off easily.",
    "A horse that is tired after a long ride wants water, hay and a warm blanket.",
    "If your dog barks at strangers, call him back and give him something to eat when he is quiet.",
    "Write the address on the letter, fold it, and take it to the post office before five o'clock.",
    "The ship leaves the harbour at noon; passengers must be on board an hour earlier.",
    "Sow the seeds in spring, when the ground is no longer frozen, and water them every evening.",
    "Cut the roses in winter, and burn the dead branches.",
    "A cold in the head passes in a week; stay in bed, drink hot tea, and keep your feet warm.",
    "Wash the wound with clean water and bind it; if it does not stop bleeding, send for the doctor.",
    "The child sleeps better when the room is dark and somebody has read to her.",
    "To light a fire, begin with paper and small dry sticks, and add the larger wood later.",
    "When the roof lets the rain in, put a basin under the hole and call the carpenter.",
    "He who cannot pay his rent should speak with the owner of the house before the first of the month.",
    "Tune the violin before you play, since the strings get longer in a warm room.",
    "Whoever finds a purse in the street must bring it to the police.",
    "The bus to Ardwick goes every hour, on Sundays every two hours.",
    "The bus to Wexcombe goes at seven in the morning and at six in the evening.",
    "The washing machine shows E17: the hose is bent.",
    "The washing machine shows E71: the door is not closed.",
    "Ask Okonkwo for the key of the cellar; she is at home in the evening.",
    "Ask Lindqvist for the key of the roof; he works at night.",
    "The old pump needs the filter XR20, which the shop has to order.",
    "The new pump needs the filter KL9, which the shop always has.",
)
"""The passages that are searched."""
OTHER_WORDS = (
    ("how can I make my loaf stay soft", 0),
    ("cooking breakfast", 1),
    ("what should I do with a weary pony", 2),
    ("my puppy makes a noise when visitors come", 3),
    ("sending mail to a friend", 4),
    ("when does the boat sail", 5),
    ("planting vegetables in the garden in April", 6),
    ("how to prune shrubs", 7),
    ("remedy for a cough and fever", 8),
    ("my finger is hurt and there is blood", 9),
    ("my daughter lies awake at night", 10),
    ("how do I make a flame in the stove", 11),
    ("the ceiling is wet during a storm", 12),
    ("I have no money for my landlord", 13),
    ("preparing an instrument for the concert", 14),
    ("I lost my wallet", 15),
)
"""Questions that share no word of meaning with the note that answers them, and its place."""
NAMED = (
    ("when does the bus to Ardwick go", 16),
    ("bus Wexcombe", 17),
    ("what is E17", 18),
    ("E71", 19),
    ("who is Okonkwo", 20),
    ("what does Lindqvist have", 21),
    ("where do I get the XR20", 22),
    ("KL9", 23),
)
"""Questions with a name or a number, and the place of the note that has it."""


class NoteScores(NamedTuple):
    """The scores of all notes for questions, (questions, notes) each.

    Attributes:
        cosines: Of the vectors.
        bm25: Of the words.
        by_vectors: The inverse places by the cosine, 1, 1/2, 1/3 and so on.
        by_words: The inverse places by BM25; 0 for a note without a word of the question.
    """

    cosines: NDArray[np.float32]
    bm25: NDArray[np.float64]
    by_vectors: NDArray[np.float64]
    by_words: NDArray[np.float64]

    @property
    def by_both(self) -> NDArray[np.float64]:
        """The sum of the inverse places."""
        return self.by_vectors + self.by_words


def score_notes(table: Table, questions: Sequence[str]) -> NoteScores:
    """Return how well each note answers each question, by vectors of a table and by words."""
    encoder = note_encoder(table)
    cosines = np.asarray(encoder.encode(list(questions)) @ encoder.encode(list(NOTES)).T)
    scores = bm25(questions, NOTES)
    return NoteScores(cosines, scores, inverse_places(cosines), inverse_places(scores))


def note_encoder(table: Table) -> Encoder:
    """Return the encoder of notes and questions, with small weights for frequent tokens if the table has counts.

    It takes the rows of a contextual model alone.
    """
    return Encoder(table, mode="rowspace", pooling="mean" if table.counts is None else "sif", normalize=True)


def places(scores: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Return the places of scores in each row, from 1 for the largest; 0 where a score is not above 0."""
    order = 1 + (-scores).argsort(1, kind="stable").argsort(1, kind="stable")
    return np.where(scores > 0, order, 0)


def inverse_places(scores: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return 1, 1/2, 1/3 and so on for the largest scores of each row, and 0 where a score is not above 0."""
    found = places(scores)
    return np.where(found > 0, 1 / np.maximum(found, 1), 0.0)


def words_of(text: str) -> list[str]:
    """Return the words that BM25 counts, in lower case.

    >>> words_of("What is E17?")
    ['what', 'is', 'e17']
    """
    return re.findall(r"\w+", text.lower())


def bm25(questions: Sequence[str], texts: Sequence[str], k: float = 1.2, b: float = 0.75) -> NDArray[np.float64]:
    """Return how well the words of questions match texts (Robertson and Zaragoza 2009).

    Args:
        questions: Texts.
        texts: Texts.
        k: How soon more of the same word in a text adds nothing.
        b: How much a long text counts less, from 0 to 1.

    Returns:
        (questions, texts) scores: the sum over the words of a question, where a word of few texts counts more.
    """
    words = [Counter(words_of(text)) for text in texts]
    texts_with = Counter(word for counted in words for word in counted)
    lengths = np.array([counted.total() for counted in words])
    scores = np.zeros((len(questions), len(texts)))
    for place, question in enumerate(questions):
        for word in words_of(question):
            rarity = np.log(1 + (len(texts) - texts_with[word] + 0.5) / (texts_with[word] + 0.5))
            times = np.array([counted[word] for counted in words])
            scores[place] += rarity * times * (k + 1) / (times + k * (1 - b + b * lengths / lengths.mean()))
    return scores
