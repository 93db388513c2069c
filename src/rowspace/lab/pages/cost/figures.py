"""The Cost page: what a table of V rows of d numbers costs, beside published models; and the opened one's own numbers.

The figures are those of `rowspace.layers.cost`, which needs PyTorch; the matrix needs none.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.space.downsample import DownsampleMethod, downsample_matrix

if TYPE_CHECKING:
    from rowspace.layers.cost.counts import Cost, Optimizer

__all__ = ["ROUTES"]

_MOST_CELLS = 512
_DTYPES = ("float32", "bfloat16", "float16", "int8", "int4")
_OPTIMIZERS: "tuple[Optimizer, ...]" = ("adamw", "adam", "adagrad", "momentum", "sgd")
_SAMPLED = 1 << 20  # numbers of the table that its scale is found from
_BELOW = 0.995  # the share of the table's numbers whose magnitude its scale of colors shows


class _Choice(NamedTuple):
    vocabulary: int
    dimension: int
    dtype: str
    optimizer: "Optimizer"
    tied: bool
    tokens: int

    @property
    def trains(self) -> bool:
        return not self.dtype.startswith("int")


def figures(_: Lab, query: Query) -> Reply:
    """`vocabulary`, `dimension`, `dtype`, `optimizer`, `tied`, `tokens` → parameters, bytes and operations.

    `parameters`: those of the table, and of the head for itself. `training`: bytes of weights, gradient and optimizer
    state; of weights alone for int8 and int4, in which nothing is trained. `by_dtype`: bytes of the weights in each
    dtype. `operations`: of the head, for `tokens` tokens; a lookup has none. `moved`: the bytes that the lookup moves.
    """
    from rowspace.layers import cost

    asked = _Choice(
        query.integer("vocabulary", 50_257, low=1, high=100_000_000),  # GPT-2's
        query.integer("dimension", 768, low=1, high=1_000_000),
        query.choice("dtype", _DTYPES),
        query.choice("optimizer", _OPTIMIZERS),
        query.flag("tied", True),
        query.integer("tokens", 1024, low=1, high=100_000_000),
    )
    found = cost({"vocab_size": asked.vocabulary, "hidden_size": asked.dimension, "tie_word_embeddings": asked.tied})
    training, moved = [found.bytes[asked.dtype]], list[int]()
    if asked.trains:
        training = list(found.training_bytes(asked.optimizer, dtype=asked.dtype))
        moved = [found.lookup_bytes(asked.tokens, dtype=asked.dtype)]
    formulas = _formulas(asked, found, training, moved)
    return Reply(
        {"dtypes": _DTYPES, "formulas": formulas, "code": _figures_code(asked)},
        values=np.array([formula["value"] for formula in formulas], np.float64),
        parameters=np.array([found.tokens, found.head]),
        training=np.array(training),
        by_dtype=np.array([found.bytes[dtype] for dtype in _DTYPES]),
        operations=np.array([found.head_flops(asked.tokens)], np.float64),  # may be more than int64 holds
        moved=np.array(moved, np.int64),
    )


def models(lab: Lab, _: Query) -> Reply:
    """Published models of text, and the opened table: what each table holds, and its share of the whole model."""
    from rowspace.layers import CATALOGUE

    found = {name: model for name, model in CATALOGUE.items() if model.num_embeddings}
    costs = [model.cost for model in found.values()]
    meta = {
        "models": [
            {"name": name, "tied": model.tied, "paper": model.paper, "source": model.source}
            for name, model in found.items()
        ],
        "table": {"vocabulary": len(lab.table), "dimension": lab.table.dim, "dtype": str(lab.table.rows.dtype)},
        "code": f"{lab.load_code}\n{_MODELS_CODE}",
    }
    return Reply(
        meta,
        vocabulary=np.array([cost.num_embeddings for cost in costs]),
        dimension=np.array([cost.row_dim for cost in costs]),
        parameters=np.array([cost.num_parameters for cost in costs]),
        whole=np.array([model.parameters for model in found.values()]),
        share=np.array([np.nan if cost.share is None else cost.share for cost in costs]),
    )


def window(lab: Lab, query: Query) -> Reply:
    """`top`, `bottom`, `left`, `right` of the opened table, `height`, `width`, `by` → its numbers, at most so many.

    `values` (h, w); `row_edges` and `column_edges` say which rows and columns a cell stands for. `limit`: a magnitude
    that nearly all numbers of the table stay below, for a scale of colors that does not change from window to window.
    """
    num_rows, num_columns = lab.table.rows.shape
    top = query.integer("top", 0, low=0, high=num_rows - 1)
    bottom = query.integer("bottom", num_rows, low=top + 1, high=num_rows)
    left = query.integer("left", 0, low=0, high=num_columns - 1)
    right = query.integer("right", num_columns, low=left + 1, high=num_columns)
    cells = (
        query.integer("height", 256, low=1, high=_MOST_CELLS),
        query.integer("width", 256, low=1, high=_MOST_CELLS),
    )
    by = query.choice("by", get_args(DownsampleMethod), "sample")
    shrunk = downsample_matrix(lab.table.rows, (top, bottom), (left, right), cells=cells, by=by)
    meta = {
        "rows": num_rows,
        "columns": num_columns,
        "rows_read": shrunk.rows_read,
        "tokens": [lab.table.vocabulary[row] for row in shrunk.row_edges[:-1].tolist()],
        "limit": lab.cached("cost/limit", lambda: _limit(lab)),
        "code": "\n".join(
            (
                lab.load_code,
                "import numpy as np",
                "from rowspace.space import downsample_matrix",
                "",
                f"part = downsample_matrix(table.rows, {(top, bottom)}, {(left, right)}, cells={cells}, by={by!r})",
                "values, row_edges, column_edges = part.values, part.row_edges, part.column_edges",
                "(rows, columns), rows_read = table.rows.shape, part.rows_read",
                "tokens = [table.vocabulary[row] for row in row_edges[:-1]]",
                "",
                "# The scale of colors: a magnitude that nearly all numbers stay below, from evenly spaced rows.",
                f"spaced = np.linspace(0, rows, min(rows, max(1, {_SAMPLED} // columns)), endpoint=False).astype(int)",
                "magnitudes = np.abs(table.rows[spaced].astype(np.float64))",
                "magnitudes = magnitudes[np.isfinite(magnitudes)]",
                f"limit = np.quantile(magnitudes, {_BELOW}) if magnitudes.size else 0.0",
            )
        ),
    }
    return Reply(meta, values=shrunk.values, row_edges=shrunk.row_edges, column_edges=shrunk.column_edges)


def _limit(lab: Lab) -> float:
    """A magnitude that all but a few numbers of the table stay below, from rows that are evenly spaced."""
    rows = lab.table.rows
    spaced = np.linspace(0, len(rows), min(len(rows), max(1, _SAMPLED // rows.shape[1])), endpoint=False).astype(int)
    magnitudes = np.abs(rows[spaced].astype(np.float64))
    magnitudes = magnitudes[np.isfinite(magnitudes)]
    return float(np.quantile(magnitudes, _BELOW)) if magnitudes.size else 0.0


def _formulas(asked: _Choice, found: "Cost", training: list[int], moved: list[int]) -> list[dict[str, object]]:
    """Each figure: its name, how it is found, the same with its numbers, and what comes out in which unit."""
    from rowspace.layers.cost.counts import BYTES, STATE

    v, d, n = f"{asked.vocabulary:,}", f"{asked.dimension:,}", f"{asked.tokens:,}"
    both, matrices = ("", "") if asked.tied else ("2 · ", "2 · ")
    count = f"{found.num_parameters:,}"
    rows = [("parameters", f"{both}V · d", f"{matrices}{v} · {d}", found.num_parameters, "parameters")]
    if asked.trains:
        size, kept = BYTES[asked.dtype], STATE[asked.optimizer]
        state, state_of = f"state of {asked.optimizer}", f"{kept} · {count} · {size}"
        rows += [
            ("weights", "parameters · bytes", f"{count} · {size}", training[0], "bytes"),
            ("gradient", "parameters · bytes", f"{count} · {size}", training[1], "bytes"),
            (state, "kept · parameters · bytes", state_of, training[2], "bytes"),
            ("lookup, moved", "n · (8 + 2 · d · bytes)", f"{n} · (8 + 2 · {d} · {size})", moved[0], "bytes"),
        ]
    else:
        width = asked.dimension if asked.dtype == "int8" else -(-asked.dimension // 2)
        formula = "V · (d + 4)" if asked.dtype == "int8" else "V · (⌈d / 2⌉ + 4)"
        rows.append(("weights", f"{both}{formula}", f"{matrices}{v} · ({width:,} + 4)", training[0], "bytes"))
    rows += [
        ("lookup", "0", "0", 0, "operations"),
        ("head", "2 · n · V · d", f"2 · {n} · {v} · {d}", found.head_flops(asked.tokens), "operations"),
    ]
    names = ("name", "formula", "numbers", "value", "unit")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _figures_code(asked: _Choice) -> str:
    config = {"vocab_size": asked.vocabulary, "hidden_size": asked.dimension, "tie_word_embeddings": asked.tied}
    training = f"list(asked.training_bytes({asked.optimizer!r}, dtype={asked.dtype!r}))"
    moved = f"[asked.lookup_bytes({asked.tokens}, dtype={asked.dtype!r})]"
    return "\n".join(
        (
            "from rowspace.layers import cost",
            "",
            f"asked = cost({config})",
            "parameters = [asked.tokens, asked.head]",
            f"training = {training if asked.trains else f'[asked.bytes[{asked.dtype!r}]]'}",
            f"by_dtype = [asked.bytes[dtype] for dtype in {_DTYPES}]",
            f"operations = [asked.head_flops({asked.tokens})]",
            f"moved = {moved if asked.trains else []}",
            "# Each formula: parameters, bytes of training and of the lookup, operations of the lookup and the head.",
            "values = [asked.num_parameters, *training, *moved, 0, *operations]",
        )
    )


_MODELS_CODE = """\
from rowspace.layers import CATALOGUE

models = {name: model for name, model in CATALOGUE.items() if model.num_embeddings}
costs = [model.cost for model in models.values()]
vocabulary = [cost.num_embeddings for cost in costs]
dimension = [cost.row_dim for cost in costs]
parameters = [cost.num_parameters for cost in costs]
whole = [model.parameters for model in models.values()]
share = [cost.share for cost in costs]

print(len(table), "rows of", table.dim, table.rows.dtype, "numbers:", len(table) * table.dim, "parameters")"""

ROUTES: Mapping[str, Answer] = {"cost/figures": figures, "cost/models": models, "cost/window": window}
