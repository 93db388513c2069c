"""3CosAdd and 3CosMul, compared with gensim's most_similar and most_similar_cosmul."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from rowspace.errors import UsageError
from rowspace.space import cos_add, cos_mul

WORDS = [f"w{n}" for n in range(400)]
ROWS = np.random.default_rng(0).standard_normal((400, 12)).astype(np.float32)
QUESTIONS = np.array([[3, 50, 7], [0, 1, 2], [9, 9, 399]])


@pytest.fixture(scope="module")
def peer():
    vectors = KeyedVectors(12)
    vectors.add_vectors(WORDS, ROWS)
    return vectors


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cos_add_equals_gensim(peer, dtype):
    for (a, b, c), ids, scores in zip(QUESTIONS, *cos_add(ROWS.astype(dtype), QUESTIONS, 6), strict=True):
        expected = peer.most_similar(positive=[WORDS[b], WORDS[c]], negative=[WORDS[a]], topn=6)
        assert [WORDS[row] for row in ids] == [word for word, _ in expected]
        np.testing.assert_allclose(scores, [score for _, score in expected], atol=1e-6)


@pytest.mark.filterwarnings("ignore:Call to deprecated `init_sims`:DeprecationWarning")  # gensim calls it itself
def test_cos_mul_equals_gensim_with_its_epsilon(peer):
    for (a, b, c), ids, scores in zip(QUESTIONS, *cos_mul(ROWS, QUESTIONS, 6, epsilon=1e-6), strict=True):
        expected = peer.most_similar_cosmul(positive=[WORDS[b], WORDS[c]], negative=[WORDS[a]], topn=6)
        assert [WORDS[row] for row in ids] == [word for word, _ in expected]
        np.testing.assert_allclose(scores, [score for _, score in expected], rtol=2e-6)


@pytest.mark.parametrize("solve", [cos_add, cos_mul])
def test_inputs_are_excluded_unless_keep_inputs(solve):
    question = np.array([[5, 5, 8]])  # a is to a as c is to c
    assert solve(ROWS, question, 1, keep_inputs=True)[0].tolist() == [[8]]
    assert not {5, 8} & set(solve(ROWS, question, 50)[0][0].tolist())


@pytest.mark.parametrize("solve", [cos_add, cos_mul])
def test_non_finite_rows_are_excluded_and_missing_answers_are_minus_one(solve):
    rows = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [np.nan, 1.0], [0.0, 0.0]])
    ids, scores = solve(rows, np.array([[0, 1, 2]]), 9)
    assert ids.tolist() == [[4, -1, -1, -1, -1]]
    assert np.isnan(scores[0, 1:]).all()


def test_ties_are_ordered_by_id():
    rows = np.tile(ROWS[:3], (30, 1))
    assert cos_mul(rows, np.array([[0, 1, 1]]), 9)[0].tolist() == [list(range(4, 31, 3))]


@pytest.mark.parametrize("solve", [cos_add, cos_mul])
@pytest.mark.parametrize("questions", [[[0, 1]], [0, 1, 2], [[0, 1, 400]], [[0, -1, 2]], [[0.0, 1.0, 2.0]]])
def test_questions_that_are_not_three_valid_ids_are_refused(solve, questions):
    with pytest.raises(UsageError, match="questions must"):
        solve(ROWS, np.array(questions), 1)


def test_cos_mul_epsilon_defaults_to_the_papers_value():
    """Levy & Goldberg (2014) use 0.001, gensim 1e-6; scores differ when the divisor is close to zero."""
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [-1.0, 0.01]])
    cosines = (rows / np.linalg.norm(rows, axis=1, keepdims=True)) @ rows[:3].T
    a, b, c = ((1 + cosines) / 2).T
    for options, epsilon in (({}, 0.001), ({"epsilon": 1e-6}, 1e-6)):
        ids, scores = cos_mul(rows, np.array([[0, 1, 2]]), **options)
        assert ids.tolist() == [[3]]
        np.testing.assert_allclose(scores, [[b[3] * c[3] / (a[3] + epsilon)]], rtol=1e-5)
