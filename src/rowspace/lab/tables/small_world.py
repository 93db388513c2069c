"""Small world: a few hundred sentences of a small grammar, from which a table is learned in about a second.

Words that take the same places in the same sentences get similar rows. Gender, royalty and age each have their own
sentences, so that their directions can be told apart: a king shares sentences with men and with queens, but not with
princes.
"""

import re
from itertools import product

__all__ = ["small_world_sentences", "swap_words"]

SLOTS = {
    "pet": "cat dog kitten puppy",
    "pets": "cats dogs kittens puppies",
    "bird": "bird duck",
    "birds": "birds ducks",
    "man": "man king father boy",
    "woman": "woman queen mother girl",
    "adult": "man woman",
    "king": "king queen",
    "prince": "prince princess",
    "parent": "father mother",
    "child": "boy girl",
    "adults": "men women",
    "kings": "kings queens",
    "children": "boys girls",
    "food": "bread milk cheese",
    "mat": "mat bed floor",
    "suit": "suit tie coat",
    "dress": "dress skirt ring",
    "move": "run walk",
    "house": "house building",
    "town": "city town",
    "towns": "cities towns",
    "houses": "houses buildings",
}
"""The words that can take a place in a sentence, by the name of the place."""

SENTENCES = """
the {pet} sat on the {mat}
the {pet} can {move} in the garden
the {pet} is near the {house}
the {pet} drinks water from the bowl
the {pet} will eat the {food}
the {pet} and the {pet2} play
the small {pet} sleeps on the {mat}
the {pets} run and eat {food}
the {pets} sleep in the {house}
the {bird} can fly over the river
the {bird} will swim in the river
the {birds} fly over the {towns}
the {birds} swim near the bank of the river
the {man} has his {suit}
he is a {man} with a {suit}
the {man} shaves his beard
the {woman} has her {dress}
she is a {woman} with a {dress}
the {woman} combs her hair
the {king} sits on the throne
the {king} rules the land with a crown
the {king} lives in the palace
the {kings} rule the land
the {kings} live in palaces
the {adult} will {move} to work in the {town}
the {adult} buys food at the market
the {adult} pays money at the bank
the {adult} has a job
the {adults} walk to work in the {towns}
the {adults} pay money at the bank
the {parent} loves the baby
the {parent} will feed the baby {food}
the {parent} has a family and a baby
the {child} learns at school
the {child} has a toy and can play
the {child} is young and will {move} to school
the {child} and the teacher read a book
the {children} learn at school
the {children} play with a toy
the {prince} rides a white horse
the {prince} hunts in the forest
the {house} has a door and a roof
the {house} is near the {town}
the {houses} have doors and roofs
the parliamentary building is in the {town}
the {town} has a street and a market
the {town} is near the river
the {towns} have streets and markets
the {bird} sat on the bank of the river
the fish swim in the river
the bank is a building in the {town}
the members vote in the parliamentary building
"""
"""A sentence per line, with the names of `SLOTS` in braces; a digit tells two places of one sentence apart."""


def small_world_sentences() -> list[str]:
    """Return the sentences: each line of `SENTENCES` with all combinations of words, in a fixed order.

    >>> small_world_sentences()[:2]
    ['the cat sat on the mat', 'the cat sat on the bed']
    """
    return [sentence for line in SENTENCES.strip().splitlines() for sentence in _filled(line)]


def swap_words(sentences: list[str], one: str, other: str) -> list[str]:
    """Swap two words in all sentences, so that each gets the contexts of the other.

    >>> swap_words(["the cat sat", "the dog can run", "a caterpillar"], "cat", "dog")
    ['the dog sat', 'the cat can run', 'a caterpillar']
    """
    swapped = {one: other, other: one}
    return [re.sub(r"[\w-]+", lambda word: swapped.get(word[0], word[0]), sentence) for sentence in sentences]


def _filled(line: str) -> list[str]:
    """Return a sentence for each combination of distinct words."""
    places = re.findall(r"{(\w+)}", line)
    combinations = product(*(SLOTS[place.rstrip("2")].split() for place in places))
    distinct = (words for words in combinations if len({*words}) == len(words))
    return [line.format(**dict(zip(places, words, strict=True))) for words in distinct]
