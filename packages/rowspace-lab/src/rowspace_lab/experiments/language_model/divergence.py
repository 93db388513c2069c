"""The message for a loss that is not finite: the texts and rows behind it."""

from collections.abc import Sequence

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace_lab.experiments.language_model.model.model import LanguageModel
from rowspace_lab.experiments.language_model.schedule import Batch

__all__ = ["concerned"]

NAMED = 5  # texts and rows


@torch.no_grad()
def concerned(model: LanguageModel, vocabulary: Sequence[str], batch: Batch | None) -> str:
    """Name the texts of the batch whose loss is not finite, and the rows that are not, or else those of the texts.

    Args:
        model: The model.
        vocabulary: The tokens of its rows.
        batch: The texts of the step; None between two steps.

    Returns:
        The end of a sentence, with a comma or a semicolon in front.
    """
    rows = (~torch.isfinite(model.input.tokens.weight)).any(dim=1).nonzero().flatten()
    if batch is None:
        return f"; rows concerned: {_names(rows, vocabulary)}"
    bad = ~torch.isfinite(model.loss(batch.ids, batch.targets, reduction="none"))  # (batch, context)
    if not len(rows):
        rows = torch.unique(torch.cat([batch.ids[bad], batch.targets[bad]]) if bool(bad.any()) else batch.ids)
    texts: list[int] = bad.any(dim=1).nonzero().flatten().tolist() or list(range(len(batch.starts)))
    starts = ", ".join(f"{batch.starts[text]:,}" for text in texts[:NAMED])
    return (
        f", in {plural(len(texts), 'text')} of the batch (from id {starts} of the training text); rows concerned: "
        f"{_names(rows, vocabulary)}"
    )


def _names(rows: Tensor, vocabulary: Sequence[str]) -> str:
    names = ", ".join(repr(vocabulary[number]) for number in rows[:NAMED].tolist()) or "none"
    return names + (f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else "")
