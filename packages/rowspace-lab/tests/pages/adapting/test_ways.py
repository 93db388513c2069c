"""The Adapting page: four ways to teach a new word to a model with pretrained rows."""

import pytest

from rowspace.errors import UsageError

NAMES = ["free", "frozen", "lora", "new"]


@pytest.mark.long
def test_only_what_may_learn_moves(lab, check_code) -> None:
    reply = check_code(lab, "adapting/ways", sentences=8, rank=3)
    free, frozen, lora, new = reply.meta["ways"]
    assert [way["name"] for way in reply.meta["ways"]] == NAMES
    assert [way["learned"] for way in (free, frozen, lora, new)] == [109 * 16, 0, 3 * (109 + 16), 16]
    assert [way["moved_old"] > 0 for way in (free, frozen, lora, new)] == [True, False, True, False]
    assert [way["moved_new"] > 0 for way in (free, frozen, lora, new)] == [True, False, True, True]


@pytest.mark.long
def test_losses_fall_where_something_learns(lab, ask) -> None:
    reply = ask(lab, "adapting/ways", sentences=8)
    free, frozen, lora, new = reply.meta["ways"]
    assert frozen["old"] == reply.meta["before"]
    assert max(free["trained"], lora["trained"], new["trained"]) < frozen["trained"] / 2
    assert max(free["held_out"], lora["held_out"], new["held_out"]) < frozen["held_out"] / 2
    assert max(free["spread"], frozen["spread"]) > 0


@pytest.mark.long
def test_more_sentences_give_a_lower_loss_on_held_out_ones(lab, ask) -> None:
    few, many = (ask(lab, "adapting/ways", sentences=number) for number in (2, 12))
    assert few.meta["ways"][0]["held_out"] > 2 * many.meta["ways"][0]["held_out"]


@pytest.mark.parametrize(("name", "value"), [("sentences", 0), ("sentences", 13), ("rank", 0), ("rank", 9)])
def test_numbers_out_of_range_are_refused(lab, ask, name: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"{name} must be a whole number from 1 to"):
        ask(lab, "adapting/ways", **{name: value})
