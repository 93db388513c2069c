"""A tiny run of each cell, and what it keeps."""

import math

import pytest
import torch

from rowspace_lab.experiments.arena.model.batches import Batches
from rowspace_lab.experiments.arena.model.forms import make_form
from rowspace_lab.experiments.arena.model.model import ArenaModel, Shape
from rowspace_lab.experiments.arena.model.train import Diverged, Measured, learn, measure
from rowspace_lab.experiments.arena.runs.cell import _wrong_chunks, run_cell
from rowspace_lab.experiments.arena.strategies import STRATEGIES, TASKS

pytestmark = pytest.mark.usefixtures("one_thread")


def model_of(task, form, **changes):
    size = round(form.size**0.5) if form.is_patches else form.size
    torch.manual_seed(0)
    longest = Batches(task, form).longest
    return ArenaModel(
        Shape(size, form.is_patches, True, longest, len(task.classes), **({"dim": 16, "layers": 1} | changes))
    )


@pytest.mark.long
@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("task_name", TASKS)
def test_every_strategy_enters_every_task(task_name, name, tasks, options):
    task, strategy = tasks[task_name], STRATEGIES[name]
    cell = run_cell(task, make_form(task, strategy, options), strategy, options, seed=1)
    assert 0 <= cell["quality"] < (1.001 if task.classes else 10)
    assert cell["cpu_seconds"] >= options.budget
    assert cell["steps"] > 0
    assert cell["inputs"] == pytest.approx(cell["passes"] * len(task.train))
    assert cell["parameters"] > cell["table_parameters"] > 0
    assert cell["state_bytes"] == 16 * cell["parameters"]  # float32: weight, gradient and AdamW's two moments
    assert cell["activation_bytes"] > 0
    assert (cell["median_count"] is None) == strategy.is_patches
    assert 0 < len(cell["curve"]) <= 20
    assert len(cell["wrong"]) <= 3
    for wrong in cell["wrong"]:
        assert wrong["expected"] != wrong["answer"]
        assert (wrong["image"] is None) == (task_name in ("next-bytes", "rare-words"))
        assert (wrong["bits"] is None) == bool(task.classes)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_chunk_is_predicted_from_the_chunks_before_it_only(name, tasks, options):
    task = tasks["next-bytes"]
    form = make_form(task, STRATEGIES[name], options)
    model, batches = model_of(task, form).eval(), Batches(task, form)
    batch = next(batches.held_out())
    place = 12  # all tokens from the one after the end of this chunk on are replaced
    tokens = batch.tokens.clone()
    for row in range(len(tokens)):
        tokens[row, int(batch.ends[row, place]) + 1 :] = 1
    changed = type(batch)(tokens, batch.lengths, batch.ends, batch.following, batch.labels)
    with torch.no_grad():
        before, after = model.nats(batch), model.nats(changed)
    assert torch.equal(before[:, : place + 1], after[:, : place + 1])
    assert not torch.equal(before[:, place + 1 :], after[:, place + 1 :])


def test_wrong_chunks_have_the_most_bits(tasks, options):
    task, strategy = tasks["next-bytes"], STRATEGIES["bytes"]
    form = make_form(task, strategy, options)
    model, batches = model_of(task, form).eval(), Batches(task, form)
    wrong = _wrong_chunks(task, model, batches, measure(model, batches))
    with torch.no_grad():
        bits = torch.cat([model.nats(batch) for batch in batches.held_out()]) / math.log(2)  # (inputs, chunks)
    assert [each["bits"] for each in wrong] == pytest.approx(bits.flatten().topk(3).values.tolist(), rel=1e-5)
    for each, place in zip(wrong, bits.flatten().topk(3).indices.tolist(), strict=True):
        row, chunk = divmod(place, bits.shape[1])
        chunks = [task.units[unit] for unit in task.test.units[row]]
        assert (each["text"], each["expected"]) == (b"".join(chunks[: chunk + 1]).decode(), chunks[chunk + 1].decode())


def test_the_probabilities_of_all_next_bytes_sum_to_one(tasks, options):
    task = tasks["next-bytes"]
    decoder = model_of(task, make_form(task, STRATEGIES["bytes"], options)).answer
    every = torch.arange(256).reshape(1, 256, 1)
    with torch.no_grad():
        total = torch.exp(-decoder(torch.randn(1, 1, 16).expand(1, 256, 16), every)).sum()
    assert float(total) == pytest.approx(1, abs=1e-5)


def test_padding_does_not_change_a_class(tasks, options):
    task = tasks["rare-words"]
    form = make_form(task, STRATEGIES["bytes"], options)
    model, batches = model_of(task, form).eval(), Batches(task, form)
    together = next(batches.held_out())
    batches.size = 1
    with torch.no_grad():
        alone = torch.cat([model.classify(batch) for batch in batches.held_out()])
        assert torch.equal(model.classify(together), alone[: len(together.labels)])


def test_only_the_head_over_own_tokens_depends_on_tying(tasks, options):
    task = tasks["next-bytes"]
    form = make_form(task, STRATEGIES["large-untied"], options)
    tied, untied = (
        sum(parameter.numel() for parameter in ArenaModel(Shape(form.size, False, tied, 30, 0, 16, 1)).parameters())
        for tied in (True, False)
    )
    assert untied - tied == form.size * 16


def test_the_mean_weighs_inputs_by_their_bytes():
    measured = Measured(outcomes=[2.0, 4.0], weights=[30, 10], answers=[], cpu_seconds=0.0)
    assert measured.quality == 2.5
    assert measured.error == pytest.approx(1.0)


def test_a_loss_that_is_not_finite_stops_the_run(tasks, options):
    task = tasks["images"]
    form = make_form(task, STRATEGIES["patches-32"], options)
    model = model_of(task, form)
    with torch.no_grad():
        model.answer.bias[0] = math.nan
    with pytest.raises(Diverged, match="the loss became nan before step"):
        learn(model, Batches(task, form), budget=0.05, seed=0)
