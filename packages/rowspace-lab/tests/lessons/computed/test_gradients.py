"""The numbers of lesson 3 by PyTorch's autograd and AdamW, and by the loop of the reference implementation."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from tests.lessons.first_lessons import LABS, ask, run_card

from rowspace.layers import CATALOGUE
from rowspace.layers.tables.reference import lookup_backward
from rowspace_lab.lessons.computed.topics import gradients as computed
from rowspace_lab.pages.pipeline.gradients import tied_figure
from rowspace_lab.tables.examples import SIX_WORDS
from rowspace_lab.tables.small_world import small_world_sentences

SEEDS = [0, 1, 2]


def test_gpt2_is_that_of_the_catalogue() -> None:
    assert computed.gpt2()["rows"] == CATALOGUE["gpt2"].num_embeddings
    assert CATALOGUE["gpt2"].tied


def test_example_has_the_gradient_of_autograd() -> None:
    table = torch.zeros(6, 3, requires_grad=True)
    table[[1, 2]].sum().backward()
    assert table.grad is not None
    rows = table.grad.any(1).nonzero().flatten().tolist()
    found = computed.example()
    assert [found["first"], found["second"]] == rows
    assert (found["rows"], found["dims"], found["each"]) == (6, 3, table.grad.max().item())


def test_adamw_moves_rows_like_pytorch() -> None:
    table = torch.tensor(list(SIX_WORDS.values()), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.AdamW([table], lr=0.1)  # its default decay is 0.01
    for ids in ([1, 2], [4]):
        before = table.detach().clone()
        optimizer.zero_grad()
        table[ids].sum().backward()
        optimizer.step()
    moved = (table.detach() - before).norm(dim=1)
    found = computed.adamw()
    assert found["read_now"] == pytest.approx(moved[4].item())
    assert found["read_before"] == pytest.approx(moved[1].item()) == pytest.approx(moved[2].item(), rel=1e-2)
    assert found["never_read"] == pytest.approx(moved[0].item())
    assert f"{found['read_before']:.2f} {found['read_now']:.2f}" == "0.12 0.13"


def test_pushes_are_the_gradients_of_autograd() -> None:
    sentences = [sentence.split() for sentence in small_world_sentences()]
    words = list(dict.fromkeys(word for sentence in sentences for word in sentence))
    places = [words.index(word) for word in ("cat", "dog", "house")]
    cosines = []
    for seed in range(5):
        draw = np.random.default_rng(seed)
        rows, head = (torch.tensor(draw.normal(0, 0.02, (len(words), 16)), requires_grad=True) for _ in range(2))
        pairs = [(words.index(one), words.index(next)) for each in sentences for one, next in pairwise(each)]
        inputs, targets = torch.tensor(pairs).T
        torch.nn.functional.cross_entropy(rows[inputs] @ head.T, targets, reduction="sum").backward()
        assert rows.grad is not None
        cat, dog, house = rows.grad[places]
        cosines.append([torch.cosine_similarity(cat, other, 0).item() for other in (dog, house)])
    found = computed.pushes()
    lowest, highest = np.min(cosines, 0), np.max(cosines, 0)
    expected = [5, *lowest, highest[1]]
    names = ("draws", "cat_dog_lowest", "cat_house_lowest", "cat_house_highest")
    np.testing.assert_allclose([found[name] for name in names], expected, atol=1e-9)
    assert found["cat_dog_lowest"] > 0.99
    assert found["cat_house_highest"] < 0.6


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_the_text_are_touched(seed: int) -> None:
    question, answer = ask(3, "touched", seed, LABS["six-words"]())
    words = str(question.fields["text"]).split()
    assert answer == {"answer": len(set(words)), "others": 6 - len(set(words))}
    assert question.fields["tokens"] == len(words) != answer["answer"]


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_of_one_row_are_summed(seed: int) -> None:
    question, answer = ask(3, "moved_distance", seed, LABS["six-words"]())
    written = [str(question.fields[name]).replace("−", "-") for name in ("first", "second")]
    gradients = [[float(part) for part in each.split(",")] for each in written]
    total = lookup_backward([0, 0], gradients, 1)[0]
    assert answer["answer"] == pytest.approx(0.1 * np.sqrt((total**2).sum()), abs=5e-4)
    assert [float(part) for part in answer["sum"].replace("−", "-").split(",")] == total.tolist()
    if seed == 0:
        assert (gradients, answer["answer"]) == ([[1, 0, 0], [-1, 0, 0]], 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_tied_head_reaches_the_rows_of_autograd(seed: int) -> None:
    lab = LABS["six-words"]()
    question, answer = ask(3, "tied_head", seed, lab)
    found = tied_figure(lab.table, lab.table.ids(str(question.fields["text"]).split()), limit=6)  # by autograd
    tied = question.fields["head"] == "is tied"
    assert answer == {
        "answer": found["tied_rows"] if tied else found["untied_rows"],
        "tied": found["tied_rows"],
        "untied": found["untied_rows"],
    }
    assert answer["tied"] == 6


def test_card_computes_the_gradient_of_the_exercise() -> None:
    gradient = run_card(3)["gradient"]
    np.testing.assert_array_equal(gradient, lookup_backward([2, 2, 5], np.ones((3, 4)), 6))
