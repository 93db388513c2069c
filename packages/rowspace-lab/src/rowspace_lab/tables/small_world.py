"""Small world: about 260 sentences of a small grammar, from which a table is learned in a fraction of a second.

Words that take the same places in the same sentences get similar rows. Each sentence about a person has the person's
deeds and gender: the king rules and guards, the man earns and saves, and the women do the same, with other pronouns and
adjectives. So a king shares his deeds with the queen and his pronouns with all men. A prince with the king's deeds
would be as near to king - man + woman as the queen is. Few other words are near the persons: words that all of them
share would make all their rows alike.
"""

import re
from itertools import product

__all__ = ["WORD_KINDS", "small_world_sentences", "swap_words"]

SLOTS = {
    "pet": "cat dog kitten puppy",
    "pets": "cats dogs kittens puppies",
    "bird": "bird duck",
    "birds": "birds ducks",
    "food": "bread milk",
    "mat": "mat bed",
    "move": "run walk",
    "house": "house building",
    "houses": "houses buildings",
    "town": "city town",
    "towns": "cities towns",
    "men": "kings men boys",
}
"""The words that can take a place in a sentence, by the name of the place."""

FEMALE = {
    "man": "woman",
    "men": "women",
    "king": "queen",
    "kings": "queens",
    "father": "mother",
    "boy": "girl",
    "boys": "girls",
    "prince": "princess",
    "he": "she",
    "his": "her",
    "himself": "herself",
    "handsome": "beautiful",
}
"""The words of a sentence about a woman in place of those about a man."""

DEEDS = {
    "king": ("rules guards", "lands castles palaces"),
    "man": ("earns saves", "money coins wages"),
    "father": ("feeds protects", "babies children families"),
    "boy": ("reads learns", "lessons poems songs"),
    "prince": ("hunts chases", "deer foxes wolves"),
}
"""What each man does, and to what."""

PEOPLE = (
    "the {man} {does} {what} himself",
    "the handsome {man} {does} his {what}",
    "as {man} he {does} {what}",
)
"""The sentences about each man with each of his deeds."""

OTHERS = """
the {pet} sat on the {mat}
the {pet} will eat the {food}
the small {pet} sleeps on the {mat}
the {pets} eat {food}
the {pets} sleep on the {mat}
the {pet} can {move} in the garden
the {pets} run in the garden
the {bird} can fly over the river
the {birds} fly over the {towns}
the {birds} swim near the bank of the river
the {house} has a door and a roof
the {house} is in the {town}
the {houses} have doors and roofs
the parliamentary building is in the {town}
the {town} has a street and a market
the {town} is near the river
the {towns} have streets and markets
the bank is a building in the {town}
"""
"""Sentences about animals, houses and towns."""

PLURALS = "handsome {men} live in cities"
"""The sentence about men in the plural."""

WORD_KINDS = {
    "animals": """
        cat dog kitten puppy cats dogs kittens puppies bird duck birds ducks deer foxes wolves
        """,
    "people": """
        man woman men women king queen kings queens father mother boy girl boys girls prince princess
        babies children families
        """,
    "things and places": """
        bread milk mat bed money coins wages lessons poems songs door doors roof roofs
        garden river bank house building houses buildings city town cities towns street streets market markets
        lands castles palaces
        """,
    "what they do": """
        rules guards earns saves feeds protects reads learns hunts chases
        sat eat sleep sleeps run walk fly swim live is has have can will
        """,
}
"""Words of the sentences by what they mean; all others are small words such as "the", or describe something."""


def small_world_sentences() -> list[str]:
    """Return the sentences: each line of the grammar with all combinations of words, in a fixed order.

    >>> small_world_sentences()[:2]
    ['the king rules lands himself', 'the queen rules lands herself']
    """
    others = [sentence for line in OTHERS.strip().splitlines() for sentence in _filled(line)]
    return [*_both_genders(_deeds()), *others, *_both_genders(_filled(PLURALS))]


def swap_words(sentences: list[str], one: str, other: str) -> list[str]:
    """Swap two words in all sentences, so that each gets the contexts of the other.

    >>> swap_words(["the cat sat", "the dog can run", "a caterpillar"], "cat", "dog")
    ['the dog sat', 'the cat can run', 'a caterpillar']
    """
    swapped = {one: other, other: one}
    return [re.sub(r"[\w-]+", lambda word: swapped.get(word[0], word[0]), sentence) for sentence in sentences]


def _deeds() -> list[str]:
    """Return the sentences about each man with each of his deeds."""
    return [
        line.format(man=man, does=verb, what=thing)
        for man, (verbs, things) in DEEDS.items()
        for verb, thing in product(verbs.split(), things.split())
        for line in PEOPLE
    ]


def _both_genders(sentences: list[str]) -> list[str]:
    """Return each sentence about a man, followed by the same about a woman."""
    return [form for sentence in sentences for form in (sentence, _female(sentence))]


def _filled(line: str) -> list[str]:
    """Return a sentence for each combination of words."""
    places = re.findall(r"{(\w+)}", line)
    combinations = product(*(SLOTS[place].split() for place in places))
    return [line.format(**dict(zip(places, words, strict=True))) for words in combinations]


def _female(sentence: str) -> str:
    return " ".join(FEMALE.get(word, word) for word in sentence.split())
