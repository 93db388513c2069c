"""Heads from checkpoints, against the logits of transformers' models."""

import json

import pytest
import torch
from tests.layers.recipes.published.heads import head_results
from tests.layers.recipes.text_models import MODELS, saved

from rowspace.errors import FileFormatError, UsageError
from rowspace.layers import TiedHead, check_tied, head_from_checkpoint, head_types, tied_from_checkpoint

# One of each form: plain, soft cap, multiplied, divided, transform, bias by itself, scaled states, a narrow table.
SOME = ["llama", "gemma2", "cohere", "granite", "bert", "marian", "t5", "albert", "esm", "minicpm3"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SOME)
def test_logits_match_transformers_bit_for_bit(kind, tmp_path):
    found = head_results(kind, tmp_path)
    assert found
    assert set(found.values()) == {"agrees"}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", head_types())
def test_logits_of_every_head_match_transformers(kind, tmp_path):
    found = head_results(kind, tmp_path)
    assert set(found.values()) <= {"agrees", "not run"}, found


def test_tied_head_shares_the_table_and_learns_with_it(tmp_path):
    embed, head = tied_from_checkpoint(saved(MODELS["gpt2"].made(), tmp_path))
    assert isinstance(head, TiedHead)
    check_tied(torch.nn.ModuleList([embed, head]))
    head.train()(embed.train()(torch.tensor([[1, 2]]))).sum().backward()
    assert embed.tokens.weight.grad.abs().sum() > 0


def test_loss_of_a_multiplied_head_matches_its_logits(tmp_path):
    head = head_from_checkpoint(saved(MODELS["llama"].made(), tmp_path))
    head.multiplier, head.divisor = 0.3, 2.0
    hidden, targets = torch.randn(6, 16), torch.tensor([0, 1, 2, 3, 4, 39])
    expected = torch.nn.functional.cross_entropy(head(hidden), targets)
    torch.testing.assert_close(head.loss(hidden, targets), expected)
    head.bias = torch.nn.Parameter(torch.ones(40))
    with pytest.raises(UsageError, match="multiplies its bias too"):
        head.loss(hidden, targets)


def test_loss_of_a_head_with_a_transform_matches_its_logits(tmp_path):
    head = head_from_checkpoint(saved(MODELS["bert, with a head"].made(), tmp_path))
    hidden, targets = torch.randn(6, 16), torch.tensor([0, 1, 2, 3, 4, 39])
    torch.testing.assert_close(
        head.loss(hidden, targets), torch.nn.functional.cross_entropy(head(hidden), targets), rtol=1e-5, atol=1e-5
    )


def test_untied_head_is_refused_as_a_tied_one(tmp_path):
    with pytest.raises(UsageError, match=r"matrix of its own, 'lm_head\.weight'; use head_from_checkpoint"):
        tied_from_checkpoint(saved(MODELS["llama"].made(), tmp_path))


def changed_config(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    return folder


def test_matrix_that_differs_from_the_table_is_used_though_the_config_says_tied(tmp_path):
    folder = saved(MODELS["llama"].made(), tmp_path)
    weight = head_from_checkpoint(folder).weight
    changed_config(folder, tie_word_embeddings=True)
    assert torch.equal(head_from_checkpoint(folder).weight, weight)
    with pytest.raises(UsageError, match="a matrix of its own"):
        tied_from_checkpoint(folder)


def test_body_of_an_untied_model_has_no_head(tmp_path):
    folder = saved(MODELS["llama"].made().model, tmp_path)
    for load in (head_from_checkpoint, tied_from_checkpoint):
        with pytest.raises(FileFormatError, match=r"no tensor ends in 'lm_head\.weight'"):
            load(folder)


@pytest.mark.parametrize(
    "changes", [{"vocab_size": 60}, {"vocab_size": None}, {"hidden_size": 999}, {"hidden_size": "16"}]
)
def test_matrix_of_other_sizes_than_those_of_the_config_raises(changes, tmp_path):
    folder = changed_config(saved(MODELS["llama"].made(), tmp_path), **changes)
    with pytest.raises(FileFormatError, match=r"'lm_head\.weight' has 40 rows of 16 numbers, but config\.json has"):
        head_from_checkpoint(folder)


def test_model_without_a_recipe_for_its_head_raises(tmp_path):
    folder = saved(MODELS["llama"].made(), tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "llamas"}))
    with pytest.raises(UsageError, match=r"'llamas', whose head has no recipe \(similar names: .*llama"):
        head_from_checkpoint(folder)


def test_checkpoint_of_the_body_alone_has_no_transform(tmp_path):
    with pytest.raises(FileFormatError, match=r"no tensor ends in 'cls\.predictions\.transform\.dense\.weight'"):
        head_from_checkpoint(saved(MODELS["bert"].made(), tmp_path))
