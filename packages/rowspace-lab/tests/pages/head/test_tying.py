"""Savings from tying, compared with the counts of published configs."""

import pytest

from rowspace.layers import CATALOGUE


@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("bfloat16", 2), ("float16", 2)])
def test_tied_head_saves_one_matrix(lab, check_code, dtype: str, size: int) -> None:
    reply = check_code(lab, "head/tying", dtype=dtype)
    numbers = lab.table.rows.size
    assert reply.arrays["own"].tolist() == [numbers, numbers * size]
    assert (reply.arrays["saved"] == reply.arrays["matrices"] * size).all()


def test_published_models_with_a_head_are_listed(lab, check_code) -> None:
    reply = check_code(lab, "head/tying")
    models = dict(
        zip(reply.meta["models"], zip(reply.meta["tied"], reply.arrays["matrices"], strict=True), strict=True)
    )
    assert models["gpt2"] == (True, 50257 * 768)
    assert models["Meta-Llama-3-8B"] == (False, 128256 * 4096)
    assert models["albert-base-v2"] == (True, 30000 * 128)
    assert not any("/vision" in name or "vit-" in name or "clip" in name for name in models)
    assert reply.arrays["parameters"].tolist() == [CATALOGUE[name].parameters for name in models]


def test_tying_four_words_saves_twelve_numbers(lab, check_code) -> None:
    assert check_code(lab, "head/tying", source="example").arrays["own"].tolist() == [12, 48]
