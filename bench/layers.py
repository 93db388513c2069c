"""Benchmarks of layers, each compared with the equivalent in torch in the same run; prints Markdown.

    python bench/layers.py                   all, at the sizes of the targets
    python bench/layers.py --only int8       those with int8 in the name

Both sides run alternately in this process with the same inputs; their results are compared once, before.
"""

import argparse
import os
import platform
import statistics
import time
from importlib.metadata import version

import torch
from torch import nn

from rowspace import layers


def seconds_of(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def compare(name, ours, theirs, times, target):
    """Print a table row with the medians of both sides in milliseconds and the ratios of the pairs."""
    ours(), theirs()  # warm-up: compiles and allocates
    pairs = [(seconds_of(ours), seconds_of(theirs)) for _ in range(times)]
    ratios = [their_seconds / our_seconds for our_seconds, their_seconds in pairs]
    ours_median, theirs_median = (1e3 * statistics.median(column) for column in zip(*pairs, strict=True))
    spread = f"{statistics.median(ratios):.2f}× ({min(ratios):.2f}–{max(ratios):.2f})"
    print(f"| {name} | {ours_median:.3f} | {theirs_median:.3f} | {spread} | {target} |", flush=True)


def require(holds):
    if not holds:
        raise SystemExit("the two sides gave different answers: the figures mean nothing")


def tables(size, dim, dtype):
    """Return a TokenEmbedding and a torch Embedding with the same rows."""
    ours, theirs = layers.TokenEmbedding(size, dim).to(dtype), nn.Embedding(size, dim, dtype=dtype)
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


def zipf_ids(size, *shape):
    """Return ids distributed like words: uniform in the logarithm of their rank."""
    return torch.rand(shape).mul_(torch.tensor(float(size)).log()).exp_().sub_(1).long()


def lookup_forward(options):
    """Look up 16 384 ids in BERT's table, as in training, and one id, as in generation, including validation of ids."""
    ours, theirs = tables(30522, 768, torch.float32)
    many, one = zipf_ids(30522, 32, 512), zipf_ids(30522, 1, 1)
    require(torch.equal(ours(many), theirs(many)))
    compare(
        "lookup, 16384 ids of 30522 × 768, forward", lambda: ours(many), lambda: theirs(many), options.times, "≥ 1×"
    )
    with torch.no_grad():
        times = 200 * options.times
        compare("lookup, one id, without gradient", lambda: ours(one), lambda: theirs(one), times, "–")


def lookup_backward(options):
    """Compute the gradient of 16 384 ids, distributed like words and uniformly, in float32 and bfloat16."""
    spreads = {"as words": zipf_ids(30522, 32, 512), "even": torch.randint(30522, (32, 512))}
    for dtype in (torch.float32, torch.bfloat16):
        ours, theirs = tables(30522, 768, dtype)
        for spread, ids in spreads.items():
            upstream = torch.randn(32, 512, 768).to(dtype)
            sides = [(module, module(ids)) for module in (ours, theirs)]

            def backward(module, rows, upstream=upstream):
                module.weight.grad = None
                rows.backward(upstream, retain_graph=True)

            for module, rows in sides:
                backward(module, rows)
            if dtype == torch.float32:  # in bfloat16 the two accumulate differently
                require(torch.equal(ours.weight.grad, theirs.weight.grad))
            calls = [lambda side=side, run=backward: run(*side) for side in sides]
            compare(
                f"lookup, 16384 ids, {spread}, {dtype}, backward".replace("torch.", ""), *calls, options.times, "≥ 1×"
            )


def int8_lookup(options):
    """Look up 4096 rows of Llama 3's table, compared with dequantizing all of it."""
    for bits in (8, 4):
        table = layers.QuantizedEmbedding(128256, 4096, bits=bits)
        table.codes.random_(-127 if bits == 8 else 17, 128 if bits == 8 else 256)
        table.scales.uniform_(1e-3, 2e-3)
        ids = torch.randint(128256, (8, 512))
        require(torch.equal(table(ids), table.dequantize()[ids]))
        calls = (lambda table=table, ids=ids: table(ids)), table.dequantize
        target = "≥ 20×" if bits == 8 else "–"
        compare(f"int{bits} lookup, 4096 rows of 128256 × 4096, over dequantizing all", *calls, options.times, target)


def bert_input(options):
    """Compare BERT-base's input, batch 32 × 512 without dropout, with transformers' module, plain and compiled."""
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertEmbeddings

    theirs, ours = BertEmbeddings(BertConfig(hidden_dropout_prob=0.0)), layers.bert(dropout=0.0)
    names = zip(ours.state_dict(), ("word_embeddings.weight", "token_type_embeddings.weight",
                "position_embeddings.weight", "LayerNorm.weight", "LayerNorm.bias"), strict=True)  # fmt: skip
    ours.load_state_dict({name: theirs.state_dict()[their_name] for name, their_name in names})
    ours.fused = True
    ids, segments, upstream = (
        zipf_ids(30522, 32, 512),
        torch.zeros(32, 512, dtype=torch.long),
        torch.randn(32, 512, 768),
    )
    forms = {"eager": theirs, "compiled": torch.compile(theirs)}

    def forward(module):
        with torch.no_grad():
            return module(ids, segments)

    def learn(module):
        for parameter in module.parameters():
            parameter.grad = None
        module(ids, segments).backward(upstream)

    for name, module in forms.items():
        require(torch.allclose(forward(ours), forward(module), rtol=0, atol=2e-6))
        calls = [lambda side=side: forward(side) for side in (ours, module)]
        compare(f"BERT-base input, 32 × 512, forward, over {name}", *calls, options.times, "≥ 1.7×")
    for name, module in forms.items():
        calls = [lambda side=side: learn(side) for side in (ours, module)]
        compare(f"BERT-base input, 32 × 512, forward + backward, over {name}", *calls, options.times, "≥ 2×")


BENCHMARKS = (lookup_forward, lookup_backward, int8_lookup, bert_input)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7, help="runs of each side")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch")
    parser.add_argument("--only", default="", help="run only benchmarks with this in their name")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {options.threads} threads"
    versions = f"Python {platform.python_version()}, torch {version('torch')}"
    print(f"{machine}, {versions}; medians of {options.times} runs in turn\n")
    print("| operation | rowspace, ms | the other, ms | ratio | target |\n|---|---|---|---|---|")
    for benchmark in BENCHMARKS:
        if options.only in benchmark.__name__:
            benchmark(options)


if __name__ == "__main__":
    main()
