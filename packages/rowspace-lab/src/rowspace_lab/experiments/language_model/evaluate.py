"""Bits per byte of held-out text: the loss in a unit that does not depend on the tokens."""

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from rowspace_lab.experiments.language_model.data import HeldOut, Ids
from rowspace_lab.experiments.language_model.model.model import LanguageModel

__all__ = ["bits_per_byte", "bits_per_byte_by_length"]

TOKENS_AT_ONCE = 4096


@torch.no_grad()
def bits_per_byte(model: LanguageModel, text: HeldOut, length: int) -> float:
    """Return the mean number of bits that the model needs for a byte of a text.

    The text is read in windows of `length` ids, one after the other: the first id of a window is predicted from one
    earlier id only.

    Args:
        model: The model.
        text: The ids and the number of bytes.
        length: Ids that the model reads at once.

    Returns:
        Bits per byte.
    """
    device = model.head.weight.device
    nats = 0.0
    for window in _windows(text.ids, length):
        ids = window.to(device)
        nats += float(model.loss(ids[:, :-1], ids[:, 1:], reduction="sum"))
    return nats / math.log(2) / text.text_bytes


def bits_per_byte_by_length(model: LanguageModel, text: HeldOut, context: int) -> dict[int, float | None]:
    """Return the bits per byte at the trained length, and at twice and four times that length.

    Args:
        model: The model.
        text: The ids and the number of bytes.
        context: The trained length.

    Returns:
        Bits per byte by length; None where the model has no rows for so many positions (learned positions).
    """
    has_limit = model.options.positions == "learned"
    lengths = (context, 2 * context, 4 * context)
    return {
        length: None if has_limit and length > context else bits_per_byte(model, text, length) for length in lengths
    }


def _windows(ids: Ids, length: int) -> Iterator[Tensor]:
    """Yield batches (n, length + 1) of windows that overlap in one id, and last the rest (1, r + 1)."""
    count = (len(ids) - 1) // length
    at_once = max(1, TOKENS_AT_ONCE // length)
    for first in range(0, count, at_once):
        starts = np.arange(first, min(first + at_once, count))[:, None] * length
        yield torch.from_numpy(ids[starts + np.arange(length + 1)].astype(np.int64))
    if len(ids) - 1 > count * length:
        yield torch.from_numpy(ids[count * length :].astype(np.int64)[None])
