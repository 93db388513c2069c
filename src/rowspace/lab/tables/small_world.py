"""Small world: about two hundred sentences of a small grammar, from which a table is learned in a fraction of a second.

Words that take the same places in the same sentences get similar rows. Gender, royalty and age each have their own
sentences, so that their directions can be told apart: a king shares sentences with all men and, with the genders
exchanged, with the queen; the throne and the crown belong to kings and queens, not to princes.
"""

import re
from itertools import product

__all__ = ["small_world_sentences", "swap_words"]

SLOTS = {
    "male": "man king father boy prince",
    "males": "men kings boys",
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
    "beard": "dress",
    "beards": "dresses",
    "suits": "skirts",
    "ties": "rings",
    "shaves": "sews",
    "shave": "sew",
    "combs": "irons",
}
"""The words of a sentence about a woman in place of those about a man."""

PEOPLE = """
the {male} shaves his beard himself
the {male} combs his beard himself
the {male} sees himself and his beard
he is a {male} and he sees himself
{males} wear suits and ties
{males} shave beards
the royal king wears his golden crown
the king sits on a throne in the palace
the king with a crown rules the land
the royal palace of the king has a golden throne
the man works in an office for money
the man goes to work with his money
the man works and earns his money
the man will {move} to work in the {town}
the man earns money with his job
men work for money in the {towns}
the man pays his money at the bank
the father loves his baby
the baby sees his father
the father holds his baby
the father cooks for his family
the boy learns at school
the boy reads a book at school
the boy has a toy and his teacher
the boy reads his book
the young boy plays with his toy
the teacher gives the boy his book
the prince rides a white horse in the forest
he is a prince on his horse
the prince rides his horse
the prince hunts in the forest
"""
"""Sentences about men, a line each, with the names of `SLOTS` in braces; women have the same, with `FEMALE` words."""

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


def small_world_sentences() -> list[str]:
    """Return the sentences: each line of the grammar with all combinations of words, in a fixed order.

    >>> small_world_sentences()[:2]
    ['the man shaves his beard himself', 'the woman sews her dress herself']
    """
    people = [sentence for line in PEOPLE.strip().splitlines() for sentence in _filled(line)]
    others = [sentence for line in OTHERS.strip().splitlines() for sentence in _filled(line)]
    return [*(form for sentence in people for form in (sentence, _female(sentence))), *others]


def swap_words(sentences: list[str], one: str, other: str) -> list[str]:
    """Swap two words in all sentences, so that each gets the contexts of the other.

    >>> swap_words(["the cat sat", "the dog can run", "a caterpillar"], "cat", "dog")
    ['the dog sat', 'the cat can run', 'a caterpillar']
    """
    swapped = {one: other, other: one}
    return [re.sub(r"[\w-]+", lambda word: swapped.get(word[0], word[0]), sentence) for sentence in sentences]


def _filled(line: str) -> list[str]:
    """Return a sentence for each combination of words."""
    places = re.findall(r"{(\w+)}", line)
    combinations = product(*(SLOTS[place].split() for place in places))
    return [line.format(**dict(zip(places, words, strict=True))) for words in combinations]


def _female(sentence: str) -> str:
    return " ".join(FEMALE.get(word, word) for word in sentence.split())
