"""Sequence, variances, filters and numbers of tokens, computed again with NumPy, scikit-learn and transformers."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import transformers as tf
from sklearn.decomposition import PCA
from tests.checkpoints import IDS, SIZES, WORDS, save_model

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.pages.patches.images import fit_picture
from rowspace_lab.pages.patches.pictures import photograph
from rowspace_lab.server.reply import Reply

Ask = Callable[..., Reply]


def flat_patches(picture: np.ndarray, size: int) -> np.ndarray:
    """The flat patches of a picture (H, W, C), channels first."""
    height, width, channels = picture.shape
    cut = picture.reshape(height // size, size, width // size, size, channels).transpose(0, 2, 4, 1, 3)
    return cut.reshape(-1, channels * size * size).astype(float)


def test_variances_of_the_small_picture_can_be_computed_by_hand(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "patches/cut", picture="six-by-six")
    assert reply.arrays["variances"].round(2).tolist() == [[6.91, 6.67], [7.65, 6.67]]


def test_variances_equal_those_of_numpy(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "patches/cut", patch=32, values="bytes")
    picture = fit_picture(photograph("china.jpg"), height=224, width=224, channels=3)
    np.testing.assert_allclose(reply.arrays["variances"].flatten(), flat_patches(picture, 32).var(1), rtol=1e-6)


def test_sequence_is_class_token_and_patches_plus_positions(lab: Lab, ask: Ask, check_code: Ask) -> None:
    reply = check_code(lab, "patches/sequence", picture="six-by-six", dim=8, seed=3)
    assert reply.meta["tokens"] == 5
    assert reply.meta["position_parameters"] == 5 * 8
    rows, positions = reply.arrays["rows"], reply.arrays["positions"]
    np.testing.assert_array_equal(reply.arrays["sequence"], rows + positions)
    for at in range(4):
        patch = ask(lab, "patches/cut", picture="six-by-six", dim=8, seed=3, at=at)
        np.testing.assert_allclose(rows[1 + at], patch.arrays["linear"], atol=1e-6)
    assert 0 < np.abs(rows[0]).max() <= 0.04
    assert reply.meta["row_norm"] == pytest.approx(np.linalg.norm(rows[1:], axis=1).mean(), rel=1e-6)


def test_sequence_of_vit_base_has_197_tokens(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "patches/sequence", dim=768)
    assert (reply.meta["tokens"], reply.meta["position_parameters"]) == (197, 151_296)
    assert reply.arrays["sequence"].shape == (197, 64)


def test_learned_filters_equal_the_components_of_scikit_learn(lab: Lab, check_code: Ask) -> None:
    reply = check_code(lab, "patches/filters", patch=16, color="gray")
    picture = fit_picture(photograph("china.jpg"), height=224, width=224, channels=1) / np.float32(255)
    patches = flat_patches(picture, 16)
    found = PCA(16, svd_solver="full").fit(patches)
    np.testing.assert_allclose(reply.arrays["learned"], found.components_, atol=1e-4)
    np.testing.assert_allclose(reply.arrays["learned_share"], found.explained_variance_ratio_.cumsum(), rtol=1e-5)
    assert (reply.arrays["random_share"] < reply.arrays["learned_share"]).all()


def test_share_of_random_filters_is_that_of_a_least_squares_fit(lab: Lab, ask: Ask) -> None:
    reply = ask(lab, "patches/filters", picture="six-by-six", dim=3)
    patches = flat_patches(fit_picture(photograph("six-by-six"), height=6, width=6, channels=1), 3)
    centered = patches - patches.mean(0)
    filters = reply.arrays["random"].astype(float)
    for count in (1, 2, 3):
        residual = np.linalg.lstsq(filters[:count].T, centered.T, rcond=None)
        fitted = filters[:count].T @ residual[0]
        share = 1 - ((centered.T - fitted) ** 2).sum() / (centered**2).sum()
        assert reply.arrays["random_share"][count - 1] == pytest.approx(share)


def test_uniform_picture_and_single_patch_have_filters(lab: Lab, check_code: Ask) -> None:
    reply = check_code(lab, "patches/filters", height=16, width=16)  # one patch has no variance
    assert reply.meta["count"] == 1
    assert reply.arrays["learned_share"].tolist() == reply.arrays["random_share"].tolist() == [0]


def test_every_pixel_and_every_value_as_a_token(lab: Lab, check_code: Ask) -> None:
    reply = check_code(lab, "patches/tokens")
    counts = dict(
        zip(
            reply.meta["names"],
            zip(reply.arrays["tokens"].tolist(), reply.arrays["scores"].tolist(), strict=True),
            strict=True,
        )
    )
    assert counts == {
        "patches of 32": (49, 2_401),
        "patches of 16": (196, 38_416),
        "patches of 8": (784, 614_656),
        "patches of 4": (3_136, 9_834_496),
        "every pixel": (50_176, 2_517_630_976),
        "every value": (150_528, 22_658_678_784),
    }


def test_filters_of_an_open_checkpoint_are_the_longest_of_its_weight(tmp_path: Path, check_code: Ask) -> None:
    text = {**SIZES, **IDS, "vocab_size": len(WORDS), "hidden_size": 16, "max_position_embeddings": 10}
    vision = {**SIZES, "hidden_size": 24, "image_size": 12, "patch_size": 4}
    model = tf.CLIPModel(tf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=6))
    lab = save_model(model, tmp_path)
    reply = check_code(lab, "patches/checkpoint-filters")
    weight = model.vision_model.embeddings.patch_embedding.weight.detach().flatten(1).numpy()
    order = np.argsort(-np.linalg.norm(weight, axis=1))[:16]
    np.testing.assert_array_equal(reply.arrays["filters"], weight[order])
    assert (reply.meta["patch"], reply.meta["channels"], reply.meta["dim"]) == (4, 3, 24)
    assert reply.arrays["ids"].tolist() == order.tolist()


def test_table_without_images_has_no_filters_of_a_checkpoint(lab: Lab, ask: Ask) -> None:
    assert ask(lab, "patches/checkpoint").meta["model_type"] == ""
    with pytest.raises(UsageError, match="is not a model of text and images; open a CLIP or SigLIP checkpoint"):
        ask(lab, "patches/checkpoint-filters")
