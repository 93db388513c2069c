"""AdamW moves rows also when they have no gradient; `DeferredAdamW` takes these steps when a row is read again.

A table of 20,000 words learns from 300 small batches whose words are as frequent as in a text. The deferred optimizer
updates only the rows of each batch, and its table equals that of AdamW.
"""

import math

import torch

from rowspace.layers import TokenEmbedding
from rowspace.optim import DeferredAdamW

SIZE, DIM, BATCH, STEPS = 20_000, 8, 32, 300
torch.manual_seed(0)

dense, sparse = (TokenEmbedding(SIZE, DIM, sparse=sparse, dtype=torch.float64) for sparse in (False, True))
sparse.load_state_dict(dense.state_dict())
target = torch.randn(SIZE, DIM, dtype=torch.float64)
sides = [(dense, torch.optim.AdamW(dense.parameters())), (sparse, DeferredAdamW(sparse))]
start = dense.weight.detach().clone()
memory = sparse.weight.detach()  # shares the memory of the weight, so that it shows rows that are behind
used = torch.zeros(SIZE, dtype=torch.bool)

for step in range(STEPS):
    ids = torch.rand(BATCH).mul(math.log(SIZE)).exp().sub(1).long()
    used[ids] = True
    for table, optimizer in sides:
        optimizer.param_groups[0]["lr"] = 0.01 * (1 + math.cos(math.pi * step / STEPS))
        optimizer.zero_grad()
        (table(ids) - target[ids]).square().sum().backward()
        optimizer.step()

print(f"{int(used.sum())} of {SIZE} rows were used")
behind = (memory - dense.weight).abs().max().item()
difference = (sparse.weight - dense.weight).abs().max().item()  # reading the weight brings all rows up to date
print(f"largest difference of the two tables: {behind:.1e} before the weight is read, {difference:.1e} then")
assert difference < 1e-12 < behind

moved = (dense.weight - start)[~used].abs().max().item()
print(f"weight decay alone moved the rows that were never used by up to {moved:.1e}")
assert moved > 0
