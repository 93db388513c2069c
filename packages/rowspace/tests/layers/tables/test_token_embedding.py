import math
import pickle

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import nn
from transformers import BertConfig
from transformers.models.bart.modeling_bart import BartScaledWordEmbedding
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.gemma3.modeling_gemma3 import Gemma3TextScaledWordEmbedding

from rowspace.errors import UsageError
from rowspace.layers import MatryoshkaEmbedding, SegmentEmbedding, TokenEmbedding, segments_of

IDS = torch.tensor([[3, 1, 3], [0, 9, 2]])


def test_matches_nn_embedding() -> None:
    ours, theirs = TokenEmbedding(10, 4, padding_idx=1), nn.Embedding(10, 4, padding_idx=1)
    theirs.load_state_dict(ours.state_dict())
    upstream = torch.randn(2, 3, 4)
    for module in (ours, theirs):
        module(IDS).backward(upstream)
    assert torch.equal(ours(IDS), theirs(IDS))
    assert torch.equal(ours.weight.grad, theirs.weight.grad)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("dim", [3, 512])
def test_sqrt_scale_matches_the_2017_transformer(dim: int, dtype: torch.dtype) -> None:
    # Oracle: BART in transformers, bit for bit.
    ours, theirs = (
        TokenEmbedding(10, dim, scale="sqrt"),
        BartScaledWordEmbedding(10, dim, 1, embed_scale=math.sqrt(dim)),
    )
    theirs.load_state_dict(ours.state_dict())
    assert torch.equal(ours.to(dtype)(IDS), theirs.to(dtype)(IDS))


@pytest.mark.parametrize(("dim", "root"), [(3072, 55.5), (3584, 59.75), (2048, 45.25)])
def test_rounded_scale_matches_gemma(dim: int, root: float) -> None:
    # Oracle: Gemma 3 in transformers, bit for bit, in bfloat16.
    ours = TokenEmbedding(10, dim, scale="rounded_sqrt", init="inverse_sqrt").bfloat16()
    theirs = Gemma3TextScaledWordEmbedding(10, dim, 0, embed_scale=dim**0.5).bfloat16()
    theirs.load_state_dict(ours.state_dict())
    assert torch.equal(ours(IDS), theirs(IDS))
    assert torch.equal(ours(IDS), ours.weight[IDS] * root)
    ours.scale = "sqrt"
    assert not torch.equal(ours(IDS), theirs(IDS))


@pytest.mark.parametrize("scale", [3.0, "sqrt", "rounded_sqrt"])
def test_scale_applies_to_the_gradient_and_not_to_the_table(scale: float | str) -> None:
    embedding = TokenEmbedding(10, 9, scale=scale)
    before = embedding.weight.detach().clone()
    embedding(IDS).sum().backward()
    assert torch.equal(embedding.weight, before)
    assert embedding.weight.grad[3].tolist() == [6.0] * 9


def test_padding_row_stays_zero() -> None:
    embedding = TokenEmbedding(10, 4, padding_idx=-1)
    optimizer = torch.optim.AdamW(embedding.parameters(), lr=1.0)
    for _ in range(3):
        optimizer.zero_grad()
        (embedding(IDS) - 1).square().sum().backward()
        optimizer.step()
    assert embedding.padding_idx == 9
    assert embedding.weight[9].tolist() == [0.0] * 4
    assert (embedding.weight[IDS[0]] != 0).all()


def test_sparse_gradient() -> None:
    embedding = TokenEmbedding(10, 4, sparse=True)
    embedding(IDS).sum().backward()
    assert embedding.weight.grad.is_sparse


def test_scaled_inverse_sqrt_rows_have_the_norm_of_a_sinusoid() -> None:
    embedding = TokenEmbedding(2000, 512, init="inverse_sqrt", scale="sqrt")
    assert embedding.weight.norm(dim=1).mean().item() == pytest.approx(1.0, abs=0.01)
    assert embedding(torch.arange(2000)).norm(dim=1).mean().item() == pytest.approx(22.6, abs=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_embeddings": 0}, "num_embeddings must be 1 or more, not 0"),
        ({"embedding_dim": -3}, "embedding_dim must be 1 or more, not -3"),
        ({"padding_idx": 10}, "padding_idx must be a row of the table of 10 rows, not 10"),
        ({"padding_idx": -11}, "padding_idx must be a row of the table of 10 rows, not -11"),
        ({"scale": "root"}, "scale must be a number, 'sqrt', 'rounded_sqrt' or None, not 'root'"),
        ({"init": "zeros"}, "init must be 'normal', 'inverse_sqrt', 'xavier' or a function, not 'zeros'"),
    ],
)
def test_invalid_arguments_raise(options: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        TokenEmbedding(**{"num_embeddings": 10, "embedding_dim": 4} | options)


def test_repr_shows_sizes_and_options() -> None:
    assert repr(TokenEmbedding(10, 4)) == "TokenEmbedding(10, 4)"
    assert (
        repr(TokenEmbedding(10, 4, padding_idx=0, scale="sqrt")) == "TokenEmbedding(10, 4, padding_idx=0, scale='sqrt')"
    )


def test_from_pretrained_matches_nn_embedding() -> None:
    table = torch.randn(10, 4)
    options = {"freeze": False, "padding_idx": 0, "sparse": True}
    ours, theirs = (kind.from_pretrained(table.clone(), **options) for kind in (TokenEmbedding, nn.Embedding))
    for module in (ours, theirs):
        module(IDS).sum().backward()
    assert torch.equal(ours(IDS), theirs(IDS))
    assert torch.equal(ours.weight.grad.to_dense(), theirs.weight.grad.to_dense())
    assert (ours.num_embeddings, ours.embedding_dim, ours.padding_idx) == (10, 4, 0)
    assert not TokenEmbedding.from_pretrained(table).weight.requires_grad
    assert TokenEmbedding.from_pretrained(table).weight.data_ptr() == table.data_ptr()
    assert torch.equal(TokenEmbedding.from_pretrained(table, scale=2.0)(IDS), 2 * table[IDS])
    assert type(MatryoshkaEmbedding.from_pretrained(table, dim=2)) is MatryoshkaEmbedding
    assert type(SegmentEmbedding.from_pretrained(table)) is SegmentEmbedding
    with pytest.raises(UsageError, match=r"embeddings must be a table \(V, d\), not of shape \[3\]"):
        TokenEmbedding.from_pretrained(torch.zeros(3))


def test_unsupported_options_of_nn_embedding_are_refused() -> None:
    for name, value in (("max_norm", 1.0), ("scale_grad_by_freq", True)):
        table = TokenEmbedding(10, 4)
        assert not getattr(table, name)
        with pytest.raises(UsageError, match=name):
            setattr(table, name, value)
        with pytest.raises(UsageError, match=name):
            TokenEmbedding.from_pretrained(torch.zeros(10, 4), **{name: value})


def test_arguments_of_nn_embedding_have_its_meaning() -> None:
    weight = torch.randn(10, 4)
    for arguments, options in [
        ((10, 4, 3), {}),
        ((10, 4, -1, None, 2.0, False, True), {}),
        ((10, 4, None, None, 2.0, False, False, weight), {}),
        ((10, 4, 3, None, 2.0, False, False, weight, True), {}),
        ((10, 4, 3, None, 2.0, False, True, None, True, "cpu", torch.float64), {}),
        ((10, 4), {"padding_idx": 0, "max_norm": None, "norm_type": 1.0, "_weight": weight, "_freeze": True}),
    ]:
        ours, theirs = TokenEmbedding(*arguments, **options), nn.Embedding(*arguments, **options)
        for name in ("num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "sparse"):
            assert getattr(ours, name) == getattr(theirs, name), name
        assert ours.weight.requires_grad == theirs.weight.requires_grad
        assert ours.weight.dtype == theirs.weight.dtype
        if torch.is_tensor(theirs.weight) and theirs.weight.data_ptr() == weight.data_ptr():
            assert ours.weight.data_ptr() == weight.data_ptr()
    assert torch.equal(TokenEmbedding(10, 4, 2, _weight=weight).weight, weight)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 4, 0, 1.0), "max_norm is 1.0, .* pass constraint=MaxNorm"),
        ((10, 4, 0, None, 2.0, True), "scale_grad_by_freq is not supported"),
        ((10, 4, 0, None, 2.0, False, "sqrt"), "sparse must be True or False, not 'sqrt'"),
        ((10, 4, "sqrt"), "padding_idx must be an integer or None, not 'sqrt'"),
        ((10, 4, 0.5), r"padding_idx must be an integer or None, not 0\.5"),
        (
            (10, 4, 0, None, 2.0, False, False, torch.zeros(9, 4)),
            r"_weight must have the shape \[10, 4\].*not \[9, 4\]",
        ),
    ],
)
def test_arguments_that_nn_embedding_would_read_otherwise_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        TokenEmbedding(*arguments)


def test_modules_pickle() -> None:
    table = TokenEmbedding(10, 4, 1, sparse=True, scale="sqrt")
    loaded = pickle.loads(pickle.dumps(table))
    assert torch.equal(loaded(IDS), table(IDS))
    assert (loaded.padding_idx, loaded.sparse, loaded.scale) == (1, True, "sqrt")


def test_matches_bert_token_type_embedding() -> None:
    theirs = BertEmbeddings(BertConfig(vocab_size=10, hidden_size=8, num_attention_heads=2)).token_type_embeddings
    ours = SegmentEmbedding(2, 8)
    ours.load_state_dict(theirs.state_dict())
    segment_ids = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    assert torch.equal(ours(segment_ids), theirs(segment_ids))
    assert torch.equal(ours().expand(2, 4, 8), theirs(torch.zeros(2, 4, dtype=torch.int64)))


def test_without_ids_the_first_segment_gets_the_gradient() -> None:
    segments = SegmentEmbedding(2, 3)
    (torch.zeros(5, 3) + segments()).sum().backward()
    assert segments.weight.grad.tolist() == [[5.0] * 3, [0.0] * 3]


def test_segments_match_a_bert_tokenizer() -> None:
    tokenizer = Tokenizer(models.WordLevel({"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "b": 4}))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch([("a b", "b a a"), ("a", "b"), "a b a", ("", "")])
    ids = torch.tensor([one.ids for one in encoded])
    assert segments_of(ids, separator_id=2).tolist() == [one.type_ids for one in encoded]


@pytest.mark.parametrize(("ids", "expected"), [([5, 6], [0, 0]), ([], []), ([2, 2, 2], [0, 1, 2])])
def test_segments_of_edge_cases(ids: list[int], expected: list[int]) -> None:
    assert segments_of(torch.tensor([ids], dtype=torch.int64), separator_id=2).tolist() == [expected]


def test_invalid_arguments_of_segments_raise() -> None:
    with pytest.raises(UsageError, match="num_segments must be 1 or more, not 0"):
        SegmentEmbedding(0, 4)
    with pytest.raises(UsageError, match=r"id 2 at \[0, 1\] is out of range for a table of 2 rows"):
        SegmentEmbedding(2, 4)(torch.tensor([[0, 2]]))
