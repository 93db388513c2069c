"""The Compare page's replies, on tables of the list, against the library and the code that is shown."""

import numpy as np
import pytest
from tests.three_tables import three_tables

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.pages.compare import compare_page
from rowspace_lab.server.query import Query
from rowspace_lab.tables.small_world import small_world_sentences, swap_words
from rowspace_lab.tables.tables import Tables, first_lab
from rowspace_lab.tables.world import OPTIONS, SMALL_WORLD, world_choice

TOKENS, NEIGHBORS = "compare/tokens", "compare/neighbors"


@pytest.fixture(scope="module")
def english_lab():
    """The table that the workbench shows if it is started without one."""
    return first_lab()


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return three_tables(tmp_path_factory.mktemp("tables"))


def reply(tables, route, **parameters):
    query = Query({name: [str(value)] for name, value in parameters.items()})
    return compare_page(tables).routes[route](tables.opened, query)


def test_tokens_are_those_of_the_library(tables):
    found = reply(tables, TOKENS, other="recent-other", null="recent-refit", min_count=10)
    labs = [tables.lab(id).table for id in ("opened", "recent-other", "recent-refit")]
    expected = rs.compare(labs[0], labs[1], null=labs[2], min_count=10)
    assert found["tokens"] == expected.tokens
    assert found["tokens"][0] == "word7"
    np.testing.assert_array_equal(found["kept"], expected.cosines)
    np.testing.assert_array_equal(found["limits"], 1 - expected.limits)
    np.testing.assert_array_equal(found["at"], expected.counts)
    assert (found["x"], found["by"], found["aligned"], found["rare"]) == ("count", "cosine", False, 9)
    assert found["beyond"] == expected.facts["beyond"]
    assert (found["other"], found["null"], found["refits"]) == ("recent-other", ["recent-refit"], 0)
    refit = rs.compare(labs[0], labs[2], null=labs[1], min_count=10)
    kept = dict(zip(refit.tokens, refit.cosines, strict=True))
    np.testing.assert_array_equal(found["chance"], [[kept[token] for token in found["tokens"]]])
    by_neighbors = reply(tables, TOKENS, other="recent-other", by="neighbors")
    np.testing.assert_array_equal(by_neighbors["kept"], by_neighbors["overlaps"])
    assert np.isnan(by_neighbors["limits"]).all()


def test_a_word_has_its_neighbors_in_both_tables(tables):
    found = reply(tables, NEIGHBORS, other="recent-other", word="word9", min_count=0)
    expected = [token for token, _ in tables.opened.table.neighbors("word9", k=10)]
    assert (found["before"], found["word"]) == (expected, "word9")
    missing = reply(tables, NEIGHBORS, other="recent-other", word="nowhere")
    assert (missing["word"], missing["asked"]) == ("word7", "nowhere")


def test_the_code_computes_both_replies(check_code, english_lab):
    found = check_code(english_lab, TOKENS, other="small-world", by="neighbors").meta
    assert found["after"] == "Small world"
    check_code(english_lab, NEIGHBORS, other="small-world", word="king")


def test_another_table_is_chosen_at_first(ask, english_lab):
    meta = ask(english_lab, TOKENS).meta
    assert (meta["other"], meta["by"], meta["x"], meta["same_tokenizer"]) == (
        "everyday-words",
        "neighbors",
        "count",
        False,
    )


def test_table_without_a_word_of_the_open_one_is_not_chosen_at_first():
    contractions = ["don't", "can't", "won't", "didn't", "wouldn't", "couldn't"]  # not in Everyday words
    rows = np.random.default_rng(0).standard_normal((len(contractions), 100)).astype(np.float32)
    found = reply(Tables(Lab(rs.Table(contractions, rows), "contractions")), TOKENS, min_count=0)
    assert found["other"] == "english-words"
    states = Tables(Lab(rs.Table(["New York", "West Virginia"], rows[:2]), "states"))
    with pytest.raises(UsageError, match="shares a word with this table; choose another table"):
        reply(states, TOKENS)


def test_a_table_is_not_compared_with_itself(tables):
    with pytest.raises(UsageError, match="so nothing changed; give two tables that differ"):
        reply(tables, TOKENS, other="opened")
    with pytest.raises(UsageError, match="there is no table 'nowhere'"):
        reply(tables, TOKENS, other="nowhere")


def test_swapped_words_are_beyond_refits_that_the_page_makes(check_code):
    tables = Tables(SMALL_WORLD.open())
    swapped = tables.add(world_choice("\n".join(swap_words(small_world_sentences(), "cat", "king"))))
    found = reply(tables, TOKENS, other=swapped.id, by="neighbors", min_count=0, refits=2)
    assert (found["refits"], found["can_refit"], found["null"], len(found["chance"])) == (2, True, [], 2)
    assert set(found["tokens"][:2]) == {"cat", "king"}
    options = {"dim": 16, **OPTIONS}
    again = [rs.fit(iter(small_world_sentences()), **options, seed=seed) for seed in (2, 3)]
    expected = rs.compare(tables.opened.table, swapped.table, null=again, by="neighbors", min_count=0, sample=2000)
    assert found["tokens"] == expected.tokens
    np.testing.assert_array_equal(found["limits"], 1 - expected.limits)
    low, high = found["null_range"]
    assert low < found["null_median"] < high
    assert ((found["chance"] >= low) & (found["chance"] <= high)).mean() > 0.85


@pytest.mark.parametrize(
    ("refits", "null"),
    [
        pytest.param(2, (), marks=pytest.mark.long),
        (1, ("english-words",)),
        pytest.param(None, (), marks=pytest.mark.long),
    ],
)
def test_code_makes_the_null(check_code, refits, null):
    lab = SMALL_WORLD.open()
    asked = {name: value for name, value in (("refits", refits), ("null", list(null))) if value}
    found = check_code(lab, TOKENS, other="everyday-words", min_count=0, **asked)
    assert found.meta["refits"] == (3 if refits is None else refits)
    assert len(found.arrays["chance"]) == found.meta["refits"] + len(null)


def test_without_a_null_nothing_is_beyond_chance(tables):
    found = reply(tables, TOKENS, other="recent-other", refits=3)
    assert (found["refits"], found["can_refit"], found["null"]) == (0, False, [])
    assert (found["beyond"], found["null_range"], found["chance"].shape) == (None, None, (0, len(found["tokens"])))
