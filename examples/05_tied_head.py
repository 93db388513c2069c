"""One table for input and output: ids → rows, and hidden states → logits.

The logit of an id is the dot product of the hidden state with its row. Many models tie the two and so save a table.
"""

import copy

import torch

from rowspace.layers import CATALOGUE, TiedHead, TokenEmbedding, cost

embedding = TokenEmbedding(4, 3)
with torch.no_grad():
    embedding.weight.copy_(torch.tensor([[0.5, 0.3, -0.1], [0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [-0.3, 0.5, 0.6]]))
head = TiedHead(embedding)

hidden = torch.tensor([0.6, 0.1, 0.3])
logits = head(hidden)
print("logits", [round(logit, 2) for logit in logits.tolist()], "→ row", int(logits.argmax()))
assert torch.allclose(logits, torch.tensor([0.30, 0.58, 0.24, 0.05]))

# A tied table is one tensor used twice: it counts once, and stays tied in a copy.
model = torch.nn.ModuleDict({"embedding": embedding, "head": head})
twin = copy.deepcopy(model)
assert sum(weight.numel() for weight in twin.parameters()) == 12
assert twin["head"].weight is twin["embedding"].weight

TIED = ["gpt2", "bert-base-uncased", "t5-base", "gemma-7b", "Llama-3.2-1B", "Llama-3.2-3B"]
UNTIED = ["Llama-2-7b-hf", "Meta-Llama-3-8B", "Mistral-7B-v0.1"]
assert all(CATALOGUE[name].tied for name in TIED)
assert not any(CATALOGUE[name].tied for name in UNTIED)
for name in TIED + UNTIED:
    sizes = cost(name)
    print(
        f"{name:18} {'tied' if sizes.tied else 'untied':6} input and head {sizes.num_parameters / 1e6:7.1f} M of",
        end=" ",
    )
    print(f"{sizes.total / 1e6:7.1f} M, {sizes.share:.0%}")
