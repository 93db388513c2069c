"""Lesson 8: sinusoids and rotary positions, compared with rowspace's layers and with formulas written out."""

import io
import re
from contextlib import redirect_stdout
from math import cos, hypot, pi, sin

import numpy as np
import pytest
import torch
from tests.lessons.asking import ask, run_card

from rowspace.layers import RotaryPosition, SinusoidPosition, relative_scores
from rowspace_lab.lessons.computed.tables import six_words, small_world
from rowspace_lab.lessons.computed.topics import positions as computed
from rowspace_lab.lessons.lesson import lesson
from rowspace_lab.lessons.source.values import citations
from rowspace_lab.pages.order.waves import lengths_figure


def product(p: int, q: int, dim: int) -> float:
    """PE(p) · PE(q), a pair of numbers at a time."""
    angles = [10_000 ** (-2 * k / dim) for k in range(dim // 2)]
    return sum(sin(p * w) * sin(q * w) + cos(p * w) * cos(q * w) for w in angles)


def test_the_sinusoid() -> None:
    found = computed.sinusoid()
    row = SinusoidPosition(8)(torch.zeros(2))[1].tolist()
    assert found["row"] == ", ".join(f"{value:.2f}" for value in row)
    assert found["norm"] == pytest.approx(hypot(*row), abs=1e-6)
    assert found["product"] == pytest.approx(product(5, 8, 8))
    assert found["later"] == pytest.approx(product(10, 13, 8))
    assert f"{found['product']:.3f}" == "1.965"
    assert [found[name] for name in ("first", "second", "third", "fourth")] == pytest.approx(
        [2 * pi * 10**power for power in range(4)]
    )
    assert (found["shortest"], found["longest"]) == pytest.approx((2 * pi, 2 * pi * 10_000 ** (510 / 512)))


def test_learned_tables_have_the_sizes_of_the_citations() -> None:
    names = ("bert_positions", "bert_width", "gpt2_positions")
    sizes = {name: int(citations()["values"][name]["text"].replace(",", "")) for name in names}
    found = computed.learned()
    assert found["bert"] == sizes["bert_positions"] * sizes["bert_width"]
    assert found["gpt2"] == sizes["gpt2_positions"] * sizes["bert_width"]
    assert found["next"] == sizes["bert_positions"] + 1


def test_unfinished_pairs_are_those_of_the_order_page() -> None:
    found = computed.unfinished()
    page = lengths_figure(dim=found["dim"], trained=found["trained"], heads=8, seed=0)
    assert found["count"] == page["unfinished"]


def test_rotary_scores_are_those_of_the_layer() -> None:
    found, table = computed.rotary(), small_world()
    for key, name in (("dog", "here"), ("house", "other")):
        rows = [torch.tensor(table[word])[None] for word in ("cat", key)]
        scores = relative_scores(RotaryPosition(table.dim), *rows, length=16)
        assert found[name] == pytest.approx(float(scores.pairs[0][5, 8]), abs=1e-4)
    assert found["later"] == pytest.approx(found["here"], abs=1e-9)


def test_the_code_of_both_exercises_prints_the_numbers_of_the_text() -> None:
    printed = []
    for block in lesson(8).document.of("exercise"):
        (code,) = re.findall(r"```python\n(.*?)```", block.parts[2], re.DOTALL)
        with redirect_stdout(io.StringIO()) as output:
            exec(code, {})
        printed.append([float(text) for text in output.getvalue().split()])
    assert printed[0] == pytest.approx([computed.heat_map()["difference"]], rel=1e-3)
    assert 0 < printed[0][0] < 1e-5
    rotated = computed.rotated()
    assert printed[1] == pytest.approx([rotated["here"], rotated["later"], rotated["other"]])
    assert printed[1][0] == pytest.approx(printed[1][1])
    assert abs(printed[1][2] - printed[1][0]) > 0.01


@pytest.mark.parametrize("seed", range(5))
def test_the_larger_product(seed: int) -> None:
    fields, found = ask(8, "larger", six_words(), seed)
    pairs = [re.findall(r"PE\((\d+)\)", fields[name]) for name in ("one", "other")]
    values = [product(int(p), int(q), fields["dim"]) for p, q in pairs]
    assert [found["one_value"], found["other_value"]] == pytest.approx(values, abs=1e-5)
    assert found["answer"] == (2 if np.isclose(values[0], values[1]) else int(values[1] > values[0]))


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_the_parameters_of_learned_positions(seed: int) -> None:
    fields, found = ask(8, "parameters", six_words(), seed)
    length, dim = (int(fields[name].replace(",", "")) for name in ("length", "dim"))
    assert found == {"answer": torch.nn.Embedding(length, dim).weight.numel(), "others": 0}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_hands_that_go_full_circle(seed: int) -> None:
    fields, found = ask(8, "full_turns", six_words(), seed)
    length = int(fields["length"].replace(",", ""))
    assert found["answer"] == sum(2 * pi * 10**power <= length for power in range(4))


def test_the_card_runs() -> None:
    assert run_card(8)["result"].shape == (4, 8)
