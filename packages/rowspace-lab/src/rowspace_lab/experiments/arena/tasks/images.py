"""Images for the tasks, in 32 gray levels: digits, photographs, rendered text, and text written into photographs."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from sklearn.datasets import load_digits, load_sample_images

__all__ = ["LEVELS", "Pixels", "digits_and_photographs", "pixel_bytes", "render", "write_words"]

Pixels = NDArray[np.uint8]  # (height, width), values below LEVELS

LEVELS = 32
_LETTERS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef", np.uint8)
_DIGITS_WHITE = 16  # scikit-learn's largest value
_CROP = 64  # side of a crop of a photograph, before it is resized
_SHADE = 0.4  # brightness of a photograph behind a text


def pixel_bytes(pixels: Pixels) -> list[bytes]:
    """Return the rows of an image as bytes: a letter for each pixel, A for black.

    >>> pixel_bytes(np.array([[0, 1], [31, 0]], np.uint8))
    [b'AB', b'fA']
    """
    return [row.tobytes() for row in _LETTERS[pixels]]


def render(text: str, height: int) -> Pixels:
    """Write a text in white on black with Pillow's own font, character by character.

    Args:
        text: One line.
        height: Height of the image, which is nearly that of the font.

    Returns:
        (height, width).
    """
    return np.hstack([_glyph(character, height) for character in text or " "])


def digits_and_photographs(side: int) -> tuple[list[Pixels], list[int], tuple[str, ...]]:
    """Return scikit-learn's 1797 digits and crops of its two photographs, as `side` × `side`.

    Args:
        side: Side of an image.

    Returns:
        Images, labels, and the names of the 12 classes; each photograph is about as frequent as a digit.
    """
    digits = load_digits()
    images = [_resized(digit * (255 / _DIGITS_WHITE), side) for digit in digits.images]
    labels = [int(label) for label in digits.target]
    for number, photograph in enumerate(_photographs()):
        crops = _crops(photograph)
        images += [_resized(crop, side) for crop in crops]
        labels += [10 + number] * len(crops)
    return images, labels, (*map(str, range(10)), "temple", "flower")


def write_words(words: tuple[str, ...], shape: tuple[int, int], rng: np.random.Generator) -> Pixels:
    """Write words next to each other, each at a random place in its share of the width, over a dark photograph.

    Args:
        words: From left to right.
        shape: (height, width).
        rng: Draws the photograph, the place in it, and the places of the words.
    """
    height, width = shape
    photograph = _photographs()[rng.integers(2)]
    top, left = (rng.integers(size - 2 * side) for size, side in zip(photograph.shape, shape, strict=True))
    pixels = _levels(_SHADE * photograph[top : top + height, left : left + width])
    share = width // len(words)
    for number, word in enumerate(words):
        written = render(word, height)[:, :share]
        start = number * share + rng.integers(share - written.shape[1] + 1)
        region = pixels[:, start : start + written.shape[1]]
        np.maximum(region, written, out=region)
    return pixels


@lru_cache(maxsize=10_000)
def _glyph(character: str, height: int) -> Pixels:
    font = _font(height)
    image = Image.new("L", (max(1, round(font.getlength(character))), height))
    ImageDraw.Draw(image).text((0, height // 2), character, font=font, fill=255, anchor="lm")
    return _levels(np.asarray(image))


@lru_cache
def _font(height: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=max(1, height * 15 // 16))


@lru_cache
def _photographs() -> list[NDArray[np.float64]]:
    """The two photographs in gray: a temple and a flower."""
    return [image.mean(axis=2) for image in load_sample_images().images]


def _crops(photograph: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    rows, columns = (range(0, size - _CROP + 1, 32) for size in photograph.shape)
    return [photograph[row : row + _CROP, column : column + _CROP] for row in rows for column in columns]


def _resized(image: NDArray[np.float64], side: int) -> Pixels:
    whole = Image.fromarray(image.astype(np.uint8)).resize((side, side), Image.Resampling.BILINEAR)
    return _levels(np.asarray(whole))


def _levels(image: NDArray[np.generic]) -> Pixels:
    return (image.astype(np.float64) * (LEVELS / 256)).astype(np.uint8)
