"""Whether a trained model sees the order of tokens. It needs PyTorch."""

import numpy as np
import torch

from rowspace.store import load
from rowspace_lab.experiments import load_run
from rowspace_lab.pages.training.replies import MaskChanges


def order_figure(*, run: str, length: int) -> MaskChanges:
    """How much the next token's probabilities change when the first two tokens change places."""
    model = load_run(run).model.double()
    ids = torch.from_numpy(np.argsort(-np.array(load(run).counts), kind="stable")[:length].copy())
    swapped = torch.cat([ids[:2].flip(0), ids[2:]])
    changes = {}
    with torch.no_grad():
        for mask in ("causal", "full"):
            one, other = (model(each[None], causal=mask == "causal")[0, -1].softmax(0) for each in (ids, swapped))
            changes[mask] = round(float((one - other).abs().max()), 9)
    return {"causal": changes["causal"], "full": changes["full"]}
