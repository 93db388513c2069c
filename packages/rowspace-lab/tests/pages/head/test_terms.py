"""Terms of a logit, the size of one matrix or two, and the default temperature, computed again with NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply

Ask = Callable[..., Reply]
FOUR = (["the", "cat", "sat", "on"], [[0.5, 0.3, -0.1], [0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [-0.3, 0.5, 0.6]])


def test_terms_of_the_example_can_be_computed_by_hand(lab: Lab, check_code: Ask) -> None:
    reply = check_code(lab, "head/terms", source="example", id=1, temperature=1)
    assert reply.meta["token"] == "cat"
    assert reply.arrays["order"].tolist() == [0, 2, 1]
    np.testing.assert_allclose(reply.arrays["terms"], [0.48, 0.12, -0.02], atol=1e-7)
    np.testing.assert_allclose(reply.arrays["running"], [0.48, 0.60, 0.58], atol=1e-7)
    assert reply.meta["logit"] == pytest.approx(0.58)


def test_terms_add_up_to_the_logit_of_the_list(lab: Lab, ask: Ask, check_code: Ask) -> None:
    settings: dict[str, Any] = {"word": "sin", "softcap": 5, "temperature": 0.5}
    listed = ask(lab, "head/logits", **settings)
    for place, id in enumerate(listed.arrays["ids"][:3].tolist()):
        reply = check_code(lab, "head/terms", id=id, **settings)
        expected = lab.table["sin"].astype(float) * lab.table.rows[id]
        np.testing.assert_allclose(np.sort(reply.arrays["terms"]), np.sort(expected), rtol=1e-6)
        assert (np.diff(np.abs(reply.arrays["terms"])) <= 0).all()
        assert reply.meta["product"] == pytest.approx(listed.arrays["products"][place], rel=1e-5)
        assert reply.meta["logit"] == pytest.approx(listed.arrays["logits"][place], rel=1e-5)


def test_row_that_does_not_exist_is_refused(lab: Lab, ask: Ask) -> None:
    with pytest.raises(UsageError, match="id must be a whole number from 0 to"):
        ask(lab, "head/terms", id=len(lab.table))


def test_default_temperature_makes_one_row_win(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "head/logits", word="sin")
    products = lab.table.rows.astype(float) @ lab.table["sin"].astype(float)
    assert special.softmax(products / reply.meta["temperature"]).max() >= 0.5
    steps = [10, 5, 3, 2, 1.5, 1, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01]
    flatter = steps[steps.index(reply.meta["temperature"]) - 1]
    assert special.softmax(products / flatter).max() < 0.5
    np.testing.assert_allclose(
        reply.arrays["probabilities"][0], special.softmax(products / reply.meta["temperature"]).max(), rtol=1e-4
    )


def test_few_rows_and_equal_rows_keep_temperature_1(small_lab: Callable[..., Lab], ask: Ask) -> None:
    few = ask(small_lab(FOUR[0], np.float32(FOUR[1])), "head/logits")
    assert few.meta["temperature"] == 1
    equal = ask(small_lab([f"w{number}" for number in range(20)], np.ones((20, 3), np.float32)), "head/logits")
    assert equal.meta["temperature"] == 1


def test_entropy_of_the_example_is_nearly_the_largest(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "head/logits", source="example")
    assert f"{reply.meta['entropy'] / np.log2(4):.1%}" == "98.7%"


def test_untied_head_has_a_second_matrix(lab: Lab, check_code: Ask) -> None:
    numbers = lab.table.rows.size
    tied, untied = (check_code(lab, "head/matrices", head=head).meta for head in ("tied", "untied"))
    assert (tied["table"], tied["head_matrix"], tied["bias"], tied["total"]) == (numbers, 0, 0, numbers)
    assert (untied["head_matrix"], untied["total"], untied["trained"]) == (numbers, 2 * numbers, False)
    assert check_code(lab, "head/matrices", source="example", head="untied").meta["total"] == 24
