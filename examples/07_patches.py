"""An image as a sequence: split into patches, each flattened and projected to a vector.

The numbers of a 6×6 gray image in patches of 3×3, and the number of patches of 224×224 pixels.
"""

import torch

from rowspace.errors import UsageError
from rowspace.layers import PatchEmbedding, PrefixTokens, cost, unfold_patches

image = torch.tensor(
    [
        [1, 2, 3, 7, 8, 9],
        [4, 5, 0, 6, 5, 4],
        [7, 8, 1, 3, 2, 1],
        [2, 3, 4, 8, 7, 6],
        [5, 6, 7, 5, 4, 3],
        [8, 9, 0, 2, 1, 0],
    ]
)
patches = unfold_patches(image[None, None], 3)  # (1, 4 patches, 9 numbers)
for place, patch in enumerate(patches[0]):
    print(f"patch {place}: {patch.tolist()}, variance {patch.float().var(correction=0):.2f}")
assert patches[0].tolist() == [
    [1, 2, 3, 4, 5, 0, 7, 8, 1],
    [7, 8, 9, 6, 5, 4, 3, 2, 1],
    [2, 3, 4, 5, 6, 7, 8, 9, 0],
    [8, 7, 6, 5, 4, 3, 2, 1, 0],
]
variances = patches[0].double().var(1, correction=0)
assert variances.mul(100).round().tolist() == [691, 667, 765, 667]  # a flat patch would have 0

pixels = torch.rand(1, 3, 224, 224)
for side, count in ((32, 49), (16, 196), (8, 784), (4, 3136)):
    vectors, grid = PatchEmbedding(side, 3, 64)(pixels)
    print(f"224×224 in {side}s: {grid[0]}×{grid[1]} = {vectors.shape[1]} patches")
    assert vectors.shape[1] == count

# ViT-Base: 197 tokens with the class token; its projection has 16·16·3 × 768 numbers.
project, tokens = PatchEmbedding(16, 3, 768), PrefixTokens(768)
assert tokens(project(pixels)[0]).shape == (1, 197, 768)
for side, millions in ((16, 0.59), (32, 2.36)):
    project = PatchEmbedding(side, 3, 768)
    counted = cost({"model_type": "vit", "patch_size": side})
    print(f"projection {side}×{side}×3 → 768: {project.weight.numel() / 1e6:.2f} M, with its bias {counted.patches:,}")
    assert round(project.weight.numel() / 1e6, 2) == millions
    assert counted.patches == sum(weight.numel() for weight in project.parameters())

# A convolution with a stride of one patch is the same map with the same weights.
convolution = PatchEmbedding(16, 3, 64, form="convolution")
linear = PatchEmbedding(16, 3, 64)
linear.load_state_dict(convolution.state_dict())
assert torch.allclose(linear(pixels)[0], convolution(pixels)[0], atol=1e-5)

try:
    linear(torch.rand(1, 3, 225, 224))
except UsageError as error:
    print(error)
