"""The figure of the Adapting page: a model with pretrained rows learns a new word in four ways. It needs PyTorch."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from rowspace.layers import LoraTable, TrainableRows
from rowspace.learn.fit import fit
from rowspace_lab.pages.adapting.replies import Adapted, Way, WayName
from rowspace_lab.tables.small_world import small_world_sentences

DIM = 16
HELD_OUT = 6
DRAWS = 5
STEPS = 100


def guess(table: Any, body: nn.Module, ids: Tensor) -> Tensor:
    """Guess a word from the mean of the rows of those around it, with a head that is tied to the table.

    ids (n, length), −1 for padding → logits (n, V). `table` is any module for rows with a `weight` (V, d).
    """
    there = (ids >= 0).float()[..., None]
    mean = (table(ids.clamp(min=0)) * there).sum(1) / there.sum(1)
    logits: Tensor = body(mean) @ table.weight.T
    return logits


def sentences_with(old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the sentences of the small world without a word, and those with it, with a new word in its place."""
    known: list[str] = []
    changed: list[str] = []
    for sentence in small_world_sentences():
        words = sentence.split()
        (changed if old in words else known).append(" ".join(new if word == old else word for word in words))
    return known, changed


def gaps(sentences: Sequence[str], vocabulary: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return the ids of the words around each word of the sentences, padded with −1, and the id of the word, (n,)."""
    ids = [[vocabulary.index(word) for word in sentence.split()] for sentence in sentences]
    around = [torch.tensor(line[:at] + line[at + 1 :]) for line in ids for at in range(len(line))]
    padded = nn.utils.rnn.pad_sequence(around, batch_first=True, padding_value=-1)
    return padded, torch.tensor([word for line in ids for word in line])


def loss_of(table: Any, body: nn.Module, data: tuple[Tensor, Tensor]) -> Tensor:
    """Return the mean cross entropy of the guessed words, in nats."""
    return nn.functional.cross_entropy(guess(table, body, data[0]), data[1])


def learn(table: Any, body: nn.Module, data: tuple[Tensor, Tensor]) -> None:
    """Train the parameters that are not frozen with Adam, if there are any."""
    parameters = [each for each in (*table.parameters(), *body.parameters()) if each.requires_grad]
    if not parameters:
        return
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss: Any = loss_of(table, body, data)
        loss.backward()
        optimizer.step()


def pretrain(*, old: str, new: str) -> Mapping[str, Any]:
    """Learn rows and a model from the sentences without a word, and add the mean of the rows as that of a new word."""
    known, changed = sentences_with(old, new)
    fitted = fit(iter(known), dim=DIM, epochs=100, window=4, sample=0, min_count=1, workers=1)
    vocabulary = [*fitted.vocabulary, new]
    body, drawn = nn.Sequential(nn.Linear(DIM, 64), nn.GELU(), nn.Linear(64, DIM)), torch.Generator().manual_seed(0)
    for parameter in body.parameters():
        nn.init.uniform_(parameter, -(DIM**-0.5), DIM**-0.5, generator=drawn)
    table = nn.Embedding.from_pretrained(torch.tensor(fitted.rows), freeze=False)
    data = gaps(known, vocabulary)
    learn(table, body, data)
    rows = table.weight.detach()
    rows = torch.cat([rows, rows.mean(0, keepdim=True)])
    return {"vocabulary": vocabulary, "rows": rows, "body": body.requires_grad_(False), "known": data, "new": changed}


def adapted_table(way: WayName, rows: Tensor, *, rank: int, draw: int) -> Any:
    """Return a table with pretrained rows of which all, none, a change of low rank or only the last row learns."""
    table = nn.Embedding.from_pretrained(rows.clone(), freeze=way != "free")
    if way == "new":
        return TrainableRows(table, [len(rows) - 1])
    if way == "lora":
        adapter = LoraTable(table, rank)
        nn.init.normal_(adapter.columns, std=rank**-0.5, generator=torch.Generator().manual_seed(draw))
        return adapter
    return table


def adapt(way: WayName, start: Mapping[str, Any], *, sentences: int, rank: int, draw: int) -> Mapping[str, float]:
    """Learn some of the new sentences in one way, and measure the rows and losses afterwards."""
    rows, vocabulary, body = start["rows"], start["vocabulary"], start["body"]
    shuffled = list(np.random.default_rng(draw).permutation(start["new"]))
    table = adapted_table(way, rows, rank=rank, draw=draw)
    trained = gaps(shuffled[HELD_OUT:][:sentences], vocabulary)
    learn(table, body, trained)
    with torch.no_grad():
        moved = (table.weight - rows).norm(dim=1)
        measured = (trained, gaps(shuffled[:HELD_OUT], vocabulary), start["known"])
        losses = [float(loss_of(table, body, data)) for data in measured]
    learned = sum(each.numel() for each in table.parameters() if each.requires_grad)
    names = ("learned", "moved_old", "moved_new", "trained", "held_out", "old")
    return dict(zip(names, (learned, float(moved[:-1].mean()), float(moved[-1]), *losses), strict=True))


def adapted_figure(start: Mapping[str, Any], *, sentences: int, rank: int) -> Adapted:
    """Adapt the pretrained rows in four ways, each for several draws of the sentences."""
    ways: list[Way] = []
    names: tuple[WayName, ...] = ("free", "frozen", "lora", "new")
    for name in names:
        runs = [adapt(name, start, sentences=sentences, rank=rank, draw=draw) for draw in range(DRAWS)]
        mean = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
        ways.append(
            {
                "name": name,
                "learned": int(mean["learned"]),
                "moved_old": mean["moved_old"],
                "moved_new": mean["moved_new"],
                "trained": mean["trained"],
                "held_out": mean["held_out"],
                "spread": float(np.std([run["held_out"] for run in runs])),
                "old": mean["old"],
            }
        )
    known = len(small_world_sentences()) - len(start["new"])
    before = adapt("frozen", start, sentences=sentences, rank=rank, draw=0)["old"]
    return {"ways": ways, "before": before, "known": known, "held_out": HELD_OUT, "draws": DRAWS}
