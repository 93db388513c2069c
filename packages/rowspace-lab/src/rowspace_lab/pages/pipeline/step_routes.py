"""The route of the Pipeline page about steps of an optimizer; a request contains all steps, so none are stored."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.pipeline.replies import Optimizer, StepsReply
from rowspace_lab.pages.pipeline.routes import gradient_numbers
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.sentence import read_sentence, token_ids

__all__ = ["ROUTES"]

OPTIMIZERS: tuple[Optimizer, ...] = get_args(Optimizer)
RATE = 0.1
MAX_STEPS = 20
MAX_ROWS = 12  # rows of the figure
MAX_TABLE_SIZE, MAX_RUN_SIZE = 1 << 25, 1 << 28  # numbers, and numbers times steps


@needs_torch
def steps(lab: Lab, query: Query) -> StepsReply:
    """Return how the rows move when an `optimizer` takes a step for each text `read`.

    `read_g` has for each text the numbers `g` of its tokens. Without `read`, one step reads `text`.
    """
    from rowspace_lab.pages.pipeline.step_figures import read_ids, steps_figure

    texts = query.texts("read", [read_sentence(lab, query).fields["text"]], limit=MAX_STEPS)
    numbers = query.texts("read_g", [""] * len(texts), limit=MAX_STEPS)
    _check_size(lab, texts, numbers)
    sentences = [read_sentence(lab, Query({"text": [text]})) for text in texts]
    g = [
        gradient_numbers(Query({"g": [each]} if each else {}), len(sentence.ids))
        for sentence, each in zip(sentences, numbers, strict=True)
    ]
    call = sentences[0].call
    read = partial(read_ids, texts=texts, tokenized=call.func is token_ids, limit=call.keywords["limit"])
    optimizer = query.choice("optimizer", OPTIMIZERS)
    figure = partial(steps_figure, g=g, optimizer=optimizer, rate=RATE, limit=MAX_ROWS)
    return {
        **figure(lab.table, read(lab.table)),
        "optimizer": optimizer,
        "texts": texts,
        "code": shown(lab, figure, read=read),
    }


def _check_size(lab: Lab, texts: Sequence[str], numbers: Sequence[str]) -> None:
    """Raise `UsageError` for a run that takes too long for a request, and for numbers of another number of texts."""
    if len(texts) != len(numbers):
        raise UsageError(f"read_g must have one value for each of the {plural(len(texts), 'text')}, not {len(numbers)}")
    size = lab.table.rows.size
    if size > MAX_TABLE_SIZE or size * len(texts) > MAX_RUN_SIZE:
        raise UsageError(
            f"{plural(len(texts), 'step')} on the {size:,} numbers of this table would take too long; start again with "
            "fewer steps, or open a smaller table"
        )


ROUTES: Mapping[str, Handler] = {"pipeline/steps": steps}
