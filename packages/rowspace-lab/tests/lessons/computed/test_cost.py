"""The numbers of lesson 12, compared with formulas, Hugging Face tokenizers, eigenvectors and scikit-learn."""

import math
import re
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import rowspace as rs
from rowspace.errors import UsageError
from rowspace.text import standard_library
from rowspace_lab.lessons.computed.topics import cost as computed
from rowspace_lab.lessons.lesson import lesson
from rowspace_lab.tables.small_world import small_world_sentences

TABLE = rs.Table(["a"], np.ones((1, 2)))


def test_sizes_of_published_tables() -> None:
    found = computed.models()
    for name, rows, dim, mib in (
        ("gpt2", 50_257, 768, 73.6),
        ("llama2", 32_000, 4096, 250.0),
        ("llama2_70b", 32_000, 8192, 500.0),
        ("llama3", 128_256, 4096, 1002.0),
    ):
        assert (found[name]["rows"], found[name]["dim"], found[name]["table"]) == (rows, dim, rows * dim)
        assert f"{found[name]['mib']:.1f}" == f"{mib}"
        assert_allclose(found[name]["operations"], 2 * rows * dim / 1e6)
    assert f"{found['gpt2']['share']:.1%} {found['gpt2']['with_positions']:.1%}" == "31.0% 31.6%"
    assert (found["albert"]["table"], found["albert"]["full"]) == (30_000 * 128, 30_000 * 768)
    assert found["albert"]["projection"] == 128 * 768 + 768
    assert round(found["llama3"]["rows"] / found["llama2"]["rows"]) == 4  # as the lesson's question says


def test_tables_of_bert() -> None:
    found = computed.bert()
    assert found["tokens"] == 30_522 * 768
    assert (found["positions"], found["segments"]) == (512 * 768, 2 * 768)
    assert found["together"] == 31_036 * 768 == 23_835_648
    assert f"{found['share']:.2%}" == f"{30_522 / 31_036:.2%}" == "98.34%"


def test_power_of_the_dimension() -> None:
    from rowspace.layers import CATALOGUE

    found = computed.widths()
    sizes = [
        (each.cost.model_type, each.parameters, each.hidden_dim)
        for each in CATALOGUE.values()
        if each.num_embeddings and not each.cost.second
    ]
    for name, used in (("slope", [each for each in sizes if each[0] != "albert"]), ("all", sizes)):
        logs = np.log([each[1:] for each in used]).T
        assert_allclose(found[name], np.cov(logs)[0, 1] / np.var(logs[0], ddof=1))
    assert (found["models"], f"{found['slope']:.2f}", f"{found['all']:.2f}") == (103, "0.40", "0.36")


def test_sizes_of_the_strategies() -> None:
    found = {name: (each["size"], each["dim"], f"{each['millions']:,.1f}") for name, each in computed.sizes().items()}
    assert found == {
        "small": (8_000, 768, "6.1"),
        "large": (128_000, 4096, "1,048.6"),
        "bpe": (32_000, 768, "24.6"),
        "bytes": (256, 768, "0.2"),
        "patches": (16, 768, "0.6"),
        "patches32": (32, 768, "2.4"),
    }


def tokens_of_words(train: list[str], held_out: list[str], size: int) -> int:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=2, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(train, trainer)
    count = 0
    for text in held_out:
        inside = np.zeros(len(text) + 1, bool)
        for word in re.finditer(r"\w+", text):
            inside[word.start() : word.end()] = True
        count += sum(bool(inside[start:end].any()) for start, end in tokenizer.encode(text).offsets)
    return count


@pytest.mark.parametrize(("seed", "before", "after"), [(0, 512, 2048), (1, 400, 1600), (2, 600, 2400)])
def test_question_of_fewer_tokens(seed: int, before: int, after: int) -> None:
    texts = list(islice(standard_library(), 0, 88, 8))
    train, held_out = [text for place, text in enumerate(texts) if place % 5], texts[::5]
    small, large = (tokens_of_words(train, held_out, size) for size in (before, after))
    question = computed.fewer(TABLE, seed)
    assert (question.fields["before"], question.fields["after"]) == (f"{before:,}", f"{after:,}")
    answer = question.computed(TABLE)
    # Unlike here, a token that overlaps two words counts for both.
    assert_allclose(answer["answer"], 100 * (1 - large / small), atol=1.5)
    assert answer["seldom"] < answer["seen"] / 4


def information(sentences: list[list[str]], ids: dict[str, int]) -> np.ndarray:
    pairs: Counter[tuple[str, str]] = Counter()
    for words in sentences:
        for at, word in enumerate(words):
            pairs.update((word, other) for other in [*words[max(0, at - 2) : at], *words[at + 1 : at + 3]])
    each: Counter[str] = Counter()
    for (word, _), count in pairs.items():
        each[word] += count
    found = np.zeros((len(ids), len(ids)))
    for (word, other), count in pairs.items():
        found[ids[word], ids[other]] = max(0.0, math.log(count * pairs.total() / (each[word] * each[other])))
    return found


def test_errors_by_dimension() -> None:
    sentences = [sentence.split() for sentence in small_world_sentences()]
    ids = {word: at for at, word in enumerate(sorted({word for words in sentences for word in words}))}
    errors = np.zeros(3)
    for seed in range(8):
        order = np.random.default_rng(seed).permutation(len(sentences))
        known, held_out = (information([sentences[at] for at in half], ids) for half in np.split(order, 2))
        values, vectors = np.linalg.eigh(known)  # symmetric, so its best approximation has the largest eigenvalues
        largest = np.argsort(-np.abs(values))
        for at, dim in enumerate((4, 32, 109)):
            used = largest[:dim]
            guess = (vectors[:, used] * values[used]) @ vectors[:, used].T
            errors[at] += ((held_out - guess) ** 2).sum() / (held_out**2).sum() / 8
    found = computed.dims()
    assert len(ids) == found["many_dim"]
    assert_allclose([found["few"], found["some"], found["many"]], errors, rtol=1e-6)
    assert found["some"] < min(found["few"], found["many"])


def test_neighbors_that_a_part_of_the_columns_keeps() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(150, 16)) * np.geomspace(1, 0.1, 16)
    found = computed.kept(rs.Table([f"w{at}" for at in range(150)], rows))
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    before = NearestNeighbors(n_neighbors=10).fit(units).kneighbors(return_distance=False)
    assert found["k"] == 10
    for name, dim in (("half", 8), ("quarter", 4)):
        cut = PCA(dim).fit_transform(units)
        after = NearestNeighbors(n_neighbors=10).fit(cut).kneighbors(return_distance=False)
        kept = np.mean([len({*one} & {*other}) / 10 for one, other in zip(before, after, strict=True)])
        assert_allclose(found[name], kept, atol=0.005)


def test_a_small_table_cannot_be_cut() -> None:
    with pytest.raises(UsageError, match="too small"):
        computed.kept(TABLE)


@pytest.mark.parametrize(
    ("seed", "expected"), [(0, 50_257 * 768 * 2), (1, 32_000 * 4096 * 2), (2, 50_000 * 1024 * 4), (3, 30_522 * 384 * 4)]
)
def test_question_of_memory(seed: int, expected: int) -> None:
    question = computed.mebibytes(TABLE, seed)
    assert_allclose(question.computed(TABLE)["answer"], expected / 1024**2)
    assert not question.accepts(expected / 1e6, question.computed(TABLE)["answer"])


def test_exercise() -> None:
    found = computed.exercise()
    assert (found["parameters"], found["bytes"], f"{found['answer']:.1f}") == ("5,120,000", "20,480,000", "19.5")


@pytest.mark.parametrize(
    ("seed", "table", "parameters"),
    [
        (0, 50_257 * 768, 124_439_808),
        (1, 128_256 * 4096, 8_030_261_248),
        (2, 262_144 * 640, 268_098_176),
    ],
)
def test_question_of_the_share(seed: int, table: int, parameters: int) -> None:
    assert_allclose(computed.share(TABLE, seed).computed(TABLE)["answer"], 100 * table / parameters)


def test_card_runs() -> None:
    names: dict[str, object] = {"rs": rs}
    (card,) = lesson(12).document.of("card")
    imports, expression = (line.strip() for line in card.parts[3].splitlines())
    exec(imports, names)
    mib, share = eval(expression, names)
    assert_allclose([mib, share], [10_000 * 512 * 4 / 2**20, (50_257 + 1024) * 768 / 124_439_808], rtol=1e-6)
