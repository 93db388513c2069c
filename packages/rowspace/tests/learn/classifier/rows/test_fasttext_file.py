"""Labels and probabilities equal those of fastText's package, for models that it trains and quantizes."""

import struct
from itertools import pairwise

import fasttext
import numpy as np
import pytest

from rowspace.errors import FileFormatError, UsageError
from rowspace.learn.classifier.options import RowsOptions
from rowspace.learn.classifier.rows.fasttext_file import read_model, write_model
from rowspace.learn.classifier.rows.learning import Targets, learn_rows

WORDS = {
    "en": "the cat sat on a mat and slept",
    "fr": "le chat dort sur un tapis très doux",
    "ru": "кошка спит на мягком коврике днём",
    "zh": "猫 睡在 柔软的 垫子 上",
    "ar": "القطة تنام على السجادة الناعمة",
    "ko": "고양이가 매트 위에서 잔다",
}
AWKWARD = [
    "",
    "   ",
    "unheard-of words",
    "a </s> b",
    "__label__fr bonjour",
    "__label__zz x",
    "\x0b the\x0ccat\ta\xa0b",
    "é́ 한국어 \U0001f600",
    "x" * 3000,
]
STEP = 0.008
KINDS = {
    "softmax": {},
    "hs": {"loss": "hs", "minn": 2, "maxn": 4, "bucket": 5000, "wordNgrams": 3},
    "ova": {"loss": "ova", "wordNgrams": 2, "bucket": 1000},
    "ns": {"loss": "ns", "minn": 3, "maxn": 3, "bucket": 300, "minCount": 3},
}


def lines(seed=0, number=300):
    generator = np.random.default_rng(seed)
    for place in range(number):
        label = list(WORDS)[place % len(WORDS)]
        own, other = WORDS[label].split(), " ".join(WORDS.values()).split()
        yield label, " ".join([*generator.choice(own, 4), *generator.choice(other, 2)])


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "train.txt"
    # fastText quantizes tables of 256 rows or more.
    rare = [f"__label__en rare{number} rarer{number % 150}" for number in range(300)]
    path.write_text("\n".join([f"__label__{label} {line}" for label, line in lines()] + rare) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def models(text):
    """The paths of fastText's models, by name."""
    found = {}
    for name, options in KINDS.items():
        # With fewer than 11 threads, fastText leaves most rows uninitialized.
        model = fasttext.train_supervised(str(text), dim=8, epoch=5, lr=0.5, thread=11, verbose=0, **options)
        found[name] = text.with_name(f"{name}.bin")
        model.save_model(str(found[name]))
        if name == "ns":
            continue
        for cutoff in (0, 280):
            model = fasttext.load_model(str(found[name]))
            model.quantize(input=str(text), cutoff=cutoff, qnorm=cutoff > 0, verbose=0)
            found[f"{name}-{cutoff}"] = text.with_name(f"{name}-{cutoff}.ftz")
            model.save_model(str(found[f"{name}-{cutoff}"]))
    return found


def of_fasttext(path, texts, k):
    # The method `predict` of the Python class does not work with NumPy 2.
    model = fasttext.load_model(str(path)).f
    return [
        [(label.removeprefix("__label__"), value) for value, label in model.predict(f"{text}\n", k, 0.0, "strict")]
        for text in texts
    ]


@pytest.mark.kernels
def test_predictions_equal_those_of_fasttext(models):
    texts = [line for _, line in lines(1)] + AWKWARD
    for name, path in models.items():
        model, differences = read_model(path), []
        for text, found, expected in zip(texts, model.predict(texts, k=-1), of_fasttext(path, texts, -1), strict=True):
            assert len(found) == len(expected), (name, text)
            # Labels with equal probabilities have any order.
            by_label = dict(expected)
            differences += [abs(by_label[label] - value) for label, value in found]
            if found:
                assert by_label[found[0][0]] > expected[0][1] - STEP, (name, text)
        # fastText reads the logistic function of two losses from a table, where the last bit of a score may be a step.
        assert max(differences) < (STEP if name.startswith(("ova", "ns")) else 3e-6), name
        assert np.mean(np.array(differences) < 3e-6) > 0.998, name


def test_written_models_equal_in_fasttext(models, tmp_path):
    texts = [line for _, line in lines(2)] + AWKWARD
    for name in KINDS:
        write_model(read_model(models[name]), tmp_path / "again.bin")
        assert (tmp_path / "again.bin").stat().st_size == models[name].stat().st_size
        assert of_fasttext(tmp_path / "again.bin", texts, 2) == of_fasttext(models[name], texts, 2), name


def test_quantized_models_open_in_fasttext_and_are_as_close_as_its_own(models, tmp_path):
    texts = [line for _, line in lines(2)]
    for name in ("softmax", "hs", "ova", "ova-280"):
        model = read_model(models[name])
        write_model(model, tmp_path / "ours.ftz")
        again = read_model(tmp_path / "ours.ftz")
        error = np.square(again.inputs[: len(model.inputs)] - model.inputs).mean()
        if name == "ova-280":  # was quantized with the lengths of rows, which ours has in its centroids
            assert error < 1e-3 * np.square(model.inputs).mean()
        else:
            theirs = read_model(models[f"{name}-0"])
            assert error <= 1.1 * np.square(theirs.inputs - model.inputs).mean()
            assert (tmp_path / "ours.ftz").stat().st_size == models[f"{name}-0"].stat().st_size
        expected = of_fasttext(tmp_path / "ours.ftz", texts, 1)
        assert [found[0][0] for found in again.predict(texts)] == [found[0][0] for found in expected], name


@pytest.mark.kernels
@pytest.mark.parametrize("loss", ["softmax", "hierarchical", "negative", "one-vs-all"])
def test_learned_models_open_in_fasttext(loss, tmp_path):
    labels, texts = zip(*lines(), strict=True)
    numbers = np.array([list(WORDS).index(label) for label in labels])
    options = RowsOptions(dim=8, epochs=10, lr=1.0, min_n=2, max_n=3, buckets=2000, loss=loss, workers=1)
    model = learn_rows(texts, Targets.single(numbers), list(WORDS), options)
    path = tmp_path / "ours.bin"
    write_model(model, path)
    others = [line for _, line in lines(3)] + AWKWARD
    expected = of_fasttext(path, others, -1)
    for text, found, theirs in zip(others, model.predict(others, k=-1), expected, strict=True):
        assert len(found) == len(theirs), text
        values = [value for _, value in theirs]
        np.testing.assert_allclose(
            [value for _, value in found], values, atol=3e-6 if loss in ("softmax", "hierarchical") else STEP, rtol=1e-4
        )
    known = [(label, line) for label, line in lines(4)]
    right = [
        found[0][0] == label for (label, _), found in zip(known, model.predict([t for _, t in known]), strict=True)
    ]
    assert np.mean(right) > 0.9


def test_damaged_files_are_errors(models, tmp_path):
    path = tmp_path / "damaged"
    for name in ("hs", "ova-280"):
        data = models[name].read_bytes()
        for begin, end in pairwise([0, 4, 30, 60, 70, 100, len(data) // 2, len(data) - 1]):
            path.write_bytes(data[: (begin + end) // 2])
            with pytest.raises(FileFormatError, match="damaged"):
                read_model(path)
        path.write_bytes(data + b"\0")
        with pytest.raises(FileFormatError, match="continues after the end"):
            read_model(path)
    data = bytearray(models["softmax-280"].read_bytes())
    for place, value in ((8, 10**8), (28, 10**6), (32, 77), (36, 2), (48, 5000)):
        changed = data.copy()
        changed[place : place + 4] = struct.pack("<i", value)
        path.write_bytes(changed)
        with pytest.raises(FileFormatError, match=r"damaged|without labels"):
            read_model(path)
    with pytest.raises(UsageError, match="there is no file"):
        read_model(tmp_path / "none.bin")
    with pytest.raises(UsageError, match="' is not a file; give a supervised model"):
        read_model(tmp_path)


def test_labels_that_fasttext_cannot_hold_are_an_error(tmp_path):
    options = RowsOptions(dim=2, epochs=1, max_n=0, min_n=0, word_ngrams=1)
    model = learn_rows(["a", "b"], Targets.single(np.array([0, 1])), ["x y", "z"], options)
    with pytest.raises(UsageError, match="'x y' is empty or has a blank"):
        write_model(model, tmp_path / "model.bin")
    assert not list(tmp_path.iterdir())
