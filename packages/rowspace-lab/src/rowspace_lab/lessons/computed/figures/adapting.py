"""The figures of the lesson about adapting rows, with the model of the Adapting page. They need PyTorch."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import torch
from torch import nn

from rowspace.layers import LoraTable
from rowspace_lab.pages.adapting.figures import adapted_figure, adapted_table, pretrain
from rowspace_lab.pages.adapting.replies import Way


@cache
def four_ways(*, sentences: int, rank: int) -> Mapping[str, Any]:
    """Adapt the pretrained model of the Adapting page: the ways by name, the loss before and the sizes of the data."""
    found = adapted_figure(pretrained(), sentences=sentences, rank=rank)
    by_name: dict[str, Way] = {way["name"]: way for way in found["ways"]}
    return {**found, **by_name}


@cache
def pretrained() -> Mapping[str, Any]:
    """Train the model of the Adapting page."""
    return pretrain(old="king", new="tsar")


def default_frozen() -> bool:
    """Return whether the rows of `nn.Embedding.from_pretrained` learn by default."""
    return bool(nn.Embedding.from_pretrained(torch.zeros(1, 1)).weight.requires_grad)


def merged_difference(*, rank: int) -> float:
    """Return the largest difference between what a learned LoRA table gives before and after it is merged."""
    rows = torch.randn(109, 16, generator=torch.Generator().manual_seed(0))
    table = adapted_table("lora", rows, rank=rank, draw=0)
    nn.init.normal_(table.rows.weight, generator=torch.Generator().manual_seed(1))
    ids = torch.arange(len(rows))
    with torch.no_grad():
        before = table(ids)
        return float((table.merge()(ids) - before).abs().max())


def which_ways_figure(*, rows: str, sentences: int, rank: int, moved: bool) -> int:
    """Count the ways that move the old rows or the new one, or that leave them exactly as they were."""
    ways = four_ways(sentences=sentences, rank=rank)["ways"]
    distances = [way["moved_new"] if rows == "new" else way["moved_old"] for way in ways]
    return sum((distance > 0) == moved for distance in distances)


def learned_figure(*, rows: int, dim: int, rank: int) -> Mapping[str, Any]:
    """Count the numbers of a LoRA table that learn, and those of the table."""
    with torch.device("meta"):  # without allocating weights
        table = LoraTable(nn.Embedding(rows, dim), rank)
    return {"answer": sum(each.numel() for each in table.parameters() if each.requires_grad), "all": f"{rows * dim:,}"}


def extreme_figure(*, measure: str, largest: bool, sentences: int, rank: int) -> Mapping[str, Any]:
    """Return the place of the way with the largest or smallest loss on old or new sentences, and all four losses."""
    ways: list[Way] = four_ways(sentences=sentences, rank=rank)["ways"]
    losses = {way["name"]: way["old"] if measure == "old" else way["held_out"] for way in ways}
    order = sorted(losses, key=lambda name: losses[name], reverse=largest)
    return {"answer": list(losses).index(order[0]), **{name: f"{loss:.2f}" for name, loss in losses.items()}}
