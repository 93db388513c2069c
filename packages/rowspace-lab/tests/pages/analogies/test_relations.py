"""Offsets, cosines and angles equal those of scikit-learn; the plane preserves them; unusual tables work."""

import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from rowspace.errors import UsageError

ROUTE = "analogies/relations"
PLURAL = [("key", "keys"), ("value", "values"), ("row", "rows")]
AGENT = [("read", "reader"), ("write", "writer"), ("encode", "encoder")]


def text(pairs) -> str:
    return ", ".join(" ".join(pair) for pair in pairs)


def offsets(lab, pairs) -> np.ndarray:
    return np.array([np.float64(lab.table[b]) - np.float64(lab.table[a]) for a, b in pairs])


def test_cosines_and_means_equal_those_of_scikit_learn(lab, check_code) -> None:
    reply = check_code(lab, ROUTE, pairs=text(PLURAL), other=text(AGENT))
    both = np.concatenate([offsets(lab, PLURAL), offsets(lab, AGENT)])
    expected = cosine_similarity(both)
    np.testing.assert_allclose(reply.arrays["matrix"], expected, atol=1e-9)
    assert reply.meta["mean"] == pytest.approx((expected[0, 1] + expected[0, 2] + expected[1, 2]) / 3)
    assert reply.meta["mean_other"] == pytest.approx((expected[3, 4] + expected[3, 5] + expected[4, 5]) / 3)
    shuffled = cosine_similarity(offsets(lab, [("key", "values"), ("value", "rows"), ("row", "keys")]))
    assert reply.meta["control"] == pytest.approx((shuffled[0, 1] + shuffled[0, 2] + shuffled[1, 2]) / 3)
    assert reply.meta["cosine"] == pytest.approx(cosine_similarity([both[:3].mean(0)], [both[3:].mean(0)])[0, 0])
    assert np.cos(np.radians(reply.meta["degrees"])) == pytest.approx(reply.meta["cosine"])


def test_plane_through_the_origin_equals_that_of_scikit_learn(lab, check_code) -> None:
    reply = check_code(lab, ROUTE, pairs=text(PLURAL), other=text(AGENT))
    both = np.concatenate([offsets(lab, PLURAL), offsets(lab, AGENT)])
    expected = TruncatedSVD(2, algorithm="arpack").fit_transform(both)
    np.testing.assert_allclose(np.abs(reply.arrays["points"]), np.abs(expected), atol=1e-8)
    assert reply.arrays["share"].sum() == pytest.approx((expected**2).sum() / (both**2).sum())


def test_angle_leaves_out_pairs_that_share_a_word_with_the_other_relation(lab, check_code) -> None:
    pairs = [*AGENT, ("decode", "decoder")]
    other = [("encode", "encoded"), ("load", "loaded")]
    reply = check_code(lab, ROUTE, pairs=text(pairs), other=text(other))
    assert reply.meta["compared"] == [3, 2]
    apart = offsets(lab, [pair for pair in pairs if pair[0] != "encode"]).mean(0)
    expected = cosine_similarity([apart], [offsets(lab, other).mean(0)])[0, 0]
    assert reply.meta["cosine"] == pytest.approx(expected)


def test_exact_relation_has_cosine_one_and_a_right_angle_to_another(small_lab, check_code) -> None:
    words = ["man", "woman", "king", "queen", "boy", "girl", "prince", "princess", "father", "mother"]
    rows = np.array([[at // 4, at // 2 % 2, at % 2, 1] if at < 8 else [5, 0, at % 2, 1] for at in range(10)])
    reply = check_code(small_lab(words, np.float64(rows)), ROUTE)
    assert [each["name"] for each in reply.meta["offered"]] == ["gender", "royalty"]
    assert reply.meta["mean"] == pytest.approx(1)
    assert reply.meta["degrees"] == pytest.approx(90)
    assert reply.meta["compared"] == [1, 4]  # only father : mother shares no word with royalty


def test_missing_pairs_are_counted(lab, check_code, ask) -> None:
    reply = check_code(lab, ROUTE, pairs="key keys, nosuch nosuchs, row rows", other="")
    assert reply.meta["pairs"] == [["key", "keys"], ["row", "rows"]]
    assert reply.meta["missing"] == 1
    with pytest.raises(UsageError, match="none of the pairs 'nosuch nosuchs'"):
        ask(lab, ROUTE, pairs="nosuch nosuchs")


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_small_tables_get_pairs_of_their_words(small_lab, check_code, size: int) -> None:
    words = [f"w{number}" for number in range(size)]
    lab = small_lab(words, np.random.default_rng(0).normal(size=(size, 1)))
    reply = check_code(lab, ROUTE)
    assert {word for pair in reply.meta["pairs"] for word in pair} <= set(words)
    assert reply.arrays["points"].shape == (len(reply.meta["pairs"]), 2)


def test_map_of_words_stays_while_words_are_added(lab, check_code) -> None:
    before = check_code(lab, "analogies/words")
    after = check_code(lab, "analogies/words", word=["zipfile", "read"])
    assert after.meta["words"] == [*before.meta["words"], "zipfile"]
    np.testing.assert_array_equal(after.arrays["positions"][:-1], before.arrays["positions"])


def test_map_of_words_equals_the_components_of_their_directions(lab, check_code) -> None:
    reply = check_code(lab, "analogies/words", word="zipfile")
    directions = normalize(np.float64(lab.table[reply.meta["words"]]))
    expected = PCA(2).fit(directions[:-1]).transform(directions)  # the added word does not move the map
    np.testing.assert_allclose(np.abs(reply.arrays["positions"]), np.abs(expected), atol=1e-6)


def test_too_many_pairs_are_refused(lab, ask) -> None:
    pairs = [("key", f"nosuch{number}") for number in range(24)]
    assert ask(lab, ROUTE, pairs=text(PLURAL), other=text(pairs)).meta["missing"] == 24
    for name in ("pairs", "other"):
        with pytest.raises(UsageError, match=f"{name} must have at most 24 pairs, not 25"):
            ask(lab, ROUTE, **{name: text([*pairs, ("key", "keys")])})
