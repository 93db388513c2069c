"""What tying saves: the head's matrix, for the table at hand and for published models."""

from collections.abc import Mapping

from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.pages.head.logits import SOURCES, source_table
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

__all__ = ["ROUTES"]

DTYPES = ("float32", "bfloat16", "float16")


def tying(lab: Lab, query: Query) -> Reply:
    """`source`, `dtype` → the matrix that a tied head shares: of this table, and of each published model with a head.

    `own` holds its parameters and bytes; of the models (n,): `matrices`, its parameters, `saved`, its bytes, and the
    `parameters` of the whole, in which a tied matrix counts once. `more` is the code after `setup`.
    """
    from rowspace.layers import CATALOGUE, cost
    from rowspace.layers.cost.counts import BYTES

    table, setup = source_table(lab, query.choice("source", SOURCES))
    dtype = query.choice("dtype", DTYPES)
    tied = cost({"vocab_size": len(table), "hidden_size": table.dim})
    untied = cost({"vocab_size": len(table), "hidden_size": table.dim, "tie_word_embeddings": False})
    models = {name: model for name, model in CATALOGUE.items() if model.cost.head_matrix}
    matrices = [model.cost.head_matrix for model in models.values()]
    size = BYTES[dtype]
    more = f"""from rowspace.layers import CATALOGUE, cost

sizes = {{"vocab_size": len(table), "hidden_size": table.dim}}
tied, untied = cost(sizes), cost({{**sizes, "tie_word_embeddings": False}})
own = [untied.num_parameters - tied.num_parameters, untied.bytes[{dtype!r}] - tied.bytes[{dtype!r}]]

models = [model for model in CATALOGUE.values() if model.cost.head_matrix]
matrices = [model.cost.head_matrix for model in models]
saved = [{size} * matrix for matrix in matrices]  # bytes in {dtype}
parameters = [model.parameters for model in models]"""
    return Reply(
        {
            "models": list(models),
            "tied": [model.tied for model in models.values()],
            "sizes": [[model.num_embeddings, model.cost.row_dim] for model in models.values()],
            "code": f"{setup}\n{more}",
            "more": more,
        },
        own=[untied.num_parameters - tied.num_parameters, untied.bytes[dtype] - tied.bytes[dtype]],
        matrices=matrices,
        saved=[size * matrix for matrix in matrices],
        parameters=[model.parameters for model in models.values()],
    )


ROUTES: Mapping[str, Answer] = {"head/tying": tying}
