"""The decoder: every scheme of positions with every block learns, sees no later token, and equals transformers'."""

from itertools import product
from typing import get_args

import pytest
import torch

from rowspace.errors import UsageError
from rowspace_lab.experiments.language_model.model.model import LanguageModel
from rowspace_lab.experiments.language_model.options import Block, ModelOptions, Positions

V, CONTEXT = 40, 16
SMALL = {"dim": 16, "layers": 2, "heads": 2}
SHAPES = [
    ModelOptions(**SMALL, positions=positions, block=block, tied=tied, scaled=not tied)
    for positions, block, tied in product(get_args(Positions), get_args(Block), (True, False))
]


def name(options):
    return f"{options.block}-{options.positions}-{'tied' if options.tied else 'untied'}"


def make(options, seed=0):
    """A model whose norms and biases are random too, so that none is left out unnoticed."""
    torch.manual_seed(seed)
    model = LanguageModel(V, CONTEXT, options)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return model.eval()


def ids(length=CONTEXT, seed=1):
    return torch.randint(0, V, (2, length), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("options", SHAPES, ids=name)
def test_a_position_sees_no_later_token_and_with_a_full_mask_it_does(options):
    model, before = make(options), ids()
    after = before.clone()
    after[:, 9] = (after[:, 9] + 1) % V
    with torch.no_grad():
        same = [
            (model(before, causal=causal) - model(after, causal=causal)).abs().amax((0, 2)) for causal in (True, False)
        ]
    assert same[0][:9].max() == 0
    assert same[0][9:].min() > 0
    assert same[1].min() > 0


def test_without_positions_and_mask_the_order_is_invisible_but_a_causal_model_sees_it():
    model, text = make(ModelOptions(**SMALL, positions="none")), ids()
    swapped = text.clone()
    swapped[:, [2, 5]] = swapped[:, [5, 2]]
    with torch.no_grad():
        full = (model(text, causal=False) - model(swapped, causal=False))[:, -1].abs().max()
        causal = (model(text) - model(swapped))[:, -1].abs().max()
    assert full < 1e-5
    assert causal > 1e-3


def test_loss_equals_the_cross_entropy_of_the_logits(assert_close):
    model, text = make(ModelOptions(**SMALL)), ids(CONTEXT + 1)
    expected = torch.nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
    assert_close(model.loss(text[:, :-1], text[:, 1:]).detach(), expected.detach())


def test_states_are_the_input_every_block_and_the_input_of_the_head(assert_close):
    model = make(ModelOptions(**SMALL))
    states = model.states(ids())
    assert [tuple(state.shape) for state in states] == [(2, CONTEXT, 16)] * 4
    assert_close(model.head(states[-1]).detach(), model(ids()).detach())


def test_blocks_have_the_same_number_of_parameters_within_a_few_percent():
    sizes = [
        sum(p.numel() for p in make(ModelOptions(dim=96, block=block)).blocks.parameters()) for block in get_args(Block)
    ]
    assert max(sizes) / min(sizes) < 1.03


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dim": 10, "heads": 4}, "heads must divide dim, but 4 does not divide 10"),
        ({"dim": 9, "heads": 3}, "an even width of a head, not dim / heads = 3"),
        ({"dim": 9, "heads": 3, "positions": "sinusoid"}, "an even dim, not 9"),
        ({"positions": "absolute"}, "positions must be one of rotary, learned"),
    ],
)
def test_impossible_shapes_are_refused(given, message):
    with pytest.raises(UsageError, match=message):
        ModelOptions(**given)
