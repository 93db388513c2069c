"""Claims about rows and words, compared with scikit-learn, SciPy, gensim and plain NumPy."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from scipy.stats import kurtosis, ortho_group
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
from sklearn.neighbors import NearestNeighbors
from tokenizers import Tokenizer

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace.text import TokenizerOptions, train_tokenizer
from rowspace_lab.lessons.computed.claims import claim_function
from rowspace_lab.lessons.computed.claims.words import ANTONYMS, GENDER
from rowspace_lab.tables.small_world import small_world_sentences


def pairs_of(table: Table, text: str) -> list[tuple[str, str]]:
    pairs = [tuple(pair.split()) for pair in text.split(",")]
    return [(a, b) for a, b in pairs if a in table and b in table]


def test_coordinates_are_like_other_directions_after_training_on_dot_products(measure, world, assert_close) -> None:
    found = measure("coordinates", world)
    columns = kurtosis(world.rows.astype(np.float64), fisher=False)
    assert_close(found["axes"], np.median(columns))
    assert found["peaked"] == np.mean(columns > found["directions"])
    rows, turn = world.rows.astype(np.float64), ortho_group.rvs(world.dim, random_state=3)
    near = [NearestNeighbors(metric="cosine").fit(each).kneighbors(n_neighbors=10)[1] for each in (rows, rows @ turn)]
    assert found["kept"] == np.mean([len({*one} & {*other}) / 10 for one, other in zip(*near, strict=True)]) == 1
    assert found["verdict"] == "false"


def test_columns_that_stand_out_are_noticed(measure, peaked) -> None:
    found = measure("coordinates", peaked)
    assert found["verdict"] == "it depends"
    assert found["peaked"] == 1


def test_ids_say_nothing_after_a_shuffle(measure, world) -> None:
    found = measure("ids_as_numbers", world)
    near = NearestNeighbors(metric="cosine").fit(world.rows).kneighbors(n_neighbors=10)[1]
    assert found["sorted"] == pytest.approx(np.mean([id + 1 in near[id] for id in range(len(world) - 1)]))
    new = np.random.default_rng(0).permutation(len(world))
    old = np.arange(len(world))
    before, after = (np.abs(np.subtract.outer(ids, ids)) for ids in (old, new))
    assert found["by_id"] == pytest.approx((before != after)[np.triu_indices(len(world), 1)].mean())
    word_of = {int(id): word for word, id in enumerate(new)}
    steps = [word_of[id + 1] in near[word_of[id]] for id in range(len(world) - 1)]
    assert found["shuffled"] == pytest.approx(np.mean(steps))
    assert (found["by_row"], found["verdict"]) == (0, "false")


def test_dot_product_prefers_long_rows(measure, world) -> None:
    found = measure("large_dot", world)
    dots, cosines = world.rows @ world.rows.T, cosine_similarity(world.rows)
    for scores in (dots, cosines):
        np.fill_diagonal(scores, -np.inf)
    assert found["shared"] == np.mean(dots.argmax(1) == cosines.argmax(1))
    unit = Table(list(world), (world.rows / world.norms[:, np.newaxis]).astype(np.float32))
    assert measure("large_dot", unit)["verdict"] == "true"
    assert found["verdict"] == "it depends"


def test_antonyms_are_near(measure, world, assert_close) -> None:
    found = measure("antonyms", world)
    pairs = pairs_of(world, ANTONYMS)
    assert ("man", "woman") in pairs
    cosines = cosine_similarity(world.rows.astype(np.float64))
    own = [cosines[world.id(a), world.id(b)] for a, b in pairs]
    assert found["pairs"] == len(pairs)
    assert_close(found["mean"], np.mean(own))
    both = [*pairs, *((b, a) for a, b in pairs)]
    nearer = [
        np.mean(np.delete(cosines[world.id(a)], world.id(a)) < cosines[world.id(a), world.id(b)]) for a, b in both
    ]
    assert_close(found["share"], np.median(nearer))
    assert found["verdict"] == "false"


def test_queen_is_compared_with_gensim(measure, world) -> None:
    found = measure("queen", world)
    vectors = KeyedVectors(world.dim)
    vectors.add_vectors(list(world), world.rows)
    pairs = pairs_of(world, GENDER)
    combinations = [(a, b, c, d) for a, b in pairs for c, d in pairs if (a, b) != (c, d)]
    unit = world.rows / np.linalg.norm(world.rows, axis=1, keepdims=True)
    kept = []
    for a, b, c, d in combinations:
        scores = unit @ (unit[world.id(b)] - unit[world.id(a)] + unit[world.id(c)])
        kept.append(world.vocabulary[scores.argmax()] == d)
    left_out = [vectors.most_similar(positive=[b, c], negative=[a], topn=1)[0][0] == d for a, b, c, d in combinations]
    assert found["questions"] == len(combinations)
    assert found["kept"] == pytest.approx(np.mean(kept))
    assert found["left_out"] == pytest.approx(np.mean(left_out))
    assert kept[combinations.index(("man", "woman", "king", "queen"))] == found["correct"]
    assert found["verdict"] == "true"


def test_words_are_not_the_tokens_of_a_tokenizer(measure) -> None:
    found = measure("word2vec_tokens")
    words = {word for sentence in small_world_sentences() for word in sentence.split()}
    options = TokenizerOptions("bpe", vocabulary_size=500)
    vocabulary = Tokenizer.from_str(train_tokenizer(small_world_sentences(), options)).get_vocab()
    assert found["whole"] == pytest.approx(np.mean([f"Ġ{word}" in vocabulary for word in words]))
    assert (found["words"], found["tokens"], found["verdict"]) == (len(words), len(vocabulary), "false")
    assert (found["new"], found["unknown"], found["written"]) == (4, 4, 4)


def test_unused_rows_are_neighbors_of_used_ones(measure, world) -> None:
    found = measure("unused_rows", world)
    drawn = np.random.default_rng(0)
    unused = drawn.uniform(-0.5, 0.5, world.rows.shape) / world.dim
    rows = np.concatenate([world.rows, unused.astype(np.float32)]).astype(np.float64)
    combinations = np.sort(drawn.permutation(len(world))[:300])
    near = NearestNeighbors(metric="cosine").fit(rows).kneighbors(n_neighbors=10)[1][combinations]
    assert found["taken"] == pytest.approx((near >= len(world)).mean())
    assert found["mebibytes"] == len(world) * world.dim * 4 / 1024**2
    assert found["verdict"] == "false"


@pytest.mark.parametrize("name", ["coordinates", "ids_as_numbers", "large_dot", "antonyms", "queen", "unused_rows"])
def test_table_that_cannot_test_a_claim_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        claim_function(name)(Table(["a", "b"], np.eye(2, 3, dtype=np.float32)))


def test_distances_of_rows_equal_those_of_scikit_learn(world, assert_close) -> None:
    module = claim_function("ids_as_numbers").func.__globals__
    rows = world.rows.astype(np.float64)
    np.testing.assert_allclose(module["row_distances"](rows), euclidean_distances(rows), atol=1e-6)
