"""Claims that need PyTorch, compared with formulas, other libraries and the catalogue's file."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import linregress
from transformers import ViTConfig
from transformers.models.vit.modeling_vit import ViTEmbeddings

import rowspace.layers
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.claims import claim_function
from rowspace_lab.lessons.computed.claims.unused import softmax_shares


def test_rows_without_a_gradient_move_by_momentum(measure, assert_close) -> None:
    found = measure("no_gradient")
    assert (found["sgd"], found["sparse"]) == (0, 0)
    assert_close(np.float32(found["momentum"]), np.float32(0.1 * 0.9 * 3**0.5))  # lr · momentum · g, with g = (1, 1, 1)
    # AdamW after a gradient of 1 and one of 0: m = .9 · .1, v = .999 · .001, both divided by their bias corrections.
    step = 0.1 * (0.09 / (1 - 0.9**2)) / ((0.000999 / (1 - 0.999**2)) ** 0.5 + 1e-8)
    start = torch.randn(6, 3, generator=torch.Generator().manual_seed(0)).double().numpy()[[1, 2]]
    after_one = start * (1 - 0.1 * 0.01) - 0.1
    moved = np.linalg.norm(after_one * 0.1 * 0.01 + step, axis=1)  # decay and step
    assert found["adamw"] == pytest.approx(moved.max(), rel=1e-5)
    assert found["verdict"] == "it depends"


def test_rows_move_in_further_training_unless_they_are_frozen(measure, world) -> None:
    found = measure("fixed_rows", world)
    assert (found["trainable"], found["frozen"], found["verdict"]) == (1, 0, "false")
    assert found["rows"] == len(world)
    assert found["default"] is torch.nn.Embedding(2, 2).weight.requires_grad


def test_softmax_over_unused_rows_equals_autograd() -> None:
    drawn = np.random.default_rng(0)
    follows = torch.tensor(drawn.dirichlet(np.full(20, 0.2), size=20))
    hidden = torch.tensor(drawn.normal(size=(20, 6)), requires_grad=True)
    head = torch.tensor(drawn.normal(scale=0.02, size=(40, 6)), requires_grad=True)
    optimizer, target = torch.optim.SGD([hidden, head], lr=2.0), torch.nn.functional.pad(follows, (0, 20))
    shares = []
    for _ in range(11):
        logits = hidden @ head.T
        shares.append(float(logits.detach().softmax(1)[:, 20:].sum(1).mean()))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits, target).backward()
        optimizer.step()
    assert softmax_shares(20, 6, steps=10, lr=2.0, seed=0) == pytest.approx((shares[0], shares[-1]))


def test_tokens_drown_in_positions(measure, assert_close) -> None:
    found = measure("drowning")
    assert found["position"] == pytest.approx(256**0.5)  # √(d/2)
    assert found["token"] == pytest.approx(1, abs=0.01)  # rows of N(0, 1/d)
    rows = torch.randn(1000, 512, generator=torch.Generator().manual_seed(0)).double().numpy() / 512**0.5
    angles = 5 / 10000 ** (np.arange(0, 512, 2) / 512)
    place = np.stack([np.sin(angles), np.cos(angles)], 1).reshape(-1)
    sums = rows + place
    cosines = (sums * rows).sum(1) / np.linalg.norm(sums, axis=1) / np.linalg.norm(rows, axis=1)
    assert found["cosine_token"] == pytest.approx(cosines.mean(), abs=1e-5)
    assert found["cosine_position"] == pytest.approx(
        (sums @ place / np.linalg.norm(sums, axis=1) / 16).mean(), abs=1e-5
    )
    assert found["verdict"] == "false"


def test_root_of_d_makes_the_token_longer_by_the_root_of_two(measure) -> None:
    found = measure("equal_norms")
    assert found["ratio"] == pytest.approx(2**0.5, abs=0.01)
    assert (found["position"], found["equal"], found["verdict"]) == (pytest.approx(16), 16, "false")


def test_outputs_of_attention_move_along_with_their_tokens(measure, world) -> None:
    found = measure("invariance", world)
    words = found["words"].split()
    rows = torch.tensor(world[words]).double()
    drawn = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(16, 16, generator=drawn, dtype=torch.float64) / 4 for _ in range(3))
    rows = rows * (16 / np.square(world.norms).mean()) ** 0.5  # numbers with a mean square of 1

    def attend(inputs: torch.Tensor) -> torch.Tensor:
        return ((inputs @ query.T) @ (inputs @ key.T).T / 4).softmax(1) @ (inputs @ value.T)

    forward, backward = attend(rows), attend(rows.flip(0))
    assert found["by_place"] == pytest.approx(float((forward - backward).abs().max()))
    assert float((forward - backward.flip(0)).abs().max()) < 1e-12 > found["by_token"]
    assert found["causal"] > 0.1
    assert found["verdict"] == "false"


def test_equal_rows_have_no_order() -> None:
    with pytest.raises(UsageError, match="the same row"):
        claim_function("invariance")(Table(["a", "b"], np.ones((2, 4), np.float32)))


def catalogue() -> dict[str, tuple[int, bool]]:
    """The vocabulary size and `tie_word_embeddings` of each model, read from the file; None where it is not written."""
    path = Path(rowspace.layers.__file__).parent / "cost" / "catalogue.toml"
    found = {}
    for family in tomllib.loads(path.read_text(encoding="utf-8"))["family"]:
        for name, sizes in family["models"].items():
            config = {**dict(zip(family["columns"], sizes, strict=True)), **family.get("config", {})}
            found[name.split("/", 1)[1]] = (config.get("vocab_size", 0), config.get("tie_word_embeddings"))
    return found


def test_llama_models_that_tie_are_those_of_3_2(measure) -> None:
    found = measure("llama_ties")
    llamas = {name: tied for name, (_, tied) in catalogue().items() if "llama" in name.lower()}
    assert [name for name, tied in llamas.items() if tied] == ["Llama-3.2-1B", "Llama-3.2-3B"]
    assert found["tied"] == "Llama-3.2-1B and Llama-3.2-3B"
    assert (found["num_tied"], found["num_untied"]) == (2, len(llamas) - 2)


def test_largest_vocabularies_are_tied(measure) -> None:
    found = measure("large_tied")
    large = {name: size for name, (size, _) in catalogue().items() if size >= 100_000}
    assert found["models"] == len(large)
    assert found["rows"] == max(large.values()) > found["untied_rows"]
    assert found["verdict"] == "false"


def test_positions_of_the_original_vit_are_parameters(measure) -> None:
    found = measure("vit_sinusoids")
    reference = ViTEmbeddings(ViTConfig(hidden_size=768, image_size=224, patch_size=16)).position_embeddings
    assert isinstance(reference, torch.nn.Parameter)
    assert (found["parameters"], found["rows"], found["dim"]) == (reference.numel(), *reference.shape[1:])


def test_exponent_and_its_error_equal_those_of_scipy(measure) -> None:
    found = measure("root_law")
    every = rowspace.layers.CATALOGUE.items()
    models = {name: model for name, model in every if model.num_embeddings and not model.cost.second}
    sizes, dims = (
        np.log([value(model) for name, model in models.items() if model.cost.model_type != "albert"])
        for value in (lambda model: model.parameters, lambda model: model.hidden_dim)
    )
    fitted = linregress(sizes, dims)
    assert (found["slope"], found["error"]) == (pytest.approx(fitted.slope), pytest.approx(fitted.stderr))
    assert (found["models"], found["verdict"]) == (len(sizes), "false")
