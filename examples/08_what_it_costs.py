"""The cost of tables: parameters, bytes, share of a model, and memory for training."""

import torch

from rowspace.layers import bert, cost, from_config

base = cost("bert-base-uncased")
print(
    f"BERT-base: {base.tables:,} parameters in the tables of its input, {base.tokens / base.tables:.1%} of them tokens"
)
assert base.tables == 23_835_648
assert f"{base.tokens / base.tables:.1%}" == "98.3%"
with torch.device("meta"):  # shapes without memory
    built = bert()
assert sum(weight.numel() for weight in built.parameters()) == base.tables + base.norm

for name, millions in (("Llama-2-7b-hf", 131.1), ("Meta-Llama-3-8B", 525.3), ("gpt2", 38.6)):
    sizes = cost(name)
    print(f"{name}: table {sizes.num_embeddings} × {sizes.hidden_dim} = {sizes.tokens / 1e6:.1f} M", end=", ")
    print(f"input and head are {sizes.share:.1%} of the model")
    assert round(sizes.tokens / 1e6, 1) == millions

small = cost({"vocab_size": 10_000, "hidden_size": 512})
print("10 000 × 512:", {dtype: f"{size / 2**20:.1f} MiB" for dtype, size in small.bytes.items()})
assert f"{small.bytes['float32'] / 2**20:.1f}" == "19.5"

learning = small.training_bytes("adamw")
print(f"training with AdamW: gradient {learning.gradient / 2**20:.1f} MiB, state {learning.state / 2**20:.1f} MiB")

llama = cost("Meta-Llama-3-8B")
print(f"one token of Llama 3 8B: the lookup moves {llama.lookup_bytes(dtype='bfloat16'):,} bytes without arithmetic;")
print(f"the head needs {llama.head_flops() / 1e9:.2f} GFLOP")
assert llama.input_flops() == 0

# The cost of another config equals the size of the built module.
mine = {"model_type": "gpt2", "vocab_size": 32_000, "n_embd": 256, "n_positions": 512, "n_layer": 4}
counted, made = cost(mine), from_config(mine)
assert sum(weight.numel() for weight in made.parameters()) == counted.tokens + counted.positions
print(f"yours: {counted.num_parameters:,} of {counted.total:,} parameters, {counted.share:.0%}")
