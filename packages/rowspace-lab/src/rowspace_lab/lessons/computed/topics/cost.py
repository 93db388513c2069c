"""The numbers of lesson 12: what tables cost, and what V and d change."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace.text import standard_library
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, number, slider
from rowspace_lab.page import needs_torch
from rowspace_lab.pages.tokens.tradeoff import bpe_by_size
from rowspace_lab.tables.small_world import small_world_sentences

__all__ = [
    "bert",
    "dims",
    "exercise",
    "fewer",
    "kept",
    "llama",
    "mebibytes",
    "models",
    "share",
    "sizes",
    "widths",
]

MODELS = {
    "gpt2": ("GPT-2", "gpt2"),
    "llama2": ("Llama 2 7B", "Llama-2-7b-hf"),
    "llama2_70b": ("Llama 2 70B", "Llama-2-70b-hf"),
    "llama3": ("Llama 3 8B", "Meta-Llama-3-8B"),
    "albert": ("ALBERT base", "albert-base-v2"),
}
"""The names of models in the text and in the catalogue."""
STRATEGIES = {
    "small": "small-tied",
    "large": "large-untied",
    "bpe": "bpe",
    "bytes": "bytes",
    "patches": "patches-16",
    "patches32": "patches-32",
}
"""The keys of the text, and the strategies of the Arena."""
SIZES = (512, 2048)
"""The two sizes of a vocabulary in the text."""
DIMS = (4, 32, 109)
"""The dimensions whose errors are compared; Small world has 109 words."""
SPLITS = 8
ROWS = 1000
NEIGHBORS = 10


def llama() -> Mapping[str, str]:
    """Return the names of the models that the lesson opens with."""
    return {"old": "Llama 2", "new": "Llama 3"}


@needs_torch
def models() -> Mapping[str, Mapping[str, Any]]:
    """Return the sizes of the tables of published models, and the operations of their heads for one token."""
    from rowspace_lab.lessons.computed.figures.cost import model_size

    found: dict[str, Mapping[str, Any]] = {
        key: {"name": name, **model_size(model=model)} for key, (name, model) in MODELS.items()
    }
    return found


@needs_torch
def bert() -> Mapping[str, Any]:
    """Return the sizes of BERT's three tables, at two dimensions, and the share of the tokens."""
    from rowspace_lab.pages.cost.figures import model_tables_figure

    found = model_tables_figure(model="bert-base-uncased", dimension=768)
    tokens, positions, segments = found["parameters"].tolist()
    return {
        "tokens": tokens,
        "positions": positions,
        "segments": segments,
        "together": tokens + positions + segments,
        "share": found["share"],
        "rows": int(found["rows"][0]),
        "all_rows": int(found["rows"].sum()),
    }


@needs_torch
def widths() -> Mapping[str, Any]:
    """Return the power of N that d follows over the models of the catalogue, without and with ALBERT."""
    from rowspace_lab.pages.cost.figures import widths_figure

    found = widths_figure(without="albert")
    return {"slope": found["slope"], "models": int(found["used"].sum()), "all": found["slope_of_all"], "root": 0.5}


@needs_torch
def sizes() -> Mapping[str, Mapping[str, float]]:
    """Return V or the side of a patch, d, and the millions of parameters of the Arena's six strategies at full size."""
    from rowspace_lab.lessons.computed.figures.cost import strategy_size

    return {key: strategy_size(name=name) for key, name in STRATEGIES.items()}


def dims() -> Mapping[str, Any]:
    """Return held-out errors of rows of a few, some, and as many numbers as there are words."""
    few, some, many = DIMS
    errors = dict(zip(("few", "some", "many"), held_out_errors(dims=DIMS), strict=True))
    return {**errors, "few_dim": few, "some_dim": some, "many_dim": many}


def kept(table: Table) -> Mapping[str, float]:
    """Return k, and which share of k neighbors half and a quarter of the open table's principal components keep."""
    return {"k": NEIGHBORS, "half": neighbors_kept(table, part=2), "quarter": neighbors_kept(table, part=4)}


@needs_torch
def exercise() -> Mapping[str, Any]:
    """Return the size of a table of 10,000 rows of 512 numbers in float32."""
    from rowspace_lab.lessons.computed.figures.cost import mebibytes_figure

    return {"rows": 10_000, "dim": 512, **mebibytes_figure(rows=10_000, dim=512, dtype="float32")}


@needs_torch
def mebibytes(table: Table, seed: int) -> Question:
    """Ask for the memory of a table."""
    from rowspace_lab.lessons.computed.figures.cost import mebibytes_figure

    cases = ((50_257, 768, "bfloat16"), (32_000, 4096, "bfloat16"), (50_000, 1024, "float32"), (30_522, 384, "float32"))
    rows, dim, dtype = picked(seed, cases)
    figure = partial(mebibytes_figure, rows=rows, dim=dim, dtype=dtype)
    size = 4 if dtype == "float32" else 2
    written = {"rows": f"{rows:,}", "dim": f"{dim:,}", "size": size}
    return number(figure, relative=True, tolerance=0.01, unit="MiB", **written, V=rows, d=dim, dtype=dtype)


def fewer(table: Table, seed: int) -> Question:
    """Ask by how many percent the tokens of a text become fewer when the vocabulary is four times as large."""
    before, after = picked(seed, (SIZES, (400, 1600), (600, 2400), (450, 1800)))
    figure = partial(fewer_tokens_figure, before=before, after=after)
    written = {"before": f"{before:,}", "after": f"{after:,}"}
    return slider((0.0, 100.0, 1.0), figure, tolerance=6, unit="%", **written)


@needs_torch
def share(table: Table, seed: int) -> Question:
    """Ask for the share of the table in all parameters of a model."""
    from rowspace_lab.lessons.computed.figures.cost import share_figure

    cases = (("gpt2", "GPT-2"), ("Meta-Llama-3-8B", "Llama 3 8B"), ("gemma-3-270m", "Gemma 3 270M"))
    model, name = picked(seed, cases)
    figure = partial(share_figure, model=model)
    return slider((0.0, 100.0, 1.0), figure, tolerance=5, unit="%", name=name, **figure.func(model=model)["sizes"])


def fewer_tokens_figure(*, before: int, after: int) -> Mapping[str, float]:
    """Train byte-level BPE on files of the standard library, and measure it at two sizes on files held out."""
    texts = list(islice(standard_library(), 0, 88, 8))
    corpus = [text for place, text in enumerate(texts) if place % 5], texts[::5]
    small, large = (found for found in bpe_by_size(corpus, (before, after)) if found is not None)
    saved = 1 - large[0].tokens_per_word / small[0].tokens_per_word
    return {
        "answer": 100 * saved,
        "small": small[0].tokens_per_word,
        "large": large[0].tokens_per_word,
        "seen": small[1],
        "seldom": large[1],
        "scores": (1 - saved) ** 2,
    }


def held_out_errors(*, dims: Sequence[int]) -> list[float]:
    """Return how far rows of d numbers, computed from one half of Small world's sentences, miss the other half.

    The rows factor the positive pointwise mutual information of words at most two apart. An error is the squared
    distance from that of the other half, as a share of its squares, averaged over ways to halve the sentences.
    """
    sentences = [sentence.split() for sentence in small_world_sentences()]
    words = sorted({word for sentence in sentences for word in sentence})
    errors = np.zeros(len(dims))
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(len(sentences))
        halves = (order[: len(order) // 2], order[len(order) // 2 :])
        known, held_out = (information([sentences[at] for at in half], words) for half in halves)
        left, values, right = np.linalg.svd(known)
        guesses = [(left[:, :dim] * values[:dim]) @ right[:dim] for dim in dims]
        errors += [((held_out - guess) ** 2).sum() / (held_out**2).sum() for guess in guesses]
    return [float(error) / SPLITS for error in errors]


def information(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> NDArray[np.float64]:
    """Return the positive pointwise mutual information of words at most two apart, (V, V)."""
    ids, counts = {word: id for id, word in enumerate(words)}, np.zeros((len(words), len(words)))
    for sentence in sentences:
        for apart in (1, 2):
            for one, other in zip(sentence, sentence[apart:], strict=False):
                counts[ids[one], ids[other]] += 1
    counts += counts.T
    each = counts.sum(1)
    expected = np.outer(each, each) / max(counts.sum(), 1)
    ratio = np.divide(counts, expected, out=np.zeros_like(counts), where=counts > 0)
    return np.asarray(np.log(np.maximum(ratio, 1)))


def neighbors_kept(table: Table, *, part: int) -> float:
    """Return which share of each word's ten nearest neighbors a part of the principal components keeps.

    Up to 1,000 rows are compared, evenly spaced, by cosine.
    """
    used = np.flatnonzero(np.isfinite(table.norms) & (table.norms > 0))
    if len(used) < 100 or table.dim < 2 * part:
        raise UsageError("the table is too small to cut it: it needs 100 rows of at least 8 numbers")
    spaced = used[np.linspace(0, len(used) - 1, min(ROWS, len(used))).astype(np.int64)]
    rows = table[spaced] / table.norms[spaced, None]
    positions = space.pca(rows, table.dim // part).positions
    return space.neighborhood_preservation(rows, positions, NEIGHBORS, sample=200, metric="euclidean").share
