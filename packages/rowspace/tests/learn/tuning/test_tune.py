"""Tuned tables: recall of held-out pairs, rows that move, and the steps of torch's AdamW."""

import numpy as np
import pytest
import torch

from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import whitespace_json
from rowspace.learn import tune
from rowspace.learn.tuning.tune import ranking_loss
from rowspace.table import Table

TOPICS, WORDS = 30, 8
VOCABULARY = [f"{side}{topic}w{word}" for side in "qp" for topic in range(TOPICS) for word in range(WORDS)]


@pytest.fixture
def table():
    rows = np.random.default_rng(0).normal(size=(len(VOCABULARY) + 1, 32)).astype(np.float32)
    words = [*VOCABULARY, "never"]
    return Table(words, rows, tokenizer=whitespace_json(words))


@pytest.fixture
def pairs():
    """Queries and positives of the same topic, which share no word."""
    generator = np.random.default_rng(1)

    def text(side, topic):
        return " ".join(f"{side}{topic}w{word}" for word in generator.integers(0, WORDS, 4))

    topics = generator.integers(0, TOPICS, 900)
    return [(text("q", topic), text("p", topic)) for topic in topics]


def test_held_out_pairs_are_found_after_tuning(table, pairs):
    tuned = tune(table, pairs, epochs=8, batch_size=32, smallest=16)
    facts = tuned.settings["tuned"]
    assert (facts["pairs"], facts["held_out_pairs"]) == (810, 90)
    assert list(facts["recall_after"]) == ["32", "16"]
    for size in ("32", "16"):
        assert facts["recall_after"][size] > facts["recall_before"][size] + 0.3
    assert facts["losses"][-1] < facts["losses"][0]
    np.testing.assert_array_equal(tuned["never"], table["never"])
    assert tuned.tokenizer == table.tokenizer
    assert (tuned.rows[:-1] != table.rows[:-1]).any(axis=1).all()


def test_steps_are_those_of_adamw_on_all_pairs(table, pairs, assert_close):
    """With one batch for each epoch the order of the pairs does not matter."""
    chosen = pairs[:40]
    tuned = tune(table, chosen, epochs=3, batch_size=40, held_out=0.0, smallest=32, scale=5.0, lr=0.05)
    weight = torch.from_numpy(table.rows.copy()).requires_grad_()
    lr = 0.05 * float(weight.detach().square().mean().sqrt())
    optimizer = torch.optim.AdamW([weight], lr=lr, weight_decay=0.0)
    for step in range(3):
        optimizer.param_groups[0]["lr"] = lr * (1 - step / 3)
        first, second = (
            torch.stack([weight[table.ids(pair[side].split())].mean(0) for pair in chosen]) for side in (0, 1)
        )
        loss = ranking_loss(first, second, scale=5.0, sizes=[32])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    np.testing.assert_allclose(tuned.rows, weight.detach().numpy(), atol=2e-4)
    assert tuned.settings["tuned"]["losses"][-1] == pytest.approx(float(loss.detach()), rel=1e-4)
    assert tuned.settings["tuned"]["recall_before"] == {}


def test_seeds_repeat(table, pairs):
    first, again, other = (tune(table, pairs[:200], epochs=1, batch_size=16, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.rows, again.rows)
    assert (first.rows != other.rows).any()


def test_progress_and_unknown_words(table, pairs):
    progress = []
    texts = [("xyzzy", "plugh"), ("xyzzy q1w1", ""), *pairs[:18]]
    tune(table, texts, epochs=2, batch_size=8, held_out=0.1, on_step=progress.append)
    assert [each.step for each in progress] == [1, 2, 3, 4, 5, 6]
    assert {each.steps for each in progress} == {6}


def test_invalid_arguments(table, pairs):
    for options, message in [
        ({"epoch": 2}, "tune has no option 'epoch'; did you mean epochs?"),
        ({"batch_size": 1}, "batch_size must be a whole number from 2"),
        ({"held_out": 0.95}, "held_out must be a number from 0"),
    ]:
        with pytest.raises(UsageError) as caught:
            tune(table, pairs, **options)
        assert message in str(caught.value)
    with pytest.raises(UsageError, match="1 pairs are too few for held_out=0"):
        tune(table, pairs[:1], held_out=0.0)
    with pytest.raises(UsageError, match=r"10 pairs are too few for held_out=0\.1; give more pairs"):
        tune(table, pairs[:10])
    with pytest.raises(UsageError, match="this table has no tokenizer"):
        tune(Table(table.vocabulary, table.rows), pairs)


def test_rows_that_are_not_finite(table, pairs):
    rows = table.rows.copy()
    rows[3, 4] = np.nan
    broken = Table(table.vocabulary, rows, tokenizer=table.tokenizer)
    with pytest.raises(UsageError, match="the table's rows have NaN, infinity or numbers beyond 1e19"):
        tune(broken, pairs, held_out=0.0)
