"""The measurements of the claims: each name of `MODULES` is a function that returns numbers and a verdict.

| file | claims about |
|---|---|
| `rows.py` | the numbers of a row: coordinates, ids, dot products, norms |
| `words.py` | words: antonyms, analogies, words and tokens |
| `learning.py` | what moves rows: gradients, optimizers, training on |
| `unused.py` | rows that no text uses |
| `positions.py` | position vectors and attention |
| `models.py` | published models |
| `width.py` | the number of dimensions d, measured by a job |
| `lengths.py` | texts longer than those of training, measured by a job |
| `tying.py` | tied and untied heads, one of them measured by a job |
| `additions.py` | how positions enter, and what tying has to do with grouped queries |
| `encoder.py` | a trained encoder: its positions, and its vectors layer by layer |
| `convolutions.py` | the time that patches take |

A function is a `partial` of a figure function, so that its code can be shown. Its mapping has the numbers, a `verdict`
that a function `…_verdict` computes from them, and `bars`, the values of a small chart by name. Modules are imported
when a claim is measured, since some of them need PyTorch.
"""

import inspect
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["JOBS", "MODULES", "STORED", "STORED_JOB", "claim_function", "claim_rule"]

MODULES = {
    "coordinates": "rows",
    "ids_as_numbers": "rows",
    "large_dot": "rows",
    "antonyms": "words",
    "queen": "words",
    "word2vec_tokens": "words",
    "fixed_rows": "learning",
    "no_gradient": "learning",
    "unused_rows": "unused",
    "drowning": "positions",
    "equal_norms": "positions",
    "invariance": "positions",
    "longer_texts": "lengths",
    "llama_ties": "models",
    "large_tied": "models",
    "tying": "tying",
    "vit_sinusoids": "models",
    "root_law": "models",
    "wider": "width",
    "one_addition": "additions",
    "adding_enough": "additions",
    "orthogonal": "encoder",
    "contextual_soon": "encoder",
    "normalized": "rows",
    "analogies_models": "words",
    "root_gradient": "learning",
    "tied_better": "tying",
    "smaller_tied": "tying",
    "tied_grouped": "additions",
    "convolution": "convolutions",
}
"""The module of each claim."""
NEED_TORCH = {"learning", "positions", "lengths", "models", "tying", "additions", "encoder", "convolutions"}
JOBS = {"wider": "claim-wider", "longer_texts": "claim-longer-texts", "tying": "claim-tying"}
"""The kinds of jobs that measure the claims which take longer than a request."""
STORED = ("tied_better", "smaller_tied", "adding_enough", "convolution", "orthogonal", "contextual_soon")
"""The claims that train models, time them or open a trained one: their results are stored, as those of `JOBS` are."""
STORED_JOB = "claim-stored"
"""The kind of job that measures one of `STORED` again."""


def claim_rule(name: str) -> str:
    """Return the rule by which the verdict follows from the numbers, as text.

    >>> claim_rule("ids_as_numbers").split(",")[0]
    'False if renumbering changes distances by id and none by row'
    """
    return " ".join((inspect.getdoc(getattr(_module(name), f"{name}_verdict")) or "").split())


def claim_function(name: str) -> Any:
    """Return the function that measures a claim, a `partial` of a figure function.

    Raises:
        MissingExtraError: The claim needs PyTorch, which is not installed.

    >>> claim_function("ids_as_numbers").func.__name__
    'ids_as_numbers_figure'
    """
    return getattr(_module(name), name)


def _module(name: str) -> ModuleType:
    if MODULES[name] in NEED_TORCH:
        import_module("rowspace.layers")  # raises MissingExtraError
    return import_module(f"{__name__}.{MODULES[name]}")


def __getattr__(name: str) -> Any:
    """Return a claim's function by its name, as `Values` looks up the functions of a module."""
    if name in MODULES:
        return claim_function(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
