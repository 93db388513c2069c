"""How the sizes of a family of published models are written: `published`."""

from collections.abc import Mapping
from typing import Any

# The repository, with the tower behind it where there are two; its config; its parameters; the paper.
Entry = tuple[str, dict[str, Any], int, str]


def published(
    model_type: str, paper: str, columns: str, rows: Mapping[str, tuple[int, ...]], **same: Any
) -> list[Entry]:
    """A family: the sizes in which its models differ as columns, the parameters of the whole last, the rest by name.

    >>> published("gpt2", "a paper", "n_embd n_layer", {"someone/small": (768, 12, 124_439_808)}, vocab_size=50257)
    [('someone/small', {'model_type': 'gpt2', 'n_embd': 768, 'n_layer': 12, 'vocab_size': 50257}, 124439808, 'a paper')]
    """
    entries = []
    for repository, (*sizes, parameters) in rows.items():
        config = {"model_type": model_type, **dict(zip(columns.split(), sizes, strict=True)), **same}
        entries.append((repository, config, parameters, paper))
    return entries
