import pytest
import torch
from hypothesis import given, strategies as st

from rowspace.errors import UsageError
from rowspace.layers import (
    Alibi,
    DynamicScaling,
    LearnedPosition,
    Llama3Scaling,
    MultimodalRotaryPosition,
    RelativeBias,
    RotaryPosition,
    SinusoidPosition,
    distant_scores,
    relative_scores,
)


def heads(seed=0):
    return torch.randn(2, 3, 16, generator=torch.Generator().manual_seed(seed))


@given(st.integers(0, 1000), st.sampled_from(["half", "interleaved"]), st.sampled_from([4, 16]))
def test_rotary_scores_depend_only_on_the_offset(seed, layout, rotary_dim):
    result = relative_scores(RotaryPosition(16, layout=layout, rotary_dim=rotary_dim), *heads(seed))
    assert result.largest_deviation < 1e-4  # angles up to 64 are rounded to 4e-6


@pytest.mark.parametrize("scheme", [Alibi(3), Alibi(3, symmetric=True), RelativeBias(3)])
def test_biased_scores_depend_only_on_the_offset(scheme):
    assert relative_scores(scheme, *heads()).largest_deviation < 1e-12


def test_offset_is_key_position_minus_query_position():
    q, k = heads()
    result = relative_scores(RotaryPosition(16), q, k, length=5)
    for query in range(5):
        for key in range(5):
            column = result.offsets.tolist().index(key - query)
            torch.testing.assert_close(result.scores[:, column], result.pairs[:, query, key], rtol=0, atol=1e-4)
    # the score of a query at 1 and a key at 3, in complex numbers: pair j rotates by position * base ** (-2j / d)
    angles = 10000.0 ** (-torch.arange(0, 16, 2, dtype=torch.float64) / 16)
    queries, keys = (torch.complex(*row.double().chunk(2, dim=-1)) for row in (q, k))
    expected = (queries * torch.exp(1j * angles) * (keys * torch.exp(3j * angles)).conj()).real.sum(-1)
    torch.testing.assert_close(result.pairs[:, 1, 3], expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("scheme", [SinusoidPosition(16), LearnedPosition(64, 16, init=torch.nn.init.normal_)])
def test_scores_with_added_rows_depend_on_the_position(scheme):
    assert relative_scores(scheme, *heads()).largest_deviation > 1


def test_scores_match_two_tokens():
    q, k = heads()
    rotary = RotaryPosition(16, scaling=Llama3Scaling(8.0, 1.0, 4.0, 64))
    result = relative_scores(rotary, q, k, length=10)
    assert result.offsets.tolist() == list(range(-9, 10))
    rotated, _ = rotary(q.unsqueeze(1), q.unsqueeze(1), torch.tensor([4]))
    still, _ = rotary(k.unsqueeze(1), k.unsqueeze(1), torch.tensor([0]))
    torch.testing.assert_close(result.scores[:, 5].float(), (rotated * still).sum((-1, -2)))


def test_text_in_a_multimodal_model_depends_only_on_the_offset():
    assert relative_scores(MultimodalRotaryPosition(16, (2, 3, 3)), *heads()).largest_deviation < 1e-4


def test_alibi_scores_decrease_by_the_slope():
    result = relative_scores(Alibi(3), *heads())
    slopes = result.scores.diff(dim=1)
    torch.testing.assert_close(slopes.float(), Alibi(3).slopes.unsqueeze(-1).expand_as(slopes))


def test_another_number_of_heads_raises():
    with pytest.raises(UsageError, match="q and k have 3 heads, but the scheme has 4"):
        relative_scores(Alibi(4), *heads())


def test_scores_are_the_means_of_pairs():
    result = relative_scores(SinusoidPosition(16), *heads(), length=5)
    assert result.pairs.shape == (3, 5, 5)
    for column, offset in enumerate(result.offsets.tolist()):
        torch.testing.assert_close(result.scores[:, column], result.pairs.diagonal(offset, 1, 2).mean(-1))


@pytest.mark.parametrize("scaling", [None, Llama3Scaling(8.0, 1.0, 4.0, 64), DynamicScaling(4.0, 8)])
def test_distant_scores_match_the_last_query(scaling):
    rotary = RotaryPosition(16, scaling=scaling)
    (q, *_), (k, *_) = heads()
    every = relative_scores(rotary, q[None], k[None], length=20).pairs[0, -1].flip(0)
    some = torch.tensor([0, 3, 19])
    torch.testing.assert_close(distant_scores(rotary, q, k, some, length=20), every[some], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("distance", [-1, 20])
def test_distances_outside_the_text_raise(distance):
    with pytest.raises(UsageError, match="distances must be from 0 to 19 in a text of 20 tokens"):
        distant_scores(RotaryPosition(4), torch.ones(4), torch.ones(4), torch.tensor([distance]), length=20)
