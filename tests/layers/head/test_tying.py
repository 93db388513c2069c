import copy

import pytest
import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers import TiedHead, TokenEmbedding, check_tied

IDS = torch.tensor([[1, 2, 3]])


class Model(nn.Module):
    def __init__(self, *, bias: bool = False) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(10, 4)
        self.decoder = nn.ModuleDict({"head": TiedHead(self.embedding, bias=bias)})

    def forward(self, ids: Tensor) -> Tensor:
        return self.decoder["head"](self.embedding(ids))


def test_error_names_a_replaced_embedding():
    model = Model()
    check_tied(model)
    model.embedding = TokenEmbedding(12, 4)
    message = (
        r"decoder.head is tied to a table of 10 × 4 that is not in the model; set decoder.head.embedding to the "
        r"embedding of the model \(embedding: 12 × 4\)"
    )
    with pytest.raises(UsageError, match=message):
        check_tied(model)


def test_head_can_be_tied_again_without_a_copy():
    model = Model()
    model.embedding = TokenEmbedding(12, 4)
    model.decoder["head"].embedding = model.embedding
    check_tied(model)
    assert model(IDS).shape == (1, 3, 12)
    assert list(model.state_dict()) == ["embedding.weight"]
    with pytest.raises(UsageError, match=r"embedding must be a module with a weight \(V, d\), got Dropout"):
        model.decoder["head"].embedding = nn.Dropout()


def test_copied_loaded_and_materialized_models_stay_tied():
    model = Model()
    loaded = Model()
    loaded.load_state_dict(model.state_dict(), assign=True)
    with torch.device("meta"):
        empty = Model().to_empty(device="cpu")
    for each in (copy.deepcopy(model), loaded, empty, nn.Sequential(model), nn.Linear(2, 2)):
        check_tied(each)


def test_head_copied_without_its_embedding_is_found():
    model = Model()
    model.decoder["head"] = copy.deepcopy(model.decoder["head"])
    with pytest.raises(UsageError, match=r"decoder.head is tied to a table"):
        check_tied(model)
    with pytest.raises(UsageError, match=r"TiedHead is tied .* \(it has none\)"):
        check_tied(model.decoder["head"])


def test_table_shared_by_two_modules_is_in_the_model():
    model = Model()
    other = nn.Embedding(10, 4)
    other.weight = model.embedding.weight
    model.embedding = other
    check_tied(model)


def test_bias_of_another_size_than_a_resized_table_is_found():
    model = Model(bias=True)
    model.embedding.weight = nn.Parameter(torch.zeros(12, 4))
    with pytest.raises(UsageError, match=r"decoder.head has a bias of 10 numbers for a table of 12 rows"):
        check_tied(model)
