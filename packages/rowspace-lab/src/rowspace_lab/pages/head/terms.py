"""One logit term by term, the size of one matrix or two, and the temperature to start with. They need PyTorch."""

import numpy as np
import torch

from rowspace.layers import TiedHead, UntiedHead, cost
from rowspace.table import Table
from rowspace_lab.pages.head.replies import HiddenState, Matrices, Terms

TEMPERATURES = (10.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01)
FEW = 8  # rows whose distribution is readable at any temperature


def terms_figure(
    head: TiedHead | UntiedHead, state: HiddenState, *, id: int, softcap: float | None, temperature: float
) -> Terms:
    """Compute the terms hᵢ · eᵢ of the logit of one row, the largest in magnitude first, and their running sum."""
    hidden = torch.from_numpy(state["hidden"]).double().numpy()
    row = head.weight.detach()[id].double().numpy()
    terms = hidden * row
    order = np.argsort(-np.abs(terms), kind="stable")
    bias = 0.0 if head.bias is None else float(head.bias.detach()[id])
    product = float(terms.sum()) + bias
    capped = product if softcap is None else float(softcap * np.tanh(product / softcap))
    return {
        "id": id,
        "order": order,
        "hidden_values": hidden[order],
        "row_values": row[order],
        "terms": terms[order],
        "running": terms[order].cumsum(),
        "bias": bias,
        "product": product,
        "logit": capped / temperature,
    }


def most_probable(head: TiedHead | UntiedHead, state: HiddenState) -> int:
    """Return the row with the largest finite logit, or the first row if there is none."""
    with torch.no_grad():
        logits = head(torch.from_numpy(state["hidden"]))
    return int(logits.where(logits.isfinite(), -torch.inf).argmax())


def clear_temperature(head: TiedHead | UntiedHead, state: HiddenState, *, softcap: float | None) -> float:
    """Return the highest of `TEMPERATURES` at which one row has half of the probability; 1 for few rows, or if none is.

    At temperature 1 the distribution over thousands of similar logits is nearly uniform, with nothing to be seen.
    """
    with torch.no_grad():
        logits = head(torch.from_numpy(state["hidden"])).double()
    logits = logits[logits.isfinite()]
    if softcap is not None:
        logits = torch.tanh(logits / softcap) * softcap
    if len(logits) <= FEW:
        return 1.0
    clear = (each for each in TEMPERATURES if float((logits / each).softmax(0).max()) >= 0.5)
    return next(clear, 1.0)


def matrices_figure(table: Table, *, tied: bool, bias: bool) -> Matrices:
    """Count the parameters of the table and of its head: one matrix that both use, or two."""
    found = cost({"vocab_size": len(table), "hidden_size": table.dim, "tie_word_embeddings": tied})
    added = len(table) * bias
    return {
        "table": found.tokens,
        "head_matrix": 0 if tied else found.head_matrix,
        "bias": added,
        "total": found.num_parameters + added,
    }
