"""The numbers of lesson 11, compared with patches cut by NumPy's slices and with formulas."""

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_sample_image

import rowspace as rs
from rowspace_lab.lessons.computed.topics import patches as computed
from rowspace_lab.lessons.lesson import lesson

TABLE = rs.Table(["a"], np.ones((1, 2)))
SMALL = ["123789", "450654", "781321", "234876", "567543", "890210"]


def photograph(name: str) -> np.ndarray:
    """Scikit-learn's photograph, cropped to its center square and resized."""
    picture = Image.fromarray(load_sample_image(name))
    left = (picture.width - picture.height) / 2
    box = (left, 0, left + picture.height, picture.height)
    return np.asarray(picture.resize((224, 224), Image.Resampling.BICUBIC, box), float) / 255


def test_patches_of_the_small_picture() -> None:
    found = computed.small()
    pixels = np.array([[int(digit) for digit in line] for line in SMALL])
    cut = [pixels[row : row + 3, column : column + 3].ravel() for row in (0, 3) for column in (0, 3)]
    for name, patch in zip(("first", "second", "third", "fourth"), cut, strict=True):
        assert found[name] == f"({' '.join(map(str, patch))})"
    assert found["variances"] == ", ".join(f"{patch.var():.2f}" for patch in cut) == "6.91, 6.67, 7.65, 6.67"
    assert (found["numbers"], found["dim"]) == (9, 4)


def test_tokens_and_scores_of_a_photograph() -> None:
    found = computed.counts()
    for name, tokens in (("side32", 7**2), ("side16", 14**2), ("side8", 28**2), ("side4", 56**2), ("pixel", 224**2)):
        assert found[name] == {"tokens": tokens, "scores": tokens**2}
    assert found["value"] == {"tokens": 3 * 224**2, "scores": (3 * 224**2) ** 2}
    assert f"{found['billions']['pixel']:.1f}, {found['billions']['value']:.1f}" == "2.5, 22.7"


def test_sizes_of_vision_transformers() -> None:
    found = computed.vit()
    assert found["base"]["tokens"] == 14 * 14 + 1
    assert found["base"]["positions"] == 197 * 768 == 151_296
    assert found["base"]["projection"] == 768 * 768 + 768 == 590_592
    assert (found["large"]["numbers"], found["large"]["dim"]) == (768, 1024)
    assert (found["base32"]["numbers"], found["base32"]["dim"]) == (32 * 32 * 3, 768)
    assert found["base32"]["projection"] == 2_360_064


def test_convolution_differs_by_rounding() -> None:
    found = computed.convolution()
    assert found["difference"] < 768 * np.finfo(np.float32).eps * found["largest"]


@pytest.mark.parametrize(
    ("seed", "name", "size", "most"),
    [(0, "china.jpg", 16, False), (1, "flower.jpg", 16, False), (2, "china.jpg", 16, True)],
)
def test_question_of_the_variance(seed: int, name: str, size: int, most: bool) -> None:
    question, pixels = computed.flattest(TABLE, seed), photograph(name)
    along = 224 // size
    variances = pixels.reshape(along, size, along, size, 3).swapaxes(1, 2).reshape(along, along, -1).var(2)
    row, column = np.unravel_index(variances.argmax() if most else variances.argmin(), variances.shape)
    answer = question.computed(TABLE)
    assert (question.fields["name"], question.fields["degree"]) == (name, "most" if most else "least")
    assert (answer["row"], answer["column"]) == (row, column)
    half = ("top" if row < along / 2 else "bottom", "left" if column < along / 2 else "right")
    assert question.options[answer["answer"]] == " ".join(half)
    assert answer["spread"] == f"{np.sqrt(variances[row, column]):.3f}"


@pytest.mark.parametrize(("seed", "expected"), [(0, 16 * 16 + 1), (1, 12 * 12 + 1), (2, 24 * 24 + 1)])
def test_question_of_tokens(seed: int, expected: int) -> None:
    assert computed.tokens(TABLE, seed).computed(TABLE)["answer"] == expected


@pytest.mark.parametrize(("seed", "parts", "tokens"), [(0, 2, 14**2), (1, 4, 14**2), (2, 3, 12**2)])
def test_question_of_scores(seed: int, parts: int, tokens: int) -> None:
    answer = computed.scores(TABLE, seed).computed(TABLE)
    assert (answer["answer"], answer["factor"], answer["tokens"]) == (parts**4, parts**2, f"{tokens:,}")


def test_card_runs() -> None:
    names: dict[str, object] = {"rs": rs}
    (card,) = lesson(11).document.of("card")
    exec("\n".join(line.strip() for line in card.parts[3].splitlines()), names)
    assert names["vectors"].shape == (1, 196, 768)  # type: ignore[attr-defined]  # Tensor
    assert names["grid"] == (14, 14)
