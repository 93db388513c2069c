"""Bit for bit transformers' n-gram tables of Qwen 4 (Engram) and of BLT."""

import pytest
import torch
from torch import nn
from transformers.models.blt.modeling_blt import compute_hash_embeddings
from transformers.models.qwen4_exp.configuration_qwen4_exp import Qwen4ExpTextConfig
from transformers.models.qwen4_exp.modeling_qwen4_exp import Qwen4ExpTextNGramEmbedding

from rowspace.errors import UsageError
from rowspace.layers import ByteNgramEmbedding, HashedNgramEmbedding
from rowspace.optim import DeferredAdamW

IDS = torch.tensor([[5, 0, 7, 7, 9, 0, 0, 3], [1, 2, 3, 4, 5, 6, 7, 8]])


def pair(*, ngram_size=3, heads=2, layer=0, seed=0, vocab_size=50):
    dim = 4 * heads * (ngram_size - 1)
    config = Qwen4ExpTextConfig(
        vocab_size=vocab_size, ngram_size=ngram_size, heads_per_ngram=heads, ngram_vocab_size_base=100, seed=seed,
        eos_token_id=0, make_ngram_vocab_size_divisible_by=8,
    )  # fmt: skip
    theirs = Qwen4ExpTextNGramEmbedding(config, dim, layer_idx=0, ple_layer_index=layer)
    ours = HashedNgramEmbedding(
        vocab_size, dim, num_rows=100, boundary_id=0, ngram_size=ngram_size, heads=heads, layer=layer, seed=seed,
        multiple=8,
    )  # fmt: skip
    ours.load_state_dict({"table.weight": theirs.ngram_embedding.weight})
    return ours, theirs


def test_rows_are_those_of_transformers():
    for options in ({}, {"ngram_size": 4, "heads": 3}, {"layer": 2, "seed": 7}, {"vocab_size": 200_000}):
        ours, theirs = pair(**options)
        found, expected = ours(IDS), theirs(IDS, None)
        assert found.equal(expected), options
        upstream = torch.randn_like(found)
        gradients = [
            torch.autograd.grad((each * upstream).sum(), weight)[0]
            for each, weight in ((found, ours.table.weight), (expected, theirs.ngram_embedding.weight))
        ]
        torch.testing.assert_close(*gradients)


def test_a_text_in_parts_has_the_rows_of_the_whole():
    ours, _ = pair()
    whole, previous = ours(IDS), None
    for part in (slice(0, 1), slice(1, 4), slice(4, 8)):
        assert ours(IDS[:, part], previous).equal(whole[:, part])
        seen = torch.cat([torch.zeros(2, 2, dtype=torch.int64), IDS[:, : part.stop]], 1)
        previous = seen[:, -2:]


def test_ngrams_do_not_cross_the_end_of_a_text():
    ours, _ = pair()
    alone, after = ours(torch.tensor([[7, 9]])), ours(torch.tensor([[3, 4, 0, 7, 9]]))
    assert alone[0].equal(after[0, 3:])


def test_byte_rows_are_those_of_blt():
    for hashes, sizes in ((1, (3, 4, 5, 6, 7, 8)), (3, (2, 5)), (12, (8,))):
        ours = ByteNgramEmbedding(6, num_rows=40, sizes=sizes, num_hashes=hashes)
        encoder = nn.Module()
        encoder.embed_tokens = nn.Embedding(260, 6).from_pretrained(torch.zeros(260, 6))
        ids = torch.randint(260, (2, 11))
        theirs = compute_hash_embeddings(ids, encoder, ours.table, hashes, list(sizes), 40)
        torch.testing.assert_close(ours(ids), theirs, rtol=0, atol=1e-7)
        pieces = ours.table(ours.rows_of(ids))
        assert pieces.shape == (2, 11, hashes * len(sizes), 6)


def test_deferred_rows_learn_as_with_adam():
    found = []
    for is_sparse in (True, False):
        torch.manual_seed(0)
        module = HashedNgramEmbedding(50, 8, num_rows=20, boundary_id=0, heads=2, sparse=is_sparse, dtype=torch.float64)
        options = {"lr": 0.1, "weight_decay": 0.1}
        optimizer = DeferredAdamW(module, **options) if is_sparse else torch.optim.AdamW(module.parameters(), **options)
        for step in range(4):
            optimizer.zero_grad()
            module(IDS[:, step : step + 4]).square().sum().backward()
            optimizer.step()
        if is_sparse:
            optimizer.flush()
        found.append(module.table.weight.detach())
    torch.testing.assert_close(*found, rtol=1e-12, atol=1e-12)


def test_what_does_not_fit_is_refused():
    ours, _ = pair()
    other, _ = pair(seed=1)
    for call, message in (
        (lambda: HashedNgramEmbedding(50, 9, num_rows=7, boundary_id=0, heads=2), "a multiple of heads"),
        (
            lambda: HashedNgramEmbedding(50, 8, num_rows=7, boundary_id=50, heads=2),
            "boundary_id must be an id below",
        ),
        (lambda: ours(IDS[0]), r"ids must have shape \(batch, seq\)"),
        (lambda: ours(IDS, IDS), r"previous \(batch, 2\), got"),
        (lambda: ours(IDS + 45), "is out of range for a table of 50 rows"),
        (lambda: ByteNgramEmbedding(4, sizes=(0, 2)), "smallest_size must be 1 or more"),
        (lambda: ByteNgramEmbedding(4)(IDS[0]), r"ids must have shape \(batch, seq\)"),
        (lambda: other.load_state_dict(ours.state_dict()), "saved with other hashes"),
    ):
        with pytest.raises((UsageError, RuntimeError), match=message):
            call()
    assert not other.table.weight.equal(ours.table.weight), "a state that is refused was loaded"
