"""The norm of rows, and why the 2017 Transformer multiplies them by √d.

A row of d numbers of variance 1/d has a norm near 1. A sinusoid has the norm √(d/2): 16 for d = 512. In a plain sum
positions would dominate tokens, 16 to 1; multiplied by √d = 22.6, the rows have a similar norm.
"""

import torch

from rowspace.layers import SinusoidPosition, TokenEmbedding, UnitNorm, apply_constraints

torch.manual_seed(0)
d = 512
ids = torch.arange(1000)[None]
rows = TokenEmbedding(1000, d, init="inverse_sqrt")
positions = SinusoidPosition(d)(ids)

row_norm = rows(ids).norm(dim=-1).mean().item()
position_norm = positions.norm(dim=-1)
print(f"d = {d}: rows have a mean norm of {row_norm:.2f}, all sinusoids {position_norm.mean():.1f}")
assert abs(row_norm - 1) < 0.01
assert torch.allclose(position_norm, torch.tensor(16.0), atol=1e-3)

scaled = TokenEmbedding(1000, d, init="inverse_sqrt", scale="sqrt")
scaled_norm = scaled(ids).norm(dim=-1).mean().item()
print(f"with √d: rows {scaled_norm:.1f}, sinusoids 16.0: the ratio falls from 16.0 to {16 / scaled_norm:.2f}")
assert abs(scaled_norm - d**0.5) < 0.3

e = torch.tensor([0.3, -0.5, 0.2, 0.4])
print(f"e = (.3, -.5, .2, .4) has norm {e.norm():.3f}")
assert round(e.norm().item(), 3) == 0.735

# For unit rows distance and dot product are equivalent: |u - v|² = 2 - 2 u·v.
unit = TokenEmbedding(1000, d, constraint=UnitNorm())
apply_constraints(unit)
u, v = unit(torch.tensor([3, 4]))
assert torch.allclose(u.norm(), torch.tensor(1.0))
assert torch.allclose((u - v).square().sum(), 2 - 2 * u @ v, atol=1e-6)
v = 0.8 * u + 0.6 * torch.nn.functional.normalize(v - (u @ v) * u, dim=0)
print(f"unit rows with u·v = {u @ v:.1f}: |u - v|² = {(u - v).square().sum():.1f}")
assert torch.allclose((u - v).square().sum(), torch.tensor(0.4), atol=1e-6)

# Multiplication by an orthogonal matrix changes each row, and no dot product.
table = unit.weight.detach().double()
rotation, _ = torch.linalg.qr(torch.randn(d, d, dtype=torch.float64))
rotated = table @ rotation
assert not torch.allclose(rotated, table, atol=0.01)
assert torch.allclose(rotated @ rotated.T, table @ table.T)
print("E' = E R with orthogonal R preserves all", table.shape[0] ** 2, "dot products")
