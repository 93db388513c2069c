"""The numbers of lesson 2 by PyTorch's embedding and linear layers, and by the sizes of the catalogue."""

import numpy as np
import pytest
import torch
from tests.lessons.first_lessons import LABS, ask, run_card

from rowspace.errors import UsageError
from rowspace.layers import CATALOGUE
from rowspace_lab.lessons.computed.topics import one_hots as computed
from rowspace_lab.lessons.lesson import lesson

SEEDS = [0, 1, 2]
REPOSITORIES = {
    "GPT-2": "openai-community/gpt2",
    "BERT": "google-bert/bert-base-uncased",
    "Llama 2 7B": "meta-llama/Llama-2-7b-hf",
    "Llama 3 8B": "meta-llama/Meta-Llama-3-8B",
}


def published(name: str) -> tuple[int, int]:
    """The rows and numbers per row of a published table."""
    (model,) = [each for each in CATALOGUE.values() if each.repository == REPOSITORIES[name]]
    return model.num_embeddings, model.hidden_dim


def test_product_is_the_row_of_a_linear_layer() -> None:
    layer = torch.nn.Linear(5, 3, bias=False)
    rows = [[0.2, -0.1, 0.0], [0.0, 0.3, 0.1], [-0.2, 0.4, 0.5], [0.7, 0.0, -0.3], [0.1, 0.2, 0.2]]
    layer.weight.data = torch.tensor(rows).T
    row = layer(torch.nn.functional.one_hot(torch.tensor(3), 5).float())
    found = computed.product()
    written = str(found["row"]).replace("−", "-").split(", ")
    assert [float(part) for part in written] == pytest.approx(row.tolist())
    assert (found["one_hot"], found["row"], found["difference"]) == ("0 0 0 1 0", "0.7, 0, −0.3", 0)


def test_gpt2_costs_two_operations_per_number_and_token() -> None:
    rows, dims = published("GPT-2")
    found = computed.gpt2()
    assert (found["rows"], found["dims"], found["read"]) == (rows, dims, torch.empty(3, dims).numel())
    assert found["one_hot_numbers"] == torch.empty(3, rows).numel()
    assert (found["one"], found["all"]) == (77_194_752, 231_584_256) == (2 * rows * dims, 6 * rows * dims)


def test_one_hots_are_equally_far() -> None:
    vectors = torch.nn.functional.one_hot(torch.arange(3)).float()
    found = computed.one_hots()
    assert found["dot"] == vectors[0] @ vectors[1] == 0
    assert found["near"] == found["far"] == pytest.approx(torch.dist(vectors[0], vectors[1]).item())


@pytest.mark.parametrize("seed", SEEDS)
def test_ones_are_those_of_pytorch(seed: int) -> None:
    lab = LABS["five-items"]()
    question, answer = ask(2, "ones", seed, lab)
    words = str(question.fields["text"]).split()
    one_hot = torch.nn.functional.one_hot(torch.tensor([int(word[-1]) for word in words]), 5)
    assert (answer["answer"], answer["zeros"]) == (one_hot.sum().item(), (one_hot == 0).sum().item())
    assert answer["distinct"] == one_hot.any(0).sum().item() < answer["answer"]


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_operations_are_those_of_the_published_table(seed: int) -> None:
    question, answer = ask(2, "operations", seed, LABS["six-words"]())
    rows, dims = published(str(question.fields["name"]))
    assert (question.fields["rows"], question.fields["dims"]) == (f"{rows:,}", f"{dims:,}")
    count = int(str(question.fields["tokens"])) * rows * dims * 2
    word, size = ("billion", 1e9) if count >= 1e9 else ("million", 1e6)
    assert answer["count"] == f"{count / size:.3g} {word}"
    near = min(range(6, 13), key=lambda power: abs(np.log10(count / 10**power)))
    assert list(computed.POWERS)[answer["answer"]] == near
    if seed == 0:
        assert (count, near) == (231_584_256, 8)


@pytest.mark.parametrize("seed", SEEDS)
def test_changed_numbers_are_those_of_an_embedding_layer(seed: int) -> None:
    lab = LABS["six-words"]()
    question, answer = ask(2, "changed", seed, lab)
    ids = torch.from_numpy(lab.table.ids(str(question.fields["text"]).split()))
    layer = torch.nn.Embedding.from_pretrained(torch.from_numpy(np.array(lab.table.rows)))
    before = layer(ids).clone()
    layer.weight[lab.table.id("cat"), 0] += 1
    assert answer["answer"] == (layer(ids) != before).sum().item()
    assert question.fields["numbers"] == before.numel()


def test_changed_needs_the_word() -> None:
    with pytest.raises(UsageError, match="no row for cat"):
        lesson(2).question("changed", LABS["five-items"]().table, 0)


def test_card_looks_up_and_multiplies() -> None:
    made = run_card(2)
    np.testing.assert_array_equal(made["looked_up"], made["multiplied"])
    assert made["looked_up"].tolist() == made["E"][[3, 0, 3]].tolist()
