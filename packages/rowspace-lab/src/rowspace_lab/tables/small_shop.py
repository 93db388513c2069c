"""Small shop: a table of the items of a made-up shop, learned from baskets that are drawn from written occasions.

A basket is for one or two occasions, such as breakfast or baking. So items of one occasion get similar rows, and items
of two occasions, such as eggs or olive oil, lie between them. Milk and bread are in many baskets whatever the occasion.
"""

import numpy as np

from rowspace_lab.lab import Lab, Refit
from rowspace_lab.tables.choice import TableChoice

__all__ = ["OCCASIONS", "SMALL_SHOP", "small_shop_baskets"]

ID, TITLE = "small-shop", "Small shop"
OCCASIONS = {
    "breakfast": "bread, butter, jam, honey, tea, coffee, milk, cereal, eggs, orange juice",
    "baking": "flour, sugar, eggs, butter, yeast, baking powder, vanilla, chocolate",
    "pasta": "spaghetti, tomatoes, basil, garlic, olive oil, parmesan, red wine",
    "salad": "lettuce, cucumber, tomatoes, olive oil, vinegar, feta, olives",
    "curry": "rice, lentils, coconut milk, curry powder, ginger, garlic, chillies",
    "tacos": "tortillas, beans, avocado, salsa, limes, chillies, minced beef",
    "barbecue": "sausages, charcoal, mustard, buns, ketchup, beer",
    "party": "beer, crisps, peanuts, paper cups, lemonade, red wine",
    "baby": "diapers, wipes, baby food, baby shampoo",
    "pets": "cat food, dog food, cat litter, dog treats",
    "cleaning": "soap, sponges, bleach, washing powder, bin bags",
    "office": "pens, paper, envelopes, stamps, notebooks",
}
"""The items of each occasion for which people come to the shop."""
BASKETS, SEED = 1200, 1
ALWAYS = (("milk", 0.2), ("bread", 0.2))
CODE = """\
import rowspace as rs
from rowspace_lab.tables.small_shop import small_shop_baskets

table = rs.fit_items(small_shop_baskets(), dim=16).items"""


def small_shop_baskets() -> list[list[str]]:
    """Return the baskets, the same in each call.

    >>> baskets = small_shop_baskets()
    >>> len(baskets), baskets == small_shop_baskets()
    (1200, True)
    """
    rng = np.random.default_rng(SEED)
    occasions = [items.split(", ") for items in OCCASIONS.values()]
    baskets = []
    for _ in range(BASKETS):
        basket = set[str]()
        for occasion in rng.choice(len(occasions), 1 + (rng.random() < 0.25), replace=False):
            items = occasions[occasion]
            basket |= set(rng.choice(items, rng.integers(2, len(items)), replace=False).tolist())
        basket |= {item for item, share in ALWAYS if rng.random() < share}
        baskets.append(sorted(basket))
    return baskets


def _opened() -> Lab:
    from rowspace.learn.items.fit_items import fit_items  # imports Numba, which other tables do not need

    items = fit_items(small_shop_baskets(), dim=16).items
    refit = Refit(
        lambda seed: fit_items(small_shop_baskets(), dim=16, seed=seed).items,
        "rs.fit_items(small_shop_baskets(), dim=16, seed=seed).items",
    )
    return Lab(items, TITLE, ID, CODE, refit=refit)


SMALL_SHOP = TableChoice(
    ID,
    TITLE,
    "68 items of a made-up shop, learned from 1,200 baskets that are drawn from twelve occasions, such as breakfast.",
    "example",
    _opened,
)
