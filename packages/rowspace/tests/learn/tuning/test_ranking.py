"""The loss and recall, compared with sentence-transformers and plain NumPy."""

import numpy as np
import torch
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

from rowspace.learn.tuning.tune import ranking_loss, recall_at, sizes_down_to


def test_loss_and_gradient_are_those_of_sentence_transformers():
    torch.manual_seed(0)
    first, second = (torch.randn(9, 16, dtype=torch.float64, requires_grad=True) for _ in range(2))
    theirs = MultipleNegativesRankingLoss(None, scale=7.0)
    for sizes in ([16], [16, 8, 4]):
        ours = ranking_loss(first, second, scale=7.0, sizes=sizes)
        expected = sum(
            theirs.compute_loss_from_embeddings([first[:, :size], second[:, :size]], torch.zeros(9)) for size in sizes
        )
        torch.testing.assert_close(ours, expected)
        for found, wanted in zip(
            torch.autograd.grad(ours, [first, second]), torch.autograd.grad(expected, [first, second]), strict=True
        ):
            torch.testing.assert_close(found, wanted)


def test_recall_is_that_of_all_cosines():
    generator = np.random.default_rng(0)
    queries = generator.normal(size=(2100, 6)).astype(np.float32)
    positives = (queries + generator.normal(scale=1.0, size=queries.shape)).astype(np.float32)
    units = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (queries, positives)]
    scores = units[0] @ units[1].T
    for k in (1, 10):
        best = np.argsort(-scores, axis=1)[:, :k]
        expected = np.mean([number in row for number, row in enumerate(best)])
        assert recall_at(torch.from_numpy(queries), torch.from_numpy(positives), k) == expected


def test_vectors_that_are_all_the_same_find_nothing():
    assert recall_at(torch.zeros(20, 3), torch.zeros(20, 3)) == 0


def test_sizes_are_halved():
    assert sizes_down_to(256, 32) == [256, 128, 64, 32]
    assert sizes_down_to(3, 1) == [3, 1]
