"""Two rankings of the neighbors of a word."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply


def test_lists_equal_those_of_numpy_and_of_the_table(lab: Lab, check_code: Callable[..., Reply]) -> None:
    reply = check_code(lab, "order/ranking", word="list", k=5, head_dim=4, seed=2)
    assert reply.meta["cosine_tokens"] == ["list", *(token for token, _ in lab.table.neighbors("list", k=4))]
    drawn = torch.Generator().manual_seed(2)
    query, key = (torch.randn(4, 20, generator=drawn, dtype=torch.float64).numpy() for _ in range(2))
    rows = lab.table.rows.astype(float) / np.sqrt(np.mean(lab.table.norms.astype(float) ** 2))  # scale times 1/√d
    products = (rows @ key.T) @ (query @ rows[lab.table.id("list")]) / 2
    order = np.argsort(-products, kind="stable")
    assert reply.arrays["by_product"].tolist() == order[:5].tolist()
    np.testing.assert_allclose(reply.arrays["products"], products[order[:5]], rtol=1e-5)
    ranks = {int(number): rank for rank, number in enumerate(order, 1)}
    assert reply.arrays["cosine_places"].tolist() == [ranks[number] for number in reply.arrays["by_cosine"].tolist()]
    assert reply.meta["common"] == len({*reply.meta["cosine_tokens"]} & {*reply.meta["product_tokens"]})


def test_rows_with_nan_come_last(small_lab: Callable[..., Lab], ask: Callable[..., Reply]) -> None:
    lab = small_lab(["a", "b", "c"], np.array([[1, 0], [np.nan, 1], [0.5, 1]], np.float32))
    reply = ask(lab, "order/ranking", word="a")
    assert reply.meta["cosine_tokens"] == ["a", "c", "b"]
    assert reply.meta["product_tokens"][-1] == "b"


def test_row_of_zeros_has_no_cosine(small_lab: Callable[..., Lab], ask: Callable[..., Reply]) -> None:
    lab = small_lab(["a", "zero", "b"], np.array([[1, 0], [0, 0], [-1, 0.1]], np.float32))
    reply = ask(lab, "order/ranking", word="a")
    assert reply.meta["cosine_tokens"] == ["a", "b", "zero"]
    assert np.isnan(reply.arrays["cosines"][-1])
    with pytest.raises(UsageError, match="the row of 'zero' is zero, so it has no neighbors; use another word"):
        ask(lab, "order/ranking", word="zero")
