"""Queries on the same vectors must answer what gensim's `KeyedVectors` answers."""

import gensim.models
import numpy as np
import pytest
from numpy.testing import assert_allclose

from rowspace.compat.gensim.models import KeyedVectors
from rowspace.errors import RowspaceError
from rowspace.table import Table

# gensim itself calls what it has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")

WORDS = [f"word{number}" for number in range(40)] + ["Word3", "WORD5"]


@pytest.fixture(scope="module")
def both():
    rows = np.random.default_rng(5).normal(size=(len(WORDS), 7)).astype(np.float32)
    ours, theirs = KeyedVectors(7), gensim.models.KeyedVectors(7)
    for vectors in (ours, theirs):
        vectors.add_vectors(WORDS, rows)
        for number, word in enumerate(WORDS):
            vectors.set_vecattr(word, "count", 100 - number)
    return ours, theirs


CALLS = {
    "a word": lambda v: v.most_similar("word1"),
    "words": lambda v: v.most_similar(["word1", "word2"], ["word3"], topn=4),
    "an analogy": lambda v: v.most_similar(positive=["word1", "word2"], negative=["word3"], topn=1),
    "weights": lambda v: v.most_similar([("word1", 0.5), "word9"], [("word3", 0.7)], topn=5),
    "a vector": lambda v: v.most_similar([v["word1"] * 3], topn=3),
    "a vector and words": lambda v: v.most_similar(["word2", v["word1"]], negative=v["word5"]),
    "a range of rows": lambda v: v.most_similar("word1", clip_start=7, clip_end=20, topn=50),
    "the first rows": lambda v: v.most_similar("word30", restrict_vocab=9),
    "an index": lambda v: v.most_similar(positive=[4]),
    "no answers": lambda v: v.most_similar("word1", topn=0),
    "by word": lambda v: v.similar_by_word("word1", topn=3),
    "by vector": lambda v: v.similar_by_vector(v["word1"], topn=3),
    "cosmul": lambda v: v.most_similar_cosmul(["word1", "word2"], ["word3"]),
    "cosmul of a vector": lambda v: v.most_similar_cosmul(v.get_vector("word2", norm=True), topn=3),
    "centrality": lambda v: [(word, score) for score, word in v.rank_by_centrality(WORDS[:9])],
}


@pytest.mark.parametrize("name", CALLS)
def test_rankings_equal_gensims(both, name):
    ours, theirs = map(CALLS[name], both)
    assert [key for key, _ in ours] == [key for key, _ in theirs]
    assert_allclose([score for _, score in ours], [score for _, score in theirs], atol=2e-6)


NUMBERS = {
    "all cosines": lambda v: v.most_similar("word1", topn=None),
    "all products": lambda v: v.most_similar_cosmul("word1", topn=None),
    "similarity": lambda v: v.similarity("word1", "word2"),
    "distance": lambda v: v.distance("word1", "word2"),
    "distances": lambda v: v.distances("word1"),
    "distances of a vector": lambda v: v.distances(v["word2"], ["word4", "word1"]),
    "sets": lambda v: v.n_similarity(["word1", "word2", "unknown"], ["word3"]),
    "unknown set": lambda v: v.n_similarity(["unknown"], ["word3"]),
    "mean": lambda v: v.get_mean_vector(WORDS[:5], weights=[1, 2, 3, -1, 2]),
    "mean of vectors": lambda v: v.get_mean_vector(["word1", v["word2"]], pre_normalize=False, post_normalize=True),
    "relative": lambda v: v.relative_cosine_similarity("word1", "word2"),
    "rank": lambda v: v.rank("word1", "word2"),
    "unit vectors": lambda v: v.get_normed_vectors(),
    "lists": lambda v: v[["word1", "word2"]],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_equal_gensims(both, name):
    ours, theirs = map(NUMBERS[name], both)
    assert_allclose(ours, theirs, atol=2e-6)


def test_choices_equal_gensims(both):
    for words in (["word1", "word2", "word3"], ["word7", "unknown", "word9"], ["word1"]):
        first, second = (vectors.doesnt_match(words) for vectors in both)
        assert first == second
    ours, theirs = both
    assert ours.closer_than("word1", "word2") == theirs.closer_than("word1", "word2")
    assert ours.most_similar_to_given("word1", WORDS[5:9]) == theirs.most_similar_to_given("word1", WORDS[5:9])


def test_evaluations_equal_gensims(both, tmp_path):
    generator = np.random.default_rng(8)
    lines = [": first"]
    for number in range(300):
        words = generator.choice([*WORDS, "unknown"], 4, p=[*[0.98 / len(WORDS)] * len(WORDS), 0.02])
        lines += [": second"] * (number == 100) + [" ".join(words)]
    questions, pairs = tmp_path / "questions.txt", tmp_path / "pairs.csv"
    questions.write_text("\n".join(lines))
    for dummy in (False, True):
        ours, theirs = (vectors.evaluate_word_analogies(questions, dummy4unknown=dummy) for vectors in both)
        assert ours == theirs
    pairs.write_text("".join(f"{a},{b},{generator.random()}\n" for a, b in generator.choice(WORDS, (90, 2))))
    ours, theirs = (vectors.evaluate_word_pairs(pairs, delimiter=",") for vectors in both)
    assert_allclose(ours[0], theirs[0])
    assert_allclose(ours[1], theirs[1])
    assert ours[2] == theirs[2]
    assert ours[0].statistic == ours[0][0]


def test_pairs_that_cannot_be_used_are_named_by_path_and_line(both, tmp_path):
    path = tmp_path / "pairs.csv"
    for text, message in (
        ("", " has no word pairs"),
        ("x,y,1\nword1,y,2\n", ", 0 are in the vocabulary"),
        ("word1,word2,1\nword1 word2\n", ", line 2: expected word, word, number, got 'word1"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=f"{path}{message}") as caught:
            both[0].evaluate_word_pairs(path, delimiter=",")
        assert isinstance(caught.value, RowspaceError), text
    path.write_bytes(b"na\xefve,word2,1\nword1,word2,1\nword3,word2,2")
    with pytest.raises(UnicodeDecodeError, match=str(path)):
        both[0].evaluate_word_pairs(path, delimiter=",")
    assert both[0].evaluate_word_pairs(path, delimiter=",", encoding="latin-1")[2] == pytest.approx(100 / 3)


def test_analogies_by_products_equal_gensims_queries(both, tmp_path):
    # gensim's evaluation ignores `similarity_function`, so the answers come from its queries.
    ours, theirs = both
    asked = np.random.default_rng(9).choice(WORDS[:20], (200, 4)).tolist()
    path = tmp_path / "questions.txt"
    path.write_text(": all\n" + "".join(" ".join(words) + "\n" for words in asked))
    _, (section, _) = ours.evaluate_word_analogies(
        path, case_insensitive=False, similarity_function="most_similar_cosmul"
    )
    answers = [theirs.most_similar_cosmul([b, c], [a], topn=1)[0][0] for a, b, c, _ in asked]
    right = [tuple(words) for words, answer in zip(asked, answers, strict=True) if words[3] == answer]
    assert section["correct"] == right


def test_all_methods_of_gensim_exist(both):
    ours, theirs = both
    missing = {name for name in dir(theirs) if not name.startswith("_") and callable(getattr(type(theirs), name, None))}
    missing -= set(dir(ours))
    assert missing == {"similarity_unseen_docs"}  # which refuses a call on vectors of words


def test_a_table_becomes_vectors_and_back():
    table = Table(["cat", "dog"], np.eye(2, dtype=np.float32), np.array([7, 3]))
    vectors = KeyedVectors.from_table(table)
    assert vectors.get_vecattr("cat", "count") == 7
    again = vectors.to_table()
    assert again.vocabulary == ["cat", "dog"]
    assert again.neighbors("cat", k=1) == [("dog", 0.0)]


def test_integer_keys_are_no_indices_of_rows():
    rows = np.arange(6.0).reshape(3, 2)
    vectors, allocated = KeyedVectors(2), KeyedVectors(2, count=2)
    vectors.add_vectors([10, 11, 12], rows)
    for allow_inference in (True, False):
        assert vectors.vectors_for_all([0, 1], allow_inference=allow_inference).index_to_key == []
        chosen = vectors.vectors_for_all([2, 12, 0, 10], allow_inference=allow_inference)
        assert chosen.index_to_key == [12, 10]
        assert (chosen.vectors == rows[[2, 0]]).all()
    assert allocated.add_vector(1, [3, 4]) == 0
    assert (allocated[1] == [3, 4]).all()
    vectors[0] = np.array([7, 8])  # a new key, as in gensim
    assert vectors.index_to_key == [10, 11, 12, 0]


def test_attributes_of_keys_keep_their_values(tmp_path):
    for kind in (KeyedVectors, gensim.models.KeyedVectors):
        vectors = kind(1)
        vectors.add_vectors(["cat", "dog"], np.ones((2, 1)))
        for first, second in ((1, 0.5), (True, 2), (0.5, "a"), (1, "a"), (np.float32(1), 0.1)):
            name = f"{first} and {second}"
            vectors.set_vecattr("cat", name, first)
            with pytest.raises(TypeError, match=name):
                vectors.set_vecattr("dog", name, second)
        vectors.allocate_vecattrs(["allocated"], [str])
        for name in ("allocated", "tag"):
            vectors.set_vecattr("cat", name, "ab")
            vectors.set_vecattr("dog", name, "longer")
            assert vectors.expandos[name].tolist() == ["ab", "longer"]
        if kind is KeyedVectors:
            with pytest.raises(ValueError, match="cannot be saved: its type is object; only numbers"):
                vectors.save(tmp_path / "vectors")


ERRORS = {
    "unknown key": (lambda v: v.most_similar("unknown"), KeyError, "'unknown' is not in the vocabulary"),
    "no key": (lambda v: v.most_similar([]), ValueError, "at least one key"),
    "empty set": (lambda v: v.n_similarity([], ["word1"]), ZeroDivisionError, "at least one word"),
    "no known word": (lambda v: v.doesnt_match(["unknown"]), ValueError, "at least one word"),
    "weights": (lambda v: v.get_mean_vector(["word1"], weights=[1, 2]), ValueError, "for each of 1 keys, got 2"),
    "length": (lambda v: v.add_vector("new", [1, 2]), ValueError, r"7 numbers for each of 1 keys.*\(1, 2\)"),
    "second vector": (lambda v: v.add_vector("word1", [1] * 7), ValueError, r"'word1' has a vector already.*wv\[key\]"),
    "function": (lambda v: v.evaluate_word_analogies("x", similarity_function="y"), AttributeError, "'most_similar'"),
    "attribute": (lambda v: v.get_vecattr("word1", "color"), KeyError, "attributes are: count"),
    "old name": (lambda v: v.vocab, AttributeError, "use key_to_index"),
    "type": (lambda v: v.most_similar(3.5), TypeError, "got float"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_is_wrong(both, name):
    call, kind, message = ERRORS[name]
    with pytest.raises(kind, match=message):
        call(both[0])
