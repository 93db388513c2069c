"""Images of 32 gray levels: as pixel bytes, rendered text, digits, photographs."""

import numpy as np

from rowspace_lab.experiments.arena.tasks.images import LEVELS, digits_and_photographs, pixel_bytes, render, write_words


def test_pixel_bytes_tell_all_levels_apart():
    rows = pixel_bytes(np.arange(LEVELS, dtype=np.uint8).reshape(2, -1))
    assert len(set(b"".join(rows))) == LEVELS
    assert b"".join(rows).isalpha()


def test_rendered_characters_differ_and_a_text_is_its_characters():
    alphabet = [render(letter, 8) for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert len({letter.tobytes() for letter in alphabet}) == 26
    assert (render("ab", 8) == np.hstack(alphabet[:2])).all()
    assert render("", 8).max() == 0
    assert render("naïve \x00漢", 8).max() < LEVELS


def test_digits_and_photographs_are_all_there():
    images, labels, classes = digits_and_photographs(16)
    assert {image.shape for image in images} == {(16, 16)}
    assert max(int(image.max()) for image in images) == LEVELS - 1
    counts = np.bincount(labels)
    assert len(classes) == len(counts) == 12
    assert counts[:10].sum() == 1797  # scikit-learn's digits
    assert counts.min() > 100


def test_words_are_written_in_their_half_over_a_dark_photograph():
    rng = np.random.default_rng(3)
    image = write_words(("def", "not"), (8, 48), rng)
    assert image.shape == (8, 48)
    for number, word in enumerate(("def", "not")):
        written, half = render(word, 8), image[:, 24 * number : 24 * (number + 1)]
        places = range(24 - written.shape[1] + 1)
        assert any((half[:, at : at + written.shape[1]] >= written).all() for at in places)
