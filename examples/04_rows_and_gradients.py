"""A lookup reads rows; its gradient sums the incoming gradients of each row, and is zero for all other rows.

The ids [2, 2, 5] read row 2 twice: its gradient is g1 + g2, that of row 5 is g3, and all others are exactly zero.
This equals products with the one-hot matrix H: rows are H @ E, and the gradient is H.T @ G.
"""

import torch

from rowspace.layers import TokenEmbedding
from rowspace.layers.tables.reference import one_hot

ids = torch.tensor([2, 2, 5])
embedding = TokenEmbedding(8, 3)
rows = embedding(ids)

# A loss sends one gradient to each row that was read; here they are fixed numbers.
upstream = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]])
rows.backward(upstream)
gradient = embedding.weight.grad
print("gradient of the table, by row:")
print(gradient)
assert gradient[2].equal(upstream[0] + upstream[1])
assert gradient[5].equal(upstream[2])
assert not gradient[[0, 1, 3, 4, 6, 7]].any()

H = torch.from_numpy(one_hot(ids, 8)).float()
assert (H @ embedding.weight).equal(rows)
assert (H.T @ upstream).equal(gradient)
print("H @ E are the rows, H.T @ G is the gradient; H is", "×".join(map(str, H.shape)), "and mostly zeros")

# Sums are float32 for every dtype of the table: the sum of 4096 ones is 4096, where a bfloat16 sum stops at 256.
coarse = TokenEmbedding(8, 3).bfloat16()
coarse(torch.full((4096,), 2)).sum().backward()
stock = torch.nn.Embedding(8, 3).bfloat16()
stock(torch.full((4096,), 2)).sum().backward()
ours, theirs = coarse.weight.grad[2, 0], stock.weight.grad[2, 0]
print(f"4096 unit gradients on one row in bfloat16: {ours:.0f}; torch: {theirs:.0f}")
assert ours == 4096
