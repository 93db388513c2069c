"""Two short lessons with every kind of block, for tests of the page that shows them; their functions are here, too."""

from functools import partial

import numpy as np

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.question import Question, choice, number, slider

FIRST = """---
title: Made for a test
question: Two rows of {=sizes.rows} numbers each. How far apart are they?
needs:
---
An introduction, with [a link to lesson two](/lessons/2).

:::figure /pipeline?table=six-words&stage=2&text=the+cat+dog
The ids of three words.
:::

There are {=sizes.rows} numbers in a row.

:::question norm table=six-words
How long is the row of {word}?
---
It is {answer}, from {dim} numbers.
:::

:::figure /pipeline?table=six-words&stage=3&text=the+cat+dog
The rows of three words.
:::

:::question larger table=six-words shows=stage=3&text={first}+{second}
Which word has the longer row?
---
It is {answer}.
:::

A second step on the same page.

:::figure /order?table=four-words&view=shuffle
A page of another table.
:::

A third step.

:::question share
Which share of the numbers of your table is positive?
---
{answer} percent.
:::

:::question counted
How often was the first word read?
---
{answer} times.
:::

:::exercise
Show that a row has a norm.
---
Square its numbers.
---
The root of their sum.
:::

:::mistake
"The id is the row."
---
Evidence. [See it](/pipeline?table=six-words&stage=4&text=the+cat)
:::

:::card
A row
---
`x: (d,)`
---
A row is a vector.
---
    import numpy as np
    np.ones(3)
:::

:::references
bengio2003
:::
"""

SECOND = """---
title: The next one
question: What comes after the first lesson?
needs: 1
---
:::figure /pipeline?table=six-words&stage=1&text=the+cat
Its only figure.
:::

Its only step.

:::question larger table=six-words
Which word has the longer row?
---
It is {answer}.
:::
"""


def sizes() -> dict[str, int]:
    """Return the numbers of the text."""
    return {"rows": 3}


def norm(table: Table, seed: int) -> Question:
    """Ask for the norm of a row."""
    word = table.vocabulary[(1 + seed) % len(table)]
    return number(partial(norm_figure, word=word), tolerance=0.01, word=word)


def norm_figure(table: Table, *, word: str) -> dict[str, float]:
    """Return the norm of a row."""
    return {"answer": float(np.linalg.norm(table[word])), "dim": table.dim}


def larger(table: Table, seed: int) -> Question:
    """Ask which of two rows is longer."""
    first, second = table.vocabulary[seed % 3], table.vocabulary[3 + seed % 3]
    figure = partial(larger_figure, first=first, second=second)
    return choice([first, second], figure, first=first, second=second)


def larger_figure(table: Table, *, first: str, second: str) -> int:
    """Return 0 or 1, the index of the longer row."""
    return int(np.linalg.norm(table[second]) > np.linalg.norm(table[first]))


def share(table: Table, seed: int) -> Question:
    """Ask for the share of positive numbers."""
    return slider((0, 100, 1), partial(share_figure, rows=min(len(table), 100 + seed)), tolerance=2, unit="%")


def share_figure(table: Table, *, rows: int) -> float:
    """Return a percentage."""
    return float(np.mean(np.asarray(table.rows[:rows]) > 0) * 100)


def counted(table: Table, seed: int) -> Question:
    """Ask for a count, which only the small world has."""
    if len(table) > 1000:
        raise UsageError("the table is too large for this question")
    return number(partial(counted_figure, seed=seed))


def counted_figure(table: Table, *, seed: int) -> int:
    """Return a number of rows."""
    return len(table) + 0 * seed
