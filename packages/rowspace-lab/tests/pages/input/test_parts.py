import numpy as np
import pytest
import torch

from rowspace import layers
from rowspace.errors import UnknownTokenError, UsageError
from rowspace.layers import recipes
from rowspace_lab.pages.input.parts import RECIPES
from rowspace_lab.server.reply import Reply

TEXT = "read the list, write the list"


def contribution(reply: Reply, part: str) -> np.ndarray:
    return reply.arrays["contributions"][reply.meta["parts"].index(part)]


@pytest.mark.parametrize("recipe", RECIPES)
def test_each_recipe_equals_the_result_of_its_code(lab, check_code, recipe: str) -> None:
    reply = check_code(lab, "input/parts", text=TEXT, recipe=recipe, start=3, second=2)
    np.testing.assert_array_equal(reply.arrays["total"], np.add.reduce(reply.arrays["contributions"]))
    np.testing.assert_array_equal(reply.arrays["rows"], lab.table[TEXT.replace(",", "").split()])


def test_all_text_recipes_are_listed() -> None:
    images = {"clip_vision", "deit", "dinov2", "siglip_vision", "vit"}
    others = {
        "RECIPES",
        "PerLayerInput",
        "head_types",
        *(name for name in recipes.__all__ if name.endswith(("_checkpoint", "_config"))),
    }
    assert set(recipes.__all__) - others - images == set(RECIPES)


@pytest.mark.parametrize(
    ("recipe", "parts"),
    [
        ("bert", ["tokens", "segments", "positions"]),
        ("gpt2", ["tokens", "positions"]),
        ("llama", ["tokens"]),
        ("bloom", ["tokens"]),
    ],
)
def test_only_the_parts_of_the_recipe_are_added(lab, ask, recipe: str, parts: list[str]) -> None:
    reply = ask(lab, "input/parts", text=TEXT, recipe=recipe)
    assert reply.meta["parts"] == parts
    assert ("output" in reply.arrays) == (recipe in ("bert", "bloom"))


def test_original_transformer_scales_rows_and_adds_sinusoids(lab, ask) -> None:
    reply = ask(lab, "input/parts", text=TEXT, recipe="transformer", start=7)
    np.testing.assert_allclose(contribution(reply, "tokens"), reply.arrays["rows"] * 20**0.5, rtol=1e-6)
    sinusoids = layers.SinusoidPosition(20)(torch.zeros(1, 6), start=7)
    np.testing.assert_array_equal(contribution(reply, "positions"), sinusoids.numpy())
    assert reply.meta["steps"][0] == "the token's row × √d = 4.47"


def test_disabled_part_is_not_in_the_sum(lab, check_code) -> None:
    reply = check_code(lab, "input/parts", text=TEXT, recipe="bert", positions="false")
    assert reply.meta["on"] == ["tokens", "segments"]
    np.testing.assert_array_equal(
        reply.arrays["total"], contribution(reply, "tokens") + contribution(reply, "segments")
    )
    off = dict.fromkeys(("tokens", "segments", "positions"), "false")
    with pytest.raises(UsageError, match="all parts are off; switch on at least one of tokens, segments, positions"):
        check_code(lab, "input/parts", text=TEXT, recipe="bert", **off)


def test_steps_after_the_sum_can_be_switched(lab, check_code) -> None:
    normed = check_code(lab, "input/parts", text=TEXT, recipe="bert", dropout="true", seed=5)
    before, after = normed.arrays["output"], normed.arrays["dropped"]
    assert normed.meta["dropout"] == 0.1
    kept = after != 0
    np.testing.assert_allclose(after[kept], before[kept] / 0.9, rtol=1e-6)
    assert 0.8 < kept.mean() < 1
    other = check_code(lab, "input/parts", text=TEXT, recipe="bert", dropout="true", seed=6)
    assert ((other.arrays["dropped"] != 0) != kept).any()
    plain = check_code(lab, "input/parts", text=TEXT, recipe="bert", norm="false", dropout="true", seed=5)
    assert "output" not in plain.arrays
    np.testing.assert_array_equal(plain.arrays["dropped"] != 0, kept)
    np.testing.assert_allclose(plain.arrays["dropped"], np.where(kept, plain.arrays["total"] / 0.9, 0), rtol=1e-6)


def test_recipe_without_dropout_drops_nothing(lab, ask) -> None:
    reply = ask(lab, "input/parts", text=TEXT, recipe="llama", dropout="true")
    assert (reply.meta["has_norm"], reply.meta["dropout"]) == (False, 0)
    assert "dropped" not in reply.arrays


def test_tokens_from_second_belong_to_the_second_segment(lab, ask) -> None:
    segments = contribution(ask(lab, "input/parts", text=TEXT, recipe="bert", second=2), "segments")
    assert (segments[:2] == segments[0]).all()
    assert (segments[2:] == segments[2]).all()
    assert (segments[0] != segments[2]).any()


def test_position_offset_is_limited_by_the_table(lab, ask) -> None:
    at_0 = contribution(ask(lab, "input/parts", text=TEXT, recipe="roberta"), "positions")
    at_2 = contribution(ask(lab, "input/parts", text=TEXT, recipe="roberta", start=2), "positions")
    np.testing.assert_array_equal(at_0[2:], at_2[:-2])
    with pytest.raises(UsageError, match="longer than the 64 positions"):
        ask(lab, "input/parts", text=TEXT, recipe="siglip_text", start=59)


@pytest.mark.parametrize(
    ("recipe", "step"),
    [
        ("gemma", "rounded as the rows are"),
        ("roberta", "of which the first 2 are for padding"),
        ("albert", "a learned projection to 768 dimensions, not shown here"),
        ("t5", "no position embedding: attention adds a learned bias for the distance"),
        ("mpt", "no position embedding: attention subtracts a penalty for the distance"),
    ],
)
def test_steps_describe_the_recipe(lab, ask, recipe: str, step: str) -> None:
    assert step in "; ".join(ask(lab, "input/parts", text=TEXT, recipe=recipe).meta["steps"])


def test_row_of_one_dimension(small_lab, check_code) -> None:
    lab = small_lab(["a"], np.array([[np.nan]]))
    assert check_code(lab, "input/parts").arrays["total"].shape == (2, 1)  # the text is "a a"
    with pytest.raises(UnknownTokenError, match="no token of this text has a row"):
        check_code(lab, "input/parts", text="b")


@pytest.mark.parametrize("route", ["input/parts", "input/concatenation", "input/scale", "pipeline/matrix"])
def test_rows_too_wide_for_tables_of_positions_are_refused(small_lab, ask, route: str) -> None:
    lab = small_lab(["a"], np.ones((1, 10_000), np.float32))
    with pytest.raises(UsageError, match="rows of 10,000 numbers are too wide to add positions to; the limit is 8,192"):
        ask(lab, route)


def test_last_position_is_that_of_the_longest_table(lab, ask) -> None:
    text = "list " * 64
    assert contribution(ask(lab, "input/parts", text=text, recipe="opt", start=1984), "positions").shape == (64, 20)
    with pytest.raises(UsageError, match="start must be a whole number from 0 to 1,984"):
        ask(lab, "input/parts", text=text, recipe="opt", start=1985)
